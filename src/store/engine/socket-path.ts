/** How a socket file is named to the system, which allows about a hundred bytes for its path. */
import { relative, resolve } from 'node:path';

/** Some systems have four less than Linux (unix(7)). */
export const SOCKET_PATH_BYTES = 103;

/** The shorter of two ways to write the path. Undefined if both are too long. */
export function socketPathOf(file: string): string | undefined {
  const path = resolve(file);
  return [path, relative(process.cwd(), path)].find((way) => Buffer.byteLength(way) <= SOCKET_PATH_BYTES);
}

/** How a socket file is named to the system, which allows about a hundred bytes for its path. */
import { createHash } from 'node:crypto';
import { relative, resolve } from 'node:path';

/** Windows has named pipes, in no folder: they end with their process, and only its user and administrators can write to one. */
export const hasSocketFiles = (platform = process.platform): boolean => platform !== 'win32';

/** Some systems have four less than Linux (unix(7)). */
export const SOCKET_PATH_BYTES = 103;

/** The shorter of two ways to write the path, or the name of a pipe. Undefined if both ways are too long. */
export function socketPathOf(file: string, platform = process.platform): string | undefined {
  const path = resolve(file);
  if (!hasSocketFiles(platform))
    return `\\\\.\\pipe\\stripe-payment-retry-${createHash('sha256').update(path.toLowerCase()).digest('hex')}`;
  return [path, relative(process.cwd(), path)].find((way) => Buffer.byteLength(way) <= SOCKET_PATH_BYTES);
}

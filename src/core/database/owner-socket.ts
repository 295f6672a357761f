/**
 * A socket on which a process listens for its whole life. The kernel closes it with the process and still accepts connections
 * for a stopped one, so it tells a dead process from a stopped one on one machine, across containers. Also names its file to
 * the system, which allows about a hundred bytes for a path.
 */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { basename, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { OWNER_ONLY_FILE } from './owner-only.ts';

/** The file's number proves that it is the same file here: another mount may show one that no kernel connects to. */
export const ownerSocketSchema = z.object({
  name: z.string().regex(/^lock\.\w+$/),
  device: z.string(),
  inode: z.string(),
});
type SocketFile = z.output<typeof ownerSocketSchema>;

export interface OwnerSocket extends SocketFile {
  /** Removes the file. */
  close(): void;
}

/** Undefined where none can be made: the path is too long, or the disk has no sockets. */
export async function openOwnerSocket(file: string): Promise<OwnerSocket | undefined> {
  const path = socketPathOf(file);
  if (path === undefined) return undefined;
  const server = createServer((connection) => connection.destroy()).unref();
  try {
    // Not through the primary process of a cluster, which lives on.
    server.listen({ path, exclusive: true });
    await once(server, 'listening');
    // That it cannot take a connection, for want of files, is nothing to die of: the kernel has connected it.
    server.on('error', () => {});
    if (hasSocketFiles()) chmodSync(path, OWNER_ONLY_FILE);
    return { name: basename(file), ...numbersOf(file), close: () => server.close() };
  } catch {
    server.close();
    return undefined;
  }
}

/** `isSameMachine`: the asker runs on the kernel that made the socket. */
export async function askOwnerSocket(
  folder: string,
  socket: SocketFile,
  isSameMachine: boolean,
): Promise<'lives' | 'gone' | 'unknown'> {
  const file = join(folder, socket.name);
  const path = socketPathOf(file);
  if (path === undefined) return 'unknown';
  const code = await tryToConnect(path);
  // EAGAIN: the queue of connections to a stopped process is full.
  if (code === undefined || code === 'EAGAIN') return 'lives';
  // Other systems refuse where too many wait, too.
  if (code !== 'ECONNREFUSED' || !isSameMachine || process.platform !== 'linux') return 'unknown';
  const here = existsSync(file) ? numbersOf(file) : undefined;
  return here?.device === socket.device && here.inode === socket.inode ? 'gone' : 'unknown';
}

function numbersOf(file: string): Pick<SocketFile, 'device' | 'inode'> {
  if (!hasSocketFiles()) return { device: '', inode: '' };
  const { dev, ino } = statSync(file, { bigint: true });
  return { device: String(dev), inode: String(ino) };
}

/** The code of the error, or undefined if somebody listens. */
function tryToConnect(path: string): Promise<string | undefined> {
  return new Promise((done) => {
    const connection = connect(path);
    connection.once('connect', () => {
      connection.destroy();
      done(undefined);
    });
    connection.once('error', (error) => done('code' in error ? String(error.code) : error.message));
  });
}

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

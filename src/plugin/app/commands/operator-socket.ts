/**
 * Access to a process that has an embedded database open, for commands that cannot open it a second time: HTTP over a socket
 * file in the data directory, restricted to the directory's owner. The process runs the same command and sends its output line
 * by line, then its exit code.
 */
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { systemClock } from '../../../core/base/clock.ts';
import {
  codeOf,
  DatabaseAwayError,
  ERROR_CODES,
  type ErrorCode,
  messageOf,
  PluginError,
} from '../../../core/base/errors.ts';
import type { Logger } from '../../../core/base/logger.ts';
import { isLocked, lockedAt } from '../../../core/database/directory-lock.ts';
import { OWNER_ONLY_FILE } from '../../../core/database/owner-only.ts';
import { hasSocketFiles, SOCKET_PATH_BYTES, socketPathOf } from '../../../core/database/owner-socket.ts';
import type { CommandContext, CommandOutput } from './store-command.ts';
import { findStoreCommand } from './store-commands.ts';

/** Raised when a command and a process of different versions cannot understand each other any more. */
const PROTOCOL = 1;
/** A process takes the directory first and makes its socket last: on a busy machine its first start is long. */
const START_MS = 60_000;
/** One that ends closes its socket first. */
const STOP_MS = 5_000;
const LOOK_MS = 250;
/** A process that is silent for longer hangs; one on a machine short of processor time does not. */
const SILENCE_MS = 60_000;
/** Interval of its signs of life while its command waits. */
const SIGN_EVERY_MS = 5_000;

/** Undefined if it is too long for the system. */
export function socketPathIn(directory: string): string | undefined {
  return socketPathOf(join(directory, 'operator.sock'));
}

export type OperatorSocket = Awaited<ReturnType<typeof openOperatorSocket>>;

export interface SocketDeps extends Pick<CommandContext, 'withStore' | 'withListings' | 'withPlugin'> {
  readonly logger: Logger;
}

const commandSchema = z.object({
  protocol: z.number(),
  name: z.string(),
  args: z.array(z.string()),
  options: z.record(z.string(), z.unknown()),
  user: z.string(),
  terminal: z.object({
    isTTY: z.boolean().optional(),
    hasColors: z.boolean().optional(),
    columns: z.number().optional(),
  }),
});
export type AskedCommand = Omit<z.output<typeof commandSchema>, 'protocol'>;

const lineSchema = z.union([
  z.object({ out: z.string() }),
  z.object({ exit: z.int() }),
  z.object({ error: z.object({ code: z.string(), message: z.string(), help: z.string().optional() }) }),
  z.object({ alive: z.literal(true) }),
]);
type Line = z.output<typeof lineSchema>;

/** Where no socket can be made the process runs without it and says so. */
export async function openOperatorSocket(directory: string, deps: SocketDeps) {
  const path = socketPathIn(directory);
  const server = createServer((incoming, response) => void answer(deps, incoming, response));
  if (path === undefined) {
    deps.logger.warn({ directory }, `no command can reach this process: ${TOO_LONG}`);
    return { stop: async () => {} };
  }
  // We hold the lock of the directory, so the owner of these files is gone.
  if (hasSocketFiles()) rmSync(path, { force: true });
  try {
    await once(server.listen(path), 'listening');
    if (hasSocketFiles()) chmodSync(path, OWNER_ONLY_FILE);
  } catch (error) {
    const reason = messageOf(error);
    deps.logger.warn({ path, reason }, 'no command can reach this process; stop it first');
  }
  return {
    stop: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const TOO_LONG = `the path of its socket has more than ${SOCKET_PATH_BYTES} bytes. Choose a shorter DATA_DIR, or run plugin and command from a folder near it`;

async function answer(deps: SocketDeps, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (line: Line) => response.write(`${JSON.stringify(line)}\n`);
  const alive = setInterval(() => send({ alive: true }), SIGN_EVERY_MS);
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  try {
    send({ exit: await run(deps, await json(incoming), { send, response }) });
  } catch (error) {
    if (!(error instanceof PluginError))
      deps.logger.error({ err: error }, 'a command over the socket of the data directory failed');
    send({ error: describeError(error) });
  } finally {
    clearInterval(alive);
    response.end();
  }
}

async function run(
  deps: SocketDeps,
  body: unknown,
  { send, response }: { send: (line: Line) => void; response: ServerResponse },
): Promise<number> {
  const asked = commandSchema.safeParse(body);
  const command = asked.success ? findStoreCommand(asked.data.name) : undefined;
  if (!asked.success || asked.data.protocol !== PROTOCOL || !command)
    throw new PluginError(
      'REQUEST_INVALID',
      'The running process is of another version and does not know this command.',
      {
        help: 'Run the command of the version that runs, or stop the process, update it, and start it again.',
      },
    );
  const { args, options, user, terminal } = asked.data;
  const output: CommandOutput = {
    write: (out) => send({ out }),
    ...(terminal.isTTY === undefined ? {} : { isTTY: terminal.isTTY }),
    ...(terminal.hasColors === undefined ? {} : { hasColors: terminal.hasColors }),
    ...(terminal.columns === undefined ? {} : { columns: terminal.columns }),
  };
  const interrupted = new Promise<void>((end) => response.once('close', end));
  return command({ ...deps, user, output, interrupted: () => interrupted }, args, options);
}

function describeError(error: unknown): Extract<Line, { error: unknown }>['error'] {
  if (error instanceof DatabaseAwayError) return { code: error.code, message: error.reason };
  if (error instanceof PluginError)
    return {
      code: error.code,
      message: error.message,
      ...(error.help === undefined ? {} : { help: error.help }),
    };
  return { code: 'INTERNAL', message: messageOf(error) };
}

/** Returns undefined if no process answers. Rejects with the process's message if it refused, or was cut off. */
export async function askRunningProcess(
  directory: string,
  asked: AskedCommand,
  context: Pick<CommandContext, 'output' | 'interrupted'>,
  wait: (ms: number) => Promise<void> = sleep,
): Promise<number | undefined> {
  const path = socketPathIn(directory);
  if (path === undefined)
    throw new PluginError(
      'DATA_DIR_LOCKED',
      `The process that uses ${resolve(directory)} cannot be reached: ${TOO_LONG}.`,
    );
  const now = systemClock.now();
  const heldMs = now.diff(lockedAt(directory) ?? now).toMillis();
  const mostMs = Math.min(Math.max(STOP_MS, START_MS - heldMs), START_MS);
  for (let waitedMs = 0; waitedMs <= mostMs; waitedMs += LOOK_MS) {
    try {
      return await post(path, asked, context);
    } catch (error) {
      if (!isNobodyThere(error)) throw error;
      if (!(await isLocked(directory))) return undefined;
      await wait(LOOK_MS);
    }
  }
  return undefined;
}

function isNobodyThere(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ECONNREFUSED';
}

function post(
  socketPath: string,
  asked: AskedCommand,
  { output, interrupted }: Pick<CommandContext, 'output' | 'interrupted'>,
): Promise<number> {
  return new Promise((done, fail) => {
    const sent = request({ socketPath, method: 'POST', path: '/', timeout: SILENCE_MS }, (response) => {
      readLines(response, output).then(done, fail);
      void interrupted().then(() => sent.destroy());
    });
    sent.on('timeout', () => sent.destroy(cutOff(`It has said nothing for ${SILENCE_MS / 1000} seconds.`)));
    sent.on('error', fail);
    sent.end(JSON.stringify({ protocol: PROTOCOL, ...asked }));
  });
}

async function readLines(response: IncomingMessage, output: CommandOutput): Promise<number> {
  try {
    for await (const text of createInterface({ input: response })) {
      const line = lineSchema.parse(JSON.parse(text));
      if ('out' in line) output.write(line.out);
      if ('exit' in line) return line.exit;
      if ('error' in line) throw toError(line.error);
    }
  } catch (error) {
    if (error instanceof PluginError) throw error;
    throw cutOff('The connection ended.', error);
  }
  throw cutOff('The connection ended.');
}

function cutOff(what: string, cause?: unknown): PluginError {
  return new PluginError('INTERNAL', `The running process did not finish the command. ${what}`, {
    help: 'See whether it still runs. Every command may be repeated: what was done already is left as it is.',
    cause,
  });
}

function toError({ code, message, help }: Extract<Line, { error: unknown }>['error']): PluginError {
  return new PluginError(isErrorCode(code) ? code : 'INTERNAL', message, help === undefined ? {} : { help });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/**
 * The way to a process that has an embedded database open, for commands that cannot open it beside it: HTTP over a socket
 * file in the data directory, for the owner of the directory alone.
 */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Logger } from '../../logger.ts';
import { OWNER_ONLY_FILE } from '../../store/engine/owner-only.ts';
import type { Asking, OperationDeps } from './operation.ts';
import { type AnyResult, OPERATIONS, type OperationName, operationOf } from './operations.ts';

const pathIn = (directory: string) => join(resolve(directory), 'operator.sock');
/** Beside other work; a process that hangs for longer is better stopped. */
const ANSWER_WITHIN_MS = 15_000;
/** A process that has just begun takes the directory first and makes its socket last. */
const START_MS = 5_000;
const LOOK_MS = 250;

export interface OperatorSocket {
  stop(): Promise<void>;
}

export interface SocketDeps {
  readonly operations: OperationDeps;
  readonly logger: Logger;
}

export interface AskedOperation {
  readonly name: OperationName;
  readonly asking: Asking;
  readonly given: unknown;
}

const asked = z.object({
  name: z.custom<OperationName>((name) => typeof name === 'string' && name in OPERATIONS),
  asking: z.custom<Asking>(),
  given: z.unknown(),
});

/** Where no socket can be made (its path may have some hundred characters), the process runs without it and says so. */
export async function openOperatorSocket(directory: string, deps: SocketDeps): Promise<OperatorSocket> {
  const path = pathIn(directory);
  // The lock of the directory is ours, so whoever left it is gone.
  rmSync(path, { force: true });
  const server = createServer((incoming, response) => {
    void answer(deps, incoming).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  try {
    await listen(server, path);
    chmodSync(path, OWNER_ONLY_FILE);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    deps.logger.warn({ path, reason }, '`pause` and `resume` cannot reach this process; stop it instead');
  }
  return {
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail).listen(path, () => {
      server.off('error', fail);
      done();
    });
  });
}

async function answer(
  { operations, logger }: SocketDeps,
  incoming: AsyncIterable<unknown> & NodeJS.ReadableStream,
) {
  try {
    const read = asked.safeParse(await json(incoming));
    if (!read.success) return { status: 400, body: { message: z.prettifyError(read.error) } };
    const { name, asking, given } = read.data;
    return { status: 200, body: await operationOf(name).carryOut(operations, asking, given) };
  } catch (error) {
    logger.error({ err: error }, 'a command over the socket of the data directory failed');
    return { status: 500, body: { message: error instanceof Error ? error.message : String(error) } };
  }
}

/** Undefined if no process answers there. Rejects with what the process said if it refused. */
export async function askRunningProcess(
  directory: string,
  asked: AskedOperation,
): Promise<AnyResult | undefined> {
  let answered = await tryPost(pathIn(directory), asked);
  for (let waitedMs = 0; answered === 'nobody is there' && waitedMs < START_MS; waitedMs += LOOK_MS) {
    await sleep(LOOK_MS);
    answered = await tryPost(pathIn(directory), asked);
  }
  if (typeof answered === 'string') return undefined;
  const result = operationOf(asked.name).result.safeParse(answered.body);
  if (answered.status === 200 && result.success) return result.data;
  throw new Error(`The running process refused: ${JSON.stringify(answered.body)}`);
}

async function tryPost(path: string, asked: AskedOperation) {
  try {
    return await post(path, asked);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ECONNREFUSED' ? 'nobody is there' : 'no answer';
  }
}

function post(socketPath: string, body: object): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((done, fail) => {
    const sent = request({ socketPath, method: 'POST', path: '/', timeout: ANSWER_WITHIN_MS }, (response) => {
      json(response).then((read) => done({ status: response.statusCode, body: read }), fail);
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${ANSWER_WITHIN_MS / 1000} seconds`)));
    sent.on('error', fail);
    sent.end(JSON.stringify(body));
  });
}

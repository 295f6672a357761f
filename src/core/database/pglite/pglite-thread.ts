import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Answer, Call, ErrorParts, NumberedCall, Result, ThreadData } from './pglite-messages.ts';

export interface PgliteThread {
  /** Rejects with the database's own error, or with a `ThreadEndedError` where none answers any more. */
  send(call: Call): Promise<readonly Result[]>;
  /** Resolves when the thread has ended otherwise than by `close` or `kill`. */
  readonly ended: Promise<ThreadEndedError>;
  /** Closes after all sent work. */
  close(): Promise<void>;
  /** Ends immediately, like the end of the process. */
  kill(): Promise<void>;
}

export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
  constructor(cause: Error) {
    super(`The thread of the embedded database has ended: ${cause.message}`, { cause });
  }
}

interface Waiting {
  resolve(results: readonly Result[]): void;
  reject(error: unknown): void;
}

/** Thrown for calls after `close` or `kill`; the database is intact. */
class ThreadClosedError extends Error {
  override readonly name = 'ThreadClosedError';
  constructor() {
    super('The embedded database is closed.');
  }
}

/**
 * Starts the thread that opens the embedded database in the folder and works on it. It answers in the order of the
 * calls; while it owes no answer it holds up no process that wants to end.
 */
export async function startPglite(
  folder: string,
  contents: Pick<ThreadData, 'isEmpty' | 'lock'>,
): Promise<PgliteThread> {
  const worker = openWorker({ folder, engine: await compileEngine(), ...contents });
  worker.unref();
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let over: ThreadEndedError | ThreadClosedError | undefined;
  let isWanted = false;
  let resolveEnded: (error: ThreadEndedError) => void = () => {};

  const end = (cause: Error): void => {
    const error = isWanted ? new ThreadClosedError() : new ThreadEndedError(cause);
    over ??= error;
    for (const { reject } of waiting.values()) reject(over);
    waiting.clear();
    if (error instanceof ThreadEndedError) resolveEnded(error);
  };
  worker.on('error', end);
  worker.on('exit', (code) => end(new Error(`it ended with code ${code}`)));
  worker.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
    if ('error' in answer) asked?.reject(toError(answer.error));
    else asked?.resolve(answer.results);
  });

  const ask = (message: Omit<NumberedCall, 'id'>) =>
    new Promise<readonly Result[]>((resolve, reject) => {
      if (over) return reject(over);
      const id = ++lastId;
      worker.postMessage({ ...message, id } satisfies NumberedCall);
      waiting.set(id, { resolve, reject });
      worker.ref();
    });

  async function kill(): Promise<void> {
    isWanted = true;
    await worker.terminate();
  }

  return {
    send: (call) => ask({ call }),
    ended: new Promise((resolve) => {
      resolveEnded = resolve;
    }),
    close: async () => {
      try {
        const closed = ask({});
        over ??= new ThreadClosedError();
        await closed;
      } finally {
        await kill();
      }
    },
    kill,
  };
}

/** It gets neither the flags nor the environment of the process, which are the host's (loaders, agents). */
function openWorker(workerData: ThreadData): Worker {
  return new Worker(workerFile(), {
    name: 'embedded database',
    workerData,
    execArgv: [],
    env: {},
  });
}

const workerFile = () => new URL('./pglite-worker.js', import.meta.url);

/** Not where a bundler took this code away from its files. */
export const isWithItsFiles = (): boolean => existsSync(workerFile());

let compiled: Promise<WebAssembly.Module> | undefined;

/** Once in a process, off its thread: every database shares the machine code. */
export async function compileEngine(): Promise<WebAssembly.Module> {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  compiled ??= readFile(join(dirname(main), 'pglite.wasm')).then((bytes) => WebAssembly.compile(bytes));
  return compiled;
}

function toError({ name, message, ...carried }: ErrorParts): Error {
  return Object.assign(new Error(message), carried, { name });
}

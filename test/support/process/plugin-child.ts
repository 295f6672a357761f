/** The parent's side of `plugin-process.ts`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { coverageVariables, programOf } from './compiled-program.ts';

export interface PluginChild {
  /** On loopback, where it listens. */
  readonly port: number;
  /** Does everything that is due now; rejects if the process is killed meanwhile. */
  run(): Promise<number>;
  setClock(at: DateTime): Promise<void>;
  /** What time alone or a command asks for, done in the next run. */
  request(what: 'catch-up' | 'sync-actions' | 'backfill' | 'verification'): Promise<void>;
  /** All that it has written to its log. */
  output(): string;
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** `kill -9`: nothing is finished, closed or told. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const answer = z.object({ id: z.number(), value: z.unknown().optional(), error: z.string().optional() });
const rows = z.array(z.record(z.string(), z.unknown()));

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

export async function startPluginChild(
  settings: Readonly<Record<string, string>>,
  now: DateTime,
): Promise<PluginChild> {
  const { flags, file } = programOf('test/support/process/plugin-process.ts');
  const child = fork(file, [], {
    execArgv: [...flags],
    env: {
      PATH: process.env.PATH,
      LOG_LEVEL: 'warn',
      TEST_NOW: now.toISO() ?? '',
      ...coverageVariables(),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'exit');
  const waiting = new Map<number, Waiting>();
  let asked = 0;

  child.on('message', (message) => {
    const { id, value, error } = answer.parse(message);
    if (error === undefined) waiting.get(id)?.resolve(value);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`The plugin process ended.\n${output}`));
    waiting.clear();
  });

  function ask(command: object): Promise<unknown> {
    asked += 1;
    const id = asked;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      child.send({ id, ...command });
    });
  }

  const port = await new Promise((resolve, reject) => {
    // The child's word that it listens.
    waiting.set(0, { resolve, reject });
  });
  return {
    port: z.number().parse(port),
    run: async () => z.number().parse(await ask({ do: 'run' })),
    setClock: async (at) => {
      await ask({ do: 'set', at: at.toISO() });
    },
    request: async (what) => {
      await ask({ do: 'request', what });
    },
    output: () => output,
    query: async (sql) => rows.parse(await ask({ do: 'query', sql })),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      ask({ do: 'stop' }).catch(() => {});
      await ended;
    },
  };
}

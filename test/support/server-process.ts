/** The program as a user starts it: `start` in a process of its own, with real time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { eventually } from './eventually.ts';
import { freePort } from './postgres-server.ts';

export interface ServerProcess {
  readonly port: number;
  /** Its number among the processes on the database. */
  readonly number: number;
  readonly output: () => string;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** SIGTERM; returns the exit code. */
  terminate(): Promise<number | null>;
}

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

/** Ready to take requests when it resolves. */
export async function startServerProcess(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', TSX, CLI, 'start'], {
    env: { PATH: process.env.PATH, PORT: String(port), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'exit');
  // A test run that is cut short leaves no process behind.
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  void ended.then(() => process.off('exit', killWithUs));
  await eventually(() => {
    if (child.exitCode !== null) return;
    if (!output.includes('"listening"')) throw new Error(`It does not listen yet.\n${output}`);
  }, 40_000);
  if (child.exitCode !== null) throw new Error(`The process ended with code ${child.exitCode}.\n${output}`);
  return {
    port,
    number: Number(/"process":(\d+)/.exec(output)?.[1]),
    output: () => output,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    terminate: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await ended;
      }
      return child.exitCode;
    },
  };
}

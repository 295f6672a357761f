/** A command of the program in a process of its own, with real time, as a user starts it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Terminal } from '../../../src/cli/process/run-on-store.ts';
import { eventually } from '../eventually.ts';
import { coverageVariables, programOf } from './compiled-program.ts';

export interface CommandProcess {
  readonly pid: number | undefined;
  readonly output: () => string;
  /** The exit code, once it has ended by itself. */
  readonly ended: Promise<number | null>;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** SIGTERM; returns the exit code. */
  terminate(): Promise<number | null>;
}

/** Puts what a command says into a list; nobody interrupts it. */
export function toTerminal(said: string[]): Terminal {
  return { output: { write: (text) => said.push(text) }, interrupted: () => new Promise(() => {}) };
}

export interface SpawnOptions {
  /** Another user than this one's, for root alone to say. */
  readonly uid?: number | undefined;
  /** The folder it is started in. */
  readonly cwd?: string;
  /** A program, with its arguments, that runs the command. */
  readonly within?: readonly string[];
}

export function spawnCommand(
  command: string | readonly string[],
  settings: Readonly<Record<string, string>>,
  options: SpawnOptions = {},
): CommandProcess {
  const { flags, file } = programOf('src/cli.ts');
  return spawnProgram([...flags, file, ...[command].flat()], settings, options);
}

/** Any program for Node, by its arguments. */
export function spawnProgram(
  nodeArgs: readonly string[],
  settings: Readonly<Record<string, string>>,
  { uid, cwd, within = [] }: SpawnOptions = {},
): CommandProcess {
  const [program = '', ...args] = [...within, process.execPath, ...nodeArgs];
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...coverageVariables(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid }),
    ...(cwd === undefined ? {} : { cwd }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const closed = once(child, 'close');
  // A test run that is cut short leaves no process behind.
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  void closed.then(() => process.off('exit', killWithUs));
  return {
    pid: child.pid,
    output: () => output,
    ended: closed.then(() => child.exitCode),
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
    terminate: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await closed;
      }
      return child.exitCode;
    },
  };
}

/** Resolves when the output has the text; rejects if the process ends before. */
export async function untilSaid({ output, ended }: CommandProcess, text: string): Promise<void> {
  let code: number | null | undefined;
  void ended.then((exitCode) => {
    code = exitCode;
  });
  await eventually(() => {
    if (code === undefined && !output().includes(text)) throw new Error(`It is not ready yet.\n${output()}`);
  });
  if (code !== undefined) throw new Error(`The process ended with code ${code}.\n${output()}`);
}

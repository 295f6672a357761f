/** The program as a user starts it: `start` in a process of its own, with real time. */
import { type CommandProcess, type SpawnOptions, spawnCommand, untilSaid } from './command-process.ts';

export interface ServerProcess extends CommandProcess {
  readonly port: number;
  /** Its number among the processes on the database. */
  readonly number: number;
}

/** Ready to take requests when it resolves. */
export async function startServerProcess(
  settings: Readonly<Record<string, string>>,
  options: SpawnOptions = {},
): Promise<ServerProcess> {
  const command = spawnCommand('start', { PORT: '0', ...settings }, options);
  await untilSaid(command, '"listening"');
  const said = (what: RegExp) => Number(what.exec(command.output())?.[1]);
  return {
    ...command,
    port: said(/"url":"[^"]*:(\d+)".*"msg":"listening"/),
    number: said(/"process":(\d+)/),
  };
}

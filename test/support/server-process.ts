/** The program as a user starts it: `start` in a process of its own, with real time. */
import { type CommandProcess, spawnCommand, untilSaid } from './command-process.ts';
import { freePort } from './postgres-server.ts';

export interface ServerProcess extends CommandProcess {
  readonly port: number;
  /** Its number among the processes on the database. */
  readonly number: number;
}

/** Ready to take requests when it resolves. */
export async function startServerProcess(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const port = await freePort();
  const command = spawnCommand('start', { PORT: String(port), ...settings });
  await untilSaid(command, '"listening"');
  return { ...command, port, number: Number(/"process":(\d+)/.exec(command.output())?.[1]) };
}

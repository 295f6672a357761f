import { userInfo } from 'node:os';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { loadDatabaseLocation } from '../config/config.ts';
import { PluginError } from '../errors.ts';
import { askRunningProcess } from '../operator/operations/operator-socket.ts';
import { SWITCHES, type SwitchRequest } from '../operator/operations/switch-effects.ts';
import {
  type CommandResult,
  printResult,
  type Write,
  writeToTerminal,
} from '../operator/text/command-result.ts';
import { ALL_ACCOUNTS } from '../store/tables/retry/pauses.ts';
import { withDatabase } from './process/with-database.ts';

const switchOptions = z.object({
  reason: z.string().trim().min(1).default('no reason given'),
  by: z.string().trim().min(1).optional(),
  account: z.string().default(ALL_ACCOUNTS),
});

export const runPause = (_args: readonly string[], options: unknown, write: Write = writeToTerminal) =>
  run('pause', options, write);

export const runResume = (_args: readonly string[], options: unknown, write: Write = writeToTerminal) =>
  run('resume', options, write);

async function run(command: SwitchRequest['command'], options: unknown, write: Write): Promise<number> {
  const { by = userInfo().username, ...given } = switchOptions.parse(options);
  return printResult(await carryOutSwitch({ ...given, by, command }), write);
}

/** The embedded database is open in one process: if that runs, it is asked to do it. */
async function carryOutSwitch(asked: SwitchRequest): Promise<CommandResult> {
  const { command, ...switching } = asked;
  try {
    return await withDatabase((database) =>
      SWITCHES[command](database, { ...switching, at: systemClock.now() }),
    );
  } catch (error) {
    if (!(error instanceof PluginError) || error.code !== 'DATA_DIR_LOCKED') throw error;
    const location = loadDatabaseLocation();
    const answer = location.kind === 'embedded' && (await askRunningProcess(location.directory, asked));
    if (answer) return answer;
    throw new PluginError('DATA_DIR_LOCKED', `${error.message} It does not answer.`, {
      help: 'Stop that process: with it every payment and mail stops at once. Run this command, then start it again.',
      cause: error,
    });
  }
}

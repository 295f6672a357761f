import { userInfo } from 'node:os';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { PluginError } from '../errors.ts';
import {
  type CommandResult,
  printResult,
  type Write,
  writeToTerminal,
} from '../operator/text/command-result.ts';
import { describePauses, resumeCommand } from '../operator/text/describe-pauses.ts';
import type { Database } from '../store/engine/database.ts';
import {
  ALL_ACCOUNTS,
  findPause,
  listPauses,
  pauseEffects,
  resumeEffects,
  type Switching,
} from '../store/tables/retry/pauses.ts';
import { listActiveAccounts } from '../store/tables/stored-accounts.ts';
import { withDatabase } from './process/with-database.ts';

const switchOptions = z.object({
  reason: z.string().trim().min(1).default('no reason given'),
  by: z.string().trim().min(1).optional(),
  account: z.string().default(ALL_ACCOUNTS),
});

type Command = (database: Database, switching: Switching) => Promise<CommandResult>;

/** Exit code 1 for an account that is not known: a slip of the pen must not look like a stop. */
export const runPause = (_args: readonly string[], options: unknown, write: Write = writeToTerminal) =>
  run(reportPause, options, write);

export const runResume = (_args: readonly string[], options: unknown, write: Write = writeToTerminal) =>
  run(reportResume, options, write);

async function run(command: Command, options: unknown, write: Write): Promise<number> {
  const { by = userInfo().username, ...given } = switchOptions.parse(options);
  const switching = { ...given, by, at: systemClock.now() };
  return printResult(await tellHowIfLocked(withDatabase((database) => command(database, switching))), write);
}

/** The embedded database is open in one process, and that one is what shall do nothing. */
async function tellHowIfLocked<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PluginError) || error.code !== 'DATA_DIR_LOCKED') throw error;
    throw new PluginError('DATA_DIR_LOCKED', error.message, {
      help: 'Stop that process: with it every payment and mail stops at once. Run this command, then start it again. Processes on one PostgreSQL (DATABASE_URL) need no stop.',
      cause: error,
    });
  }
}

export const reportPause: Command = async (database, switching) => {
  const { account } = switching;
  if (account !== ALL_ACCOUNTS && !(await listActiveAccounts(database)).includes(account))
    return { code: 1, text: `nothing is known about account ${account}; nothing was paused` };
  const isNew = await database.transaction((tx) => pauseEffects(tx, switching));
  const pauses = describePauses(await listPauses(database));
  const how = `${isNew ? 'It holds at once in every process' : 'It was paused before'}; what comes in is kept. \`${resumeCommand(switching)}\` ends it.`;
  return { code: 0, text: [...pauses, how].join('\n') };
};

/** Exit code 1 if the account is still paused: by itself, or with all of them. */
export const reportResume: Command = async (database, switching) => {
  const { account } = switching;
  const ended = await resumeEffects(database, switching);
  const left = describePauses(await listPauses(database));
  const done = ended
    ? 'Resumed: the running processes take up what waited within seconds, else the next start does.'
    : `There was no pause ${account === ALL_ACCOUNTS ? 'of all accounts' : `of account ${account} alone`}.`;
  const isOn = account === ALL_ACCOUNTS ? left.length > 0 : await findPause(database, account);
  return { code: isOn ? 1 : 0, text: [done, ...left].join('\n') };
};

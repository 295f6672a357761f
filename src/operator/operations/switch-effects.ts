/** `pause` and `resume`, for whoever asks: the command line, or the process that has the embedded database open. */
import { z } from 'zod';
import type { Database } from '../../store/engine/database.ts';
import {
  ALL_ACCOUNTS,
  findPause,
  listPauses,
  pauseEffects,
  resumeEffects,
  type Switching,
} from '../../store/tables/retry/pauses.ts';
import { listActiveAccounts } from '../../store/tables/stored-accounts.ts';
import type { CommandResult } from '../text/command-result.ts';
import { describePauses, resumeCommand } from '../text/describe-pauses.ts';

export const switchRequest = z.object({
  command: z.enum(['pause', 'resume']),
  account: z.string(),
  reason: z.string().min(1),
  by: z.string().min(1),
});
export type SwitchRequest = z.infer<typeof switchRequest>;

type Operation = (database: Database, switching: Switching) => Promise<CommandResult>;

/** Exit code 1 for an account that is not known: a slip of the pen must not look like a stop. */
export const reportPause: Operation = async (database, switching) => {
  const { account } = switching;
  if (account !== ALL_ACCOUNTS && !(await listActiveAccounts(database)).includes(account))
    return { code: 1, text: `nothing is known about account ${account}; nothing was paused` };
  const isNew = await database.transaction((tx) => pauseEffects(tx, switching));
  const pauses = describePauses(await listPauses(database));
  const how = `${isNew ? 'It holds at once in every process' : 'It was paused before'}; what comes in is kept. \`${resumeCommand(switching)}\` ends it.`;
  return { code: 0, text: [...pauses, how].join('\n') };
};

/** Exit code 1 if the account is still paused: by itself, or with all of them. */
export const reportResume: Operation = async (database, switching) => {
  const { account } = switching;
  const ended = await resumeEffects(database, switching);
  const left = describePauses(await listPauses(database));
  const done = ended
    ? 'Resumed: the running processes take up what waited within seconds, else the next start does.'
    : `There was no pause ${account === ALL_ACCOUNTS ? 'of all accounts' : `of account ${account} alone`}.`;
  const isOn = account === ALL_ACCOUNTS ? left.length > 0 : await findPause(database, account);
  return { code: isOn ? 1 : 0, text: [done, ...left].join('\n') };
};

export const SWITCHES: Readonly<Record<SwitchRequest['command'], Operation>> = {
  pause: reportPause,
  resume: reportResume,
};

/** The kill switch: nothing is paid, emailed or changed at Stripe between `pause` and `resume`. What comes in is kept. */

import type { DateTime } from 'luxon';
import { z } from 'zod';
import { toIso } from '../../../core/base/clock.ts';
import { describeAction } from '../../actions/action-kinds.ts';
import {
  ALL_ACCOUNTS,
  BY_DISCONNECT,
  findPause,
  listPauses,
  type Pause,
  pauseEffects,
  resumeEffects,
} from '../../store/tables/retry/pauses.ts';
import { listPlannedWork } from '../../store/tables/retry/planned-actions.ts';
import { listActiveAccounts } from '../../store/tables/stored-accounts.ts';
import {
  type Asking,
  defineOperation,
  type OperationDeps,
  plural,
  previewOf,
  reasonGiven,
  result,
  stripeId,
} from './operation.ts';
import { describePlanned } from './subjects.ts';

const parameters = z.object({
  account: stripeId
    .default(ALL_ACCOUNTS)
    .describe('This account alone; left out, or `*`: all of them; `own` is your own.'),
});
type Parameters = z.output<typeof parameters>;

export const pauseView = z.object({
  account: z.string(),
  since: z.string(),
  by: z.string(),
  reason: z.string(),
});
const pauses = z.array(pauseView);

function toSwitching({ clock }: OperationDeps, asking: Asking, { account }: Parameters) {
  const { name: by, via } = asking.who;
  return { account, reason: reasonGiven(asking), by, via, at: clock.now() };
}

/** Work of the account, or of all, that is due before then. */
function listDue({ database }: OperationDeps, { account }: Parameters, before: DateTime) {
  return listPlannedWork(database, { ...(account === ALL_ACCOUNTS ? {} : { account }), before });
}

function toView({ account, reason, pausedBy, pausedAt }: Pause): z.output<typeof pauseView> {
  return { account, since: toIso(pausedAt), by: pausedBy, reason };
}

/** What ends it. */
export function resumeCommand({ account, pausedBy }: Pick<Pause, 'account'> & Partial<Pause>): string {
  if (pausedBy === BY_DISCONNECT) return 'connect';
  return account === ALL_ACCOUNTS ? 'resume' : `resume --account ${account}`;
}

export const pause = defineOperation({
  description: 'Pause payments and emails; incoming events are still recorded.',
  movesMoney: false,
  parameters,
  result: z.discriminatedUnion('code', [
    result('changed', 'paused', { account: z.string(), pauses, undo: z.int() }),
    result('unchanged', 'paused_already', { account: z.string(), pauses }),
    result('not_found', 'account_unknown', { account: z.string() }),
  ]),
  /** An account that is not known is no stop: a slip of the pen must not look like one. */
  run: async (deps, asking, given) => {
    const { database } = deps;
    const { account } = given;
    if (account !== ALL_ACCOUNTS && !(await listActiveAccounts(database)).includes(account))
      return { outcome: 'not_found', code: 'account_unknown', account };
    const switching = toSwitching(deps, asking, given);
    const undo = await database.transaction((tx) => pauseEffects(tx, switching));
    const all = (await listPauses(database)).map(toView);
    return undo === undefined
      ? { outcome: 'unchanged', code: 'paused_already', account, pauses: all }
      : { outcome: 'changed', code: 'paused', account, pauses: all, undo };
  },
  preview: previewOf(parameters, async (deps, given) => {
    const planned = await listDue(deps, given, deps.clock.now().plus({ days: 1 }));
    return {
      will: (say) =>
        planned.length === 0
          ? 'Hold back all payments and emails until somebody resumes; none is due within a day'
          : `Hold back ${describePlanned(planned, say)}, and all that follows, until somebody resumes`,
    };
  }),
  words: {
    paused: ({ account, pauses }, say) => [
      ...pauses.map(say.pause),
      `It applies immediately in every process; incoming events are still recorded.${say.technical(` \`${resumeCommand({ account })}\` ends it.`)}`,
    ],
    paused_already: ({ account, pauses }, say) => [
      ...pauses.map(say.pause),
      `Nothing changed: it was paused before.${say.technical(` \`${resumeCommand({ account })}\` ends it.`)}`,
    ],
    account_unknown: ({ account }) => `nothing is known about account ${account}; nothing was paused`,
  },
  history: { 'effects.paused': 'payments and emails paused' },
  command: { use: 'pause', needs: 'database', examples: ['pause --reason "wrong prices"'] },
  form: {
    about: 'part',
    title: 'Pause everything',
    button: 'Pause all payments, emails and changes',
    isDangerous: true,
  },
  app: {
    needs: 'configure',
    request: 'disconnect',
    words: {
      paused: 'Disconnected. Nothing is charged, emailed or changed for this account.',
      paused_already: 'It was disconnected before.',
    },
  },
});

export const resume = defineOperation({
  description: 'End a pause; overdue work is rechecked, then done.',
  movesMoney: true,
  parameters,
  result: z.discriminatedUnion('code', [
    /** `isStillPaused`: with all accounts. */
    result('changed', 'resumed', { account: z.string(), isStillPaused: z.boolean(), pauses, undo: z.int() }),
    result('unchanged', 'not_paused', { account: z.string(), isStillPaused: z.boolean(), pauses }),
  ]),
  run: async (deps, asking, given) => {
    const { database } = deps;
    const { account } = given;
    const switching = toSwitching(deps, asking, given);
    const undo = await database.transaction((tx) => resumeEffects(tx, switching));
    const left = await listPauses(database);
    const isStillPaused =
      account === ALL_ACCOUNTS ? left.length > 0 : (await findPause(database, account)) !== undefined;
    const now = { account, isStillPaused, pauses: left.map(toView) };
    return undo === undefined
      ? { outcome: 'unchanged', code: 'not_paused', ...now }
      : { outcome: 'changed', code: 'resumed', ...now, undo };
  },
  preview: previewOf(parameters, async (deps, given) => {
    const due = await listDue(deps, given, deps.clock.now());
    const all = due.map(({ kind, count }) => plural(count, describeAction(kind))).join(' and ');
    return {
      will: () =>
        all === ''
          ? 'Go on with what is planned; nothing became due meanwhile'
          : `Take up what became due meanwhile, within seconds and by the rules of that moment: ${all}`,
    };
  }),
  words: {
    resumed: ({ pauses }, say) => [
      'Resumed: the running processes start overdue work within seconds, or the next start does.',
      ...pauses.map(say.pause),
    ],
    not_paused: ({ account, pauses }, say) => [
      `Nothing changed: there was no pause ${account === ALL_ACCOUNTS ? 'of all accounts' : `of account ${account} alone`}.`,
      ...pauses.map(say.pause),
    ],
  },
  isPartial: ({ isStillPaused }) => isStillPaused,
  history: { 'effects.resumed': 'payments and emails resumed' },
  command: { use: 'resume', needs: 'database', examples: ['resume'] },
  form: { about: 'part', title: 'Resume everything', button: 'Resume payments and emails' },
  app: {
    needs: 'configure',
    request: 'connect',
    words: {
      resumed: 'Connected again. What waited goes on within seconds.',
      not_paused: 'It was connected before.',
    },
  },
});

/** What `disconnect` and `connect` do in the database: they pause effects, and let them happen again. */

import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';
import { z } from 'zod';
import { readOptions, watchInterruption } from '../../../core/base/command-options.ts';
import { describeError } from '../../../core/base/logged-text.ts';
import { describeAction } from '../../actions/action-kinds.ts';
import { describeLook } from '../../operator/operations/hand-back.ts';
import type { OperationDeps } from '../../operator/operations/operation.ts';
import { resumeCommand } from '../../operator/operations/switch-effects.ts';
import { money } from '../../operator/text/describe-code.ts';
import { describePauses } from '../../operator/text/describe-pauses.ts';
import { describeReason } from '../../operator/text/describe-reason.ts';
import { exactMoment } from '../../operator/text/exact-moment.ts';
import { createProgressLine } from '../../operator/text/progress-line.ts';
import type { Reason } from '../../reasons/reason.ts';
import { type HandbackDeps, handBack } from '../../retry/exclusive/hand-back-invoice.ts';
import {
  countAttemptsInDoubt,
  listNextPlanned,
  listUnderWay,
  type PlannedAction,
  type PlannedSum,
  sumPlanned,
  type WorkUnderWay,
} from '../../store/reports/open-work.ts';
import {
  ALL_ACCOUNTS,
  BY_DISCONNECT,
  listPauses,
  pauseEffects,
  resumeEffects,
} from '../../store/tables/retry/pauses.ts';
import { type InvoiceKey, listTakenOver } from '../../store/tables/retry/takeovers.ts';
import { openStripe } from '../open-stripe.ts';
import type { CommandContext, StoreCommand } from './store-command.ts';

const MOST_WAIT_SECONDS = 3600;
/** A call to Stripe takes 75 seconds at most, and an action makes few. */
const WAIT_SECONDS = 120;
const LOOK_EVERY_MS = 500;
const NEXT_SHOWN = 5;

const disconnectOptions = z.object({
  wait: z.coerce.number().int().min(0).max(MOST_WAIT_SECONDS).default(WAIT_SECONDS),
});

/** Exit code 0 once nothing of ours happens at Stripe any more, and Stripe collects what we had taken over. */
export const disconnect: StoreCommand = async (context, _args, options) => {
  const problem = `--wait must be a whole number of seconds from 0 to ${MOST_WAIT_SECONDS}`;
  const { wait } = readOptions(disconnectOptions, options, problem);
  const leaving: Leaving = { context, isOver: watchInterruption(context.interrupted()) };
  return context.withStore(async (operations) => {
    await pauseAll(leaving, operations);
    if (!(await waitForEnd(leaving, operations, wait))) return 1;
    await describeWhatWasPlanned(leaving, operations);
    return (await handBackAll(leaving, operations)) ? 0 : 1;
  });
};

interface Leaving {
  readonly context: CommandContext;
  /** The person has had enough. */
  readonly isOver: () => boolean;
}

/** A person's own pause stays that person's: `connect` does not end it. */
async function pauseAll({ context }: Leaving, { database, clock }: OperationDeps): Promise<void> {
  const { user, output } = context;
  const reason = `disconnected by ${user}`;
  const switching = { account: ALL_ACCOUNTS, reason, by: BY_DISCONNECT, via: 'command', at: clock.now() };
  await database.transaction((tx) => pauseEffects(tx, switching));
  for (const line of describePauses(await listPauses(database))) output.write(`${line}\n`);
}

/** Whether all of it came to its end. */
async function waitForEnd(
  { context, isOver }: Leaving,
  { database, clock }: OperationDeps,
  seconds: number,
): Promise<boolean> {
  const { output } = context;
  const line = createProgressLine(output);
  let under = await listUnderWay(database, clock.now());
  const isWaiting = under.length > 0;
  for (let waited = 0; under.length > 0 && waited < seconds * 1000 && !isOver(); waited += LOOK_EVERY_MS) {
    line.show(`Waiting for what is under way: ${describeUnderWay(under)}`);
    await delay(LOOK_EVERY_MS);
    under = await listUnderWay(database, clock.now());
  }
  if (isWaiting) line.end();
  if (under.length > 0)
    output.write(
      `Still under way${isOver() ? '' : ` after ${seconds} seconds`}, and Stripe may still carry it out: ${describeUnderWay(under)}. Nothing else begins.\n`,
    );
  else output.write('Nothing is under way at Stripe.\n');
  return under.length === 0 && !isOver();
}

async function describeWhatWasPlanned({ context }: Leaving, { database }: OperationDeps): Promise<void> {
  const planned = describePlanned(await sumPlanned(database), await listNextPlanned(database, NEXT_SHOWN));
  const doubtful = await countAttemptsInDoubt(database);
  const doubts =
    doubtful === 0 ? [] : [`Stripe gave no clear answer to ${doubtful} payment(s): look at them there.`];
  for (const text of [...planned, ...doubts]) context.output.write(`${text}\n`);
}

/** Returns all invoices during a pause, which a leaving operator asks for. True when none is left with us. */
async function handBackAll({ context, isOver }: Leaving, operations: OperationDeps): Promise<boolean> {
  const { database, clock } = operations;
  const ours = await listTakenOver(database);
  if (ours.length === 0) return true;
  const beforeWrite = async () => {};
  const stripe = openStripe(operations.config(), { database, clock }, { beforeWrite });
  const deps = { ...operations.retry(), stripe };
  const because = { code: 'operator_asked', by: context.user, note: undefined } as const;
  let left = ours.length;
  for (const key of ours) {
    if (isOver()) break;
    const { isDone, text } = await tryHandBack(deps, key, because);
    context.output.write(`${text}\n`);
    if (isDone) left -= 1;
  }
  if (left > 0) context.output.write(`${left} invoice(s) that we took over are not handed back.\n`);
  return left === 0;
}

/** One that Stripe refuses does not keep the others. */
async function tryHandBack(
  deps: HandbackDeps,
  key: InvoiceKey,
  why: Reason,
): Promise<{ isDone: boolean; text: string }> {
  const { invoiceId: invoice } = key;
  try {
    const { kind: became, ...details } = await handBack(deps, key, why);
    const reason = 'reason' in details ? details.reason : undefined;
    return {
      isDone: became !== 'kept',
      text: describeLook({ invoice, became, reason }, { reason: describeReason }),
    };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    return { isDone: false, text: `${invoice}: Stripe says: ${describeError(error).reason}` };
  }
}

/** Ends the pause that `disconnect` made. Exit code 0 always: what others paused stays so, and is said. */
export const connect: StoreCommand = ({ user, output, withStore }) =>
  withStore(async ({ database, clock }) => {
    const pauses = await listPauses(database);
    const own = pauses.find(({ pausedBy }) => pausedBy === BY_DISCONNECT);
    if (own !== undefined) {
      const { account } = own;
      const reason = 'connected again';
      const switching = { account, reason, by: user, via: 'command', at: clock.now() };
      await database.transaction((tx) => resumeEffects(tx, switching));
      output.write(
        'Payments and emails, paused by `disconnect`, are resumed: overdue work is rechecked, then done.\n',
      );
    }
    for (const pause of pauses.filter((one) => one !== own))
      output.write(`${describePauses([pause]).join('\n')}; \`${resumeCommand(pause)}\` ends that.\n`);
    return 0;
  });

function describeUnderWay(work: readonly WorkUnderWay[]): string {
  return work
    .map(({ kind, about }) => `${describeAction(kind)}${about === null ? '' : ` of ${about}`}`)
    .join(', ');
}

/** One line each; none where nothing is planned. */
function describePlanned(sums: readonly PlannedSum[], next: readonly PlannedAction[]): string[] {
  if (sums.length === 0) return ['Nothing was planned.'];
  return [
    'Planned, and not done while payments and emails are paused:',
    ...sums.map(({ kind, actions, invoices, amounts }) => {
      const total = amounts.map(({ amount, currency }) => money(amount, currency)).join(', ');
      return `  ${describeAction(kind)}: ${actions}, of ${invoices} invoice(s)${total === '' ? '' : ` (${total})`}`;
    }),
    ...next.map(({ kind, about, dueAt, amount, currency }) => {
      const sum = amount === null || currency === null ? '' : `, ${money(amount, currency)}`;
      return `  next: ${exactMoment(dueAt)} ${describeAction(kind)} of ${about}${sum}`;
    }),
  ];
}

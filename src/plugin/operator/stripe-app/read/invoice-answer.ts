/** How the recovery of one invoice stands, what comes next, and all that happened. */

import { capitalize } from '../../../../core/base/sentence-case.ts';
import { describeAction } from '../../../actions/action-kinds.ts';
import type { Reason } from '../../../reasons/reason.ts';
import {
  findInvoiceHistory,
  type HistoryAction,
  type InvoiceHistory,
} from '../../../store/reports/invoice-history.ts';
import { findInvoiceOfPayment } from '../../../store/tables/invoice-keys.ts';
import { isHeld } from '../../../store/tables/retry/holds.ts';
import { listHistoryEntries } from '../../text/describe-history.ts';
import { findAwaitedUntil } from '../../text/describe-need.ts';
import { standingOf } from '../../text/foretell.ts';
import type { AnswerDeps, AppQuery } from '../define-request.ts';
import { explain, inReadersTime, type Reader } from '../reader.ts';
import { offerOperations } from './offered-operations.ts';
import { listShown, namePayer, showNeed, showStanding } from './shown-failure.ts';

/** The newest are shown. */
const TIMELINE_LENGTH = 40;

export type RecoveryState =
  | 'paid'
  | 'over'
  | 'paused'
  | 'stopped'
  | 'needs_decision'
  | 'planned'
  | 'stripe_retries'
  | 'waiting';

/** Of a payment, by its payment intent or a charge of it. */
export async function answerPayment(
  deps: AnswerDeps,
  asked: AppQuery,
  { id }: { id: string },
): Promise<object> {
  const invoice = await findInvoiceOfPayment(deps.database, asked.account, id);
  return invoice === undefined ? { id, isKnown: false } : answerInvoice(deps, asked, { id: invoice });
}

export async function answerInvoice(
  deps: AnswerDeps,
  asked: AppQuery,
  { id }: { id: string },
): Promise<object> {
  const { account, abilities, reader } = asked;
  const history = await findInvoiceHistory(deps.database, id, account);
  const invoice = history?.invoice;
  if (!history || !invoice) return { id, isKnown: false };
  const { amountRemaining, currency } = invoice;
  const state = stateOf(history);
  const [failure] = await listShown(deps.database, { account, invoice: id }, 1);
  const need = failure?.need ?? (state === 'needs_decision' ? 'undecided' : null);
  const isAwaited = failure !== undefined && findAwaitedUntil(failure, deps.clock.now()) !== undefined;
  const mayOperate = abilities.includes('operate');
  const isOffered = mayOperate && state !== 'paid' && state !== 'over';
  return {
    id,
    isKnown: true,
    // Of one that has come back, what came back: nothing is left of it.
    amount: failure?.state === 'recovered' ? failure.amount : amountRemaining,
    currency,
    customer: failure === undefined ? null : namePayer(failure),
    state,
    // A pause stands above what was planned.
    standing: failure === undefined || state === 'paused' ? null : showStanding(failure, reader, deps.clock),
    need: need && showNeed(need, isAwaited),
    next: listNext(reader, history),
    stripeTriesAt: invoice.nextAttemptAt,
    obstacles: listObstacles(history).map((reason) => explain(reader, reason)),
    timeline: listTimeline(reader, history),
    mayOperate,
    operations: isOffered
      ? await offerOperations(deps, asked, {
          id,
          standing: standingOf(history),
          need: isAwaited ? null : need,
        })
      : [],
  };
}

function stateOf(history: InvoiceHistory): RecoveryState {
  const { invoice, pause, hold, actions } = history;
  if (invoice?.status === 'paid') return 'paid';
  if (invoice?.status !== 'open' && invoice?.status !== 'uncollectible') return 'over';
  if (pause) return 'paused';
  if (isHeld(hold)) return 'stopped';
  if (actions.some(({ state }) => state === 'undecided')) return 'needs_decision';
  if (actions.some(isPlanned)) return 'planned';
  return invoice.nextAttemptAt === null ? 'waiting' : 'stripe_retries';
}

function isPlanned({ state, closedAt }: HistoryAction): boolean {
  return closedAt === null && (state === 'scheduled' || state === 'running');
}

function listNext(reader: Reader, { actions }: InvoiceHistory): object[] {
  return actions
    .filter(isPlanned)
    .sort((one, other) => one.dueAt.toMillis() - other.dueAt.toMillis())
    .map(({ kind, dueAt, reason }) => ({
      what: capitalize(describeAction(kind)),
      at: dueAt,
      why: reason && explain(reader, reason),
    }));
}

/** Why what the service asks for is not done. */
function listObstacles({ pause, hold, actions }: InvoiceHistory): Reason[] {
  return [
    ...(pause ? [{ code: 'effects_paused', note: pause.reason } as const] : []),
    ...(isHeld(hold) ? [{ code: 'stopped_by_person', note: hold?.reason } as const] : []),
    ...actions.flatMap(({ state, reason }) => (state === 'undecided' && reason ? [reason] : [])),
  ];
}

function listTimeline(reader: Reader, history: InvoiceHistory): object[] {
  return listHistoryEntries(history)
    .reverse()
    .slice(0, TIMELINE_LENGTH)
    .map(({ at, what, text }) => ({ at, what, text: inReadersTime(reader, text) }));
}

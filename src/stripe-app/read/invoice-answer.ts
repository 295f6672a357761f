/** How the recovery of one invoice stands, what comes next, and all that happened. */

import { describeAction } from '../../contract/action-kinds.ts';
import { capitalize } from '../../kit/sentence-case.ts';
import { listHistoryEntries } from '../../operator/text/describe-history.ts';
import type { Reason } from '../../store/reasons/reason.ts';
import {
  findInvoiceHistory,
  type HistoryAction,
  type InvoiceHistory,
} from '../../store/reports/invoice-history.ts';
import { isHeld } from '../../store/tables/retry/holds.ts';
import type { AnswerDeps, Asked } from '../define-request.ts';
import { explain, inReadersTime, type Reader } from '../reader.ts';

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

export async function answerInvoice(
  { database }: AnswerDeps,
  { account, abilities, reader }: Asked,
  { id }: { id: string },
): Promise<object> {
  const history = await findInvoiceHistory(database, id, account);
  const invoice = history?.invoice;
  if (!history || !invoice) return { id, isKnown: false };
  const { status, amountRemaining, currency, customerId, subscriptionId } = invoice;
  const state = stateOf(history);
  return {
    id,
    isKnown: true,
    invoice: { status, amountRemaining, currency, customerId, subscriptionId },
    state,
    next: listNext(reader, history),
    stripeTriesAt: invoice.nextAttemptAt,
    obstacles: listObstacles(history).map((reason) => explain(reader, reason)),
    timeline: listTimeline(reader, history),
    mayOperate: abilities.includes('operate'),
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
    .sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime())
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

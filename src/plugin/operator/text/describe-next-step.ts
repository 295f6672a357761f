/** The next step of an invoice, and its reason. Pure. */
import { beginSentence, capitalize, uncapitalize } from '../../../core/base/sentence-case.ts';
import { describeAction } from '../../actions/action-kinds.ts';
import type { HistoryAction, InvoiceHistory } from '../../store/reports/invoice-history.ts';
import type { Failure } from '../../store/reports/money/list-failures.ts';
import { isHeld } from '../../store/tables/retry/holds.ts';
import { listedReasons } from './describe-listed.ts';
import { NEED_ROWS } from './describe-need.ts';
import { describeReason } from './describe-reason.ts';
import { exactMoment } from './exact-moment.ts';

export function describeNextStep(history: InvoiceHistory, need: Failure['need'] = null): string {
  const { invoice, actions, hold, pause, recoveryCase } = history;
  const status = invoice?.status ?? 'open';
  if (status === 'paid') return `Nothing is scheduled: ${describePayment(history)}.`;
  if (status !== 'open' && status !== 'uncollectible')
    return `Nothing is scheduled: the invoice is ${status}.`;
  if (hold && isHeld(hold))
    return `Nothing is scheduled: collection was stopped${hold.heldAt ? ` on ${exactMoment(hold.heldAt)}` : ''}: ${hold.reason}.`;
  if (pause) return `Nothing happens until payments and emails are resumed: ${pause.reason}.`;
  const undecided = actions.find(({ state }) => state === 'undecided');
  if (undecided?.reason)
    return `${capitalize(describeAction(undecided.kind))} waits for your approval: ${describeReason(undecided.reason)}.`;
  const [next] = actions
    .filter(({ closedAt, state }) => closedAt === null && (state === 'scheduled' || state === 'running'))
    .sort((a, b) => a.dueAt.toMillis() - b.dueAt.toMillis());
  if (next) return describeScheduled(next, history);
  const stripeAt = history.takeover?.handedBackAt === null ? null : invoice?.nextAttemptAt;
  if (stripeAt) return `Stripe retries it on its own on ${exactMoment(stripeAt)}.`;
  if (need !== null) return `${NEED_ROWS[need].words}: ${uncapitalize(NEED_ROWS[need].advice)}`;
  const why = recoveryCase?.reasons[0];
  if (!recoveryCase || why === undefined)
    return 'No action is scheduled; the retry service may ask for more.';
  if (recoveryCase.state === 'closed') return `Nothing is scheduled: ${uncapitalize(why)}`;
  const { reviewAt } = recoveryCase;
  const again = reviewAt === null ? '' : `; the retry service decides again by ${exactMoment(reviewAt)}`;
  return `${why.replace(/\.$/, '')}${again}.`;
}

function describeScheduled(
  { kind, dueAt, reason, requestId }: HistoryAction,
  history: InvoiceHistory,
): string {
  const last = Math.max(0, ...history.attempts.map(({ attemptNumber }) => attemptNumber ?? 0));
  const what = kind === 'pay' ? `Retry ${last + 1}` : `An ${describeAction(kind)}`;
  const plan = history.listed.find((listed) => requestId !== null && listed.requestId === requestId);
  const [planned] = plan ? listedReasons(plan) : [];
  const why = reason ? beginSentence(describeReason(reason)) : planned;
  return `${beginSentence(what)} is scheduled for ${exactMoment(dueAt)}${why === undefined ? '' : `. ${why}`}.`;
}

/** The charge that was paid, and when; undefined where none is known. */
export function findPaid({ attempts }: InvoiceHistory): { who: string; at: string } | undefined {
  const paid = attempts.findLast(({ outcome }) => outcome === 'paid');
  const who = paid?.source === 'ours' ? `retry ${paid.attemptNumber}` : 'Stripe’s charge';
  return paid && { who, at: exactMoment(paid.startedAt) };
}

function describePayment(history: InvoiceHistory): string {
  const paid = findPaid(history);
  const dispute = history.disputes.find(({ closedAt }) => closedAt === null);
  return [
    paid ? `${paid.who} was paid on ${paid.at}` : 'it was paid without a charge through Stripe',
    ...(dispute ? [`and the dispute of ${exactMoment(dispute.openedAt)} needs your response in Stripe`] : []),
  ].join(', ');
}

/** An invoice's status at the end of its history: the payer, or the next step and the obstacles to others. Pure. */

import { describeAction } from '../../actions/action-kinds.ts';
import type { Reason } from '../../reasons/reason.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import type { HistoryTakeover, InvoiceHistory } from '../../store/reports/invoice-history.ts';
import type { KeptCase } from '../../store/reports/kept-cases.ts';
import { isHeld } from '../../store/tables/retry/holds.ts';
import { resumeCommand } from '../operations/switch-effects.ts';
import { money } from './describe-code.ts';
import { findPaid } from './describe-next-step.ts';
import { describePause } from './describe-pauses.ts';
import { describeReason } from './describe-reason.ts';
import { exactMoment } from './exact-moment.ts';
import { lineOf, listTimeline } from './list-timeline.ts';

interface SummaryLine {
  /** `next`, `held`, `the service` and others. */
  readonly about: string;
  readonly text: string;
}

/** The whole history for a terminal, oldest first. */
export function describeHistory(id: string, history: InvoiceHistory): string {
  const { invoice } = history;
  const lines = listTimeline([{ id, history }])
    .reverse()
    .map((entry) => `  ${exactMoment(entry.at)}  ${lineOf(entry)}`);
  const whose = invoice && invoice.account !== OWN_ACCOUNT ? ` of ${invoice.account}` : '';
  const first = `${id}${whose}: ${formatState(invoice)}${idsOf(invoice)}`;
  return [first, ...lines, ...describeSummary(id, history)].join('\n');
}

export function formatState(invoice: InvoiceHistory['invoice']): string {
  return invoice
    ? `${invoice.status}, ${money(invoice.amountRemaining, invoice.currency)} remaining`
    : 'Stripe has sent no event about it';
}

function idsOf(invoice: InvoiceHistory['invoice']): string {
  if (!invoice) return '';
  const subscription = invoice.subscriptionId === null ? '' : `, subscription ${invoice.subscriptionId}`;
  return ` (customer ${invoice.customerId}${subscription})`;
}

export function describeSummary(id: string, history: InvoiceHistory): string[] {
  return listSummary(id, history).map(({ about, text }) => `${about}: ${text}`);
}

export function listSummary(id: string, history: InvoiceHistory): SummaryLine[] {
  const { invoice } = history;
  if (invoice?.status === 'paid') {
    const { who, at } = findPaid(history) ?? {};
    const text = who === undefined ? 'no charge through Stripe is known' : `${who}, ${at}`;
    return [{ about: 'paid by', text }];
  }
  if (invoice && !isOwed(history)) return [{ about: 'over', text: `the invoice is ${invoice.status}` }];
  const planned = history.actions
    .filter(({ closedAt, state }) => closedAt === null && (state === 'scheduled' || state === 'running'))
    .map((action) => `${describeAction(action.kind)} at ${exactMoment(action.dueAt)}${whyWaiting(action)}`);
  const word = findLatestCase(history);
  const nothing = `no action scheduled${word?.state === 'closed' ? '' : '; the service may ask for one'}`;
  const service = word && isSpent(word, history) ? 'earlier plan of the service' : 'the service';
  return Object.entries({
    held: [...describeObstacles(id, history), ...describeUndecided(id, history)],
    [service]: word ? [describeServiceSide(word)] : [],
    next: planned.length > 0 ? planned : [nothing],
    'Stripe itself': describeStripeSide(history),
  }).flatMap(([about, texts]) => texts.map((text) => ({ about, text })));
}

export function isOwed({ invoice }: InvoiceHistory): boolean {
  return invoice === undefined || invoice.status === 'open' || invoice.status === 'uncollectible';
}

/** The embedded service's latest case while there is anything to decide: an ended one is obsolete. */
export function findLatestCase(history: InvoiceHistory): KeptCase | undefined {
  return isOwed(history) ? history.recoveryCase : undefined;
}

/** Something was tried or sent since it was decided: its reasons are those of a plan that is over. */
function isSpent({ updatedAt, state }: KeptCase, { attempts, emails }: InvoiceHistory): boolean {
  const times = [...attempts.map(({ startedAt }) => startedAt), ...emails.map(({ createdAt }) => createdAt)];
  return state === 'open' && times.some((at) => at > updatedAt);
}

function describeServiceSide(kept: KeptCase): string {
  const { state, reason, reasons, reviewAt, isOnStaticSchedule, updatedAt } = kept;
  const why = reasons.length > 0 ? reasons.join(' ') : `${reason.replaceAll('_', ' ')}.`;
  const notes = [
    `decided ${exactMoment(updatedAt)}`,
    ...(state === 'closed' ? ['asks for no more'] : []),
    ...(reviewAt === null ? [] : [`looks again by ${exactMoment(reviewAt)}`]),
    ...(isOnStaticSchedule ? ['on the static schedule, for comparison'] : []),
  ];
  return `${why} (${notes.join('; ')})`;
}

/** Put off, it has the reason of that. */
function whyWaiting({ reason }: { reason: Reason | null }): string {
  return reason === null ? '' : ` (${describeReason(reason)})`;
}

/** Reasons why the service's requests are not carried out. */
function describeObstacles(id: string, { hold, pause, instructions, invoice }: InvoiceHistory): string[] {
  const last = instructions.findLast(({ type, state }) => type === 'stop' || state === 'scheduled');
  return [
    ...(pause ? [`held: ${describePause(pause)}; \`${resumeCommand(pause)}\` ends that`] : []),
    ...(isHeld(hold)
      ? [
          `a person stopped it (${hold?.reason ?? ''}); \`invoices release ${id}\` lets the next instruction be followed`,
        ]
      : []),
    ...(last?.type === 'stop' ? ['the service last asked to stop'] : []),
    ...(invoice?.status === 'uncollectible'
      ? [
          `it is marked uncollectible in Stripe; unless only Stripe's attempts ran out, nothing is done before \`invoices release ${id}\``,
        ]
      : []),
  ];
}

function describeUndecided(id: string, { actions }: InvoiceHistory): string[] {
  return actions
    .filter(({ state }) => state === 'undecided')
    .map(
      ({ kind, reason }) =>
        `${describeAction(kind)} needs a decision: ${reason ? describeReason(reason) : ''}; \`invoices release ${id}\` lets it happen`,
    );
}

function describeStripeSide({ invoice, takeover }: InvoiceHistory): string[] {
  if (takeover && takeover.handedBackAt === null)
    return [
      `switched off since ${exactMoment(takeover.takenOverAt)} (exclusive mode)`,
      ...(takeover.isWatched ? [describeSignal(takeover)] : []),
    ];
  const next = invoice?.nextAttemptAt ?? null;
  return next === null ? [] : [`means to try at ${exactMoment(next)}`];
}

function describeSignal({ action, because }: HistoryTakeover): string {
  if (action === null) return 'its retry signal watches the payment, and has said nothing yet';
  return describeReason({ code: 'signal_says', action, because: because ?? '' });
}

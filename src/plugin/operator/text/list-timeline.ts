/** The timeline of one or several invoices in plain words, newest first: a request, its attempt and the answer are one entry. Pure. */
import { DateTime } from 'luxon';
import { beginSentence, capitalize } from '../../../core/base/sentence-case.ts';
import { describeAction, describeSuggestion } from '../../actions/action-kinds.ts';
import { readReason } from '../../reasons/reason.ts';
import type {
  HistoryAction,
  HistoryAttempt,
  HistoryDispute,
  HistoryEmail,
  HistoryInstruction,
  HistoryListed,
  InvoiceHistory,
} from '../../store/reports/invoice-history.ts';
import type { StoredAuditEntry } from '../../store/tables/audit.ts';
import { describeAuditKind, ENDS_SHOWN_ELSEWHERE, isShownOtherwise } from './describe-actions.ts';
import { type TimelineEntry, toAttempt } from './describe-attempt.ts';
import { money } from './describe-code.ts';
import { describeListed, listedReasons } from './describe-listed.ts';
import { describeReason } from './describe-reason.ts';
import { describeEmail, describeEmailState } from './describe-state.ts';
import { exactMoment } from './exact-moment.ts';
import type { Tone } from './text-table.ts';

/** Things of one instant, the consequence last. */
const ORDER: readonly TimelineEntry['kind'][] = ['charge', 'refund', 'decision', 'email', 'dispute'];

/** An email about several of the invoices is one entry. */
export function listTimeline(
  of: readonly { readonly id: string; readonly history: InvoiceHistory }[],
): TimelineEntry[] {
  const emails = new Set<string>();
  return of
    .flatMap(({ id, history }) =>
      listEntries(history).map((entry) => (entry.invoices.length > 0 ? entry : { ...entry, invoices: [id] })),
    )
    .filter(({ emailId }) => emailId === undefined || (!emails.has(emailId) && emails.add(emailId)))
    .reverse()
    .sort((a, b) => b.at.toMillis() - a.at.toMillis() || ORDER.indexOf(b.kind) - ORDER.indexOf(a.kind));
}

/** `7 retries, 1 email`: charges of ours, and emails that were sent. */
export function countTimeline(entries: readonly TimelineEntry[]): string {
  const retries = entries.filter(({ title }) => title.startsWith('Retry ')).length;
  const emails = entries.filter(({ kind, tone }) => kind === 'email' && tone === 'info').length;
  return `${retries || 'no'} ${retries === 1 ? 'retry' : 'retries'}, ${emails || 'no'} ${emails === 1 ? 'email' : 'emails'}`;
}

/** A title with its reason, and codes and ids in parentheses. */
export function lineOf({ title, text, details }: TimelineEntry): string {
  return [text === '' ? title : `${title}. ${text}`, ...details.map((detail) => `(${detail})`)].join(' ');
}

function listEntries(history: InvoiceHistory): TimelineEntry[] {
  const { actions, attempts, emails, instructions, listed, disputes } = history;
  const audit = history.audit.filter(({ kind }) => !isShownOtherwise(kind));
  const used = new Set<object>();
  const ofActions = actions.flatMap((action) => {
    const asked = instructions.find(({ requestId }) => requestId === action.requestId);
    const plan = listed.find(({ requestId }) => requestId !== null && requestId === action.requestId);
    const notes = audit.filter(({ detail }) => detail.actionId === action.id);
    const origin = { action, asked, plan, notes };
    const rows = [
      ...attempts.filter(({ actionId }) => actionId === action.id),
      ...emails.filter(({ id }) => id === action.id),
    ];
    const done = rows.map((row) =>
      'template' in row ? toEmail(row, origin) : toAttempt(row, describeOrigin(origin)),
    );
    const shown =
      done.length > 0 ? done : [...notes.filter(isEnd).map(toDecision), ...toEnd(origin)].slice(0, 1);
    if (shown.length === 0) return [];
    for (const row of [asked, plan, ...notes, ...rows]) if (row) used.add(row);
    return shown.map((entry) => ({ ...entry, details: [...entry.details, ...toDetails(origin, entry)] }));
  });
  const others = <Row extends object>(rows: readonly Row[], to: (row: Row) => TimelineEntry) =>
    rows.filter((row) => !used.has(row)).map(to);
  const isUnasked = ({ requestId }: HistoryListed) =>
    requestId === null || !instructions.some((asked) => asked.requestId === requestId);
  return [
    ...ofActions,
    ...others(attempts, (attempt) => toAttempt(attempt, undefined)),
    ...others(emails, (email) => toEmail(email)),
    ...others(audit, toDecision),
    ...others(instructions, (asked) => toInstruction(asked, history)),
    ...others(listed.filter(isUnasked), toListed),
    ...attempts.flatMap(toRefund),
    ...disputes.flatMap((dispute) => toDispute(dispute, history)),
  ];
}

/** Rows behind a charge or an email. */
interface Origin {
  readonly action: HistoryAction;
  readonly asked: HistoryInstruction | undefined;
  readonly plan: HistoryListed | undefined;
  readonly notes: readonly StoredAuditEntry[];
}

/** Not done, or done in observe mode alone. */
const isEnd = ({ kind }: StoredAuditEntry) =>
  !/\.(postponed|delayed|asked|unknown|retried|emailed)$/.test(kind);

function toDetails({ asked, plan, notes }: Origin, { record }: TimelineEntry): string[] {
  return [
    ...(asked ? [`request ${asked.requestId}`] : []),
    ...(plan ? [...listedReasons(plan).slice(1), `action ${plan.id}: ${describeListed(plan)}`] : []),
    ...notes
      .filter((note) => note !== record)
      .map((note) => `${exactMoment(note.at)}: ${lineOf({ ...toDecision(note), details: [] })}`),
  ];
}

/** `Planned 3 Apr. Likely payday: every Monday`, or who else wanted it. */
function describeOrigin({ action: { cause }, asked, plan, notes }: Origin): string {
  if (cause === 'backup') return 'With another saved card (BACKUP_METHODS)';
  if (cause === 'link_renewal') return 'Asked by the customer, whose link had expired';
  if (cause === 'operator') {
    const { by = 'a person', note } = notes.find(({ detail }) => typeof detail.by === 'string')?.detail ?? {};
    return `Asked by ${by}${typeof note === 'string' ? `: ${note}` : ''}`;
  }
  if (!asked) return cause === 'card_change' ? 'With the customer’s new card' : '';
  const [why] = plan ? listedReasons(plan) : [];
  const reason = why === undefined ? ` by ${nameSource(asked)}` : `. ${why}`;
  return `Planned ${exactMoment(asked.receivedAt)}${reason}`;
}

/** Names by the source of an instruction; another source has its own name. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ['callback', 'the service'],
  ['listing', 'the service in its listing'],
  ['signal', 'Stripe’s signal'],
]);
const nameSource = ({ source }: HistoryInstruction) => SOURCES.get(source) ?? source;

function toEmail(record: HistoryEmail, origin?: Origin): TimelineEntry {
  const { id, createdAt, named, template, recipient, state, detail } = record;
  const isSent = state === 'sent';
  const to = `To ${recipient}${isSent || !detail ? '' : ` (${detail})`}`;
  return {
    ...{ at: createdAt, kind: 'email', tone: isSent ? 'info' : 'warn' },
    title: `Email ${describeEmailState(state)}: ${capitalize(describeEmail(template))}`,
    text: [to, origin && describeOrigin(origin)].filter(Boolean).join('. '),
    ...{ details: [], invoices: named, emailId: id, record },
  };
}

function decision(at: DateTime, title: string, record: object, text = ''): TimelineEntry {
  const rest = { details: [], invoices: [], record };
  return { at, kind: 'decision', tone: 'soft', title: capitalize(title), text, ...rest };
}

function toDecision(record: StoredAuditEntry): TimelineEntry {
  const { by, until, repeatedAt, reason, note, guard } = record.detail;
  const said = reason === undefined ? note : beginSentence(describeReason(readReason(reason)));
  const moment = (word: string, iso: unknown) =>
    typeof iso === 'string' ? `${word} ${exactMoment(DateTime.fromISO(iso))}` : '';
  const title = `${describeAuditKind(record.kind)}${typeof by === 'string' ? ` by ${by}` : ''}`;
  const text = [moment('To', until), said, moment('Asked again', repeatedAt)].filter(Boolean).join('. ');
  const details = typeof guard === 'string' ? [`guard ${guard}`] : [];
  return { ...decision(record.at, title, record, text), details };
}

function toEnd({ action, notes }: Origin): TimelineEntry[] {
  const { kind, state, closedAt, reason } = action;
  const isShown = notes.some(isEnd) || (reason !== null && ENDS_SHOWN_ELSEWHERE.has(reason.code));
  if (closedAt === null || state === 'done' || isShown) return [];
  const why = reason ? beginSentence(describeReason(reason)) : '';
  return [decision(closedAt, `${describeAction(kind)} not made`, action, why)];
}

const STATES: ReadonlyMap<string, string> = new Map([
  ['received', 'Not planned yet'],
  ['no_action', 'Not followed'],
  ['scheduled', 'Planned'],
]);

function toInstruction(record: HistoryInstruction, { invoice }: InvoiceHistory): TimelineEntry {
  const { requestId, type, suggestion, idealRetryAt, state, reason, subscriptionId } = record;
  const asked = suggestion === null ? type : describeSuggestion(suggestion);
  const when = idealRetryAt ? ` at ${exactMoment(idealRetryAt)}` : '';
  const became = `${STATES.get(state) ?? capitalize(state)}${reason ? `: ${describeReason(reason)}` : ''}`;
  const own = invoice?.subscriptionId;
  // The invoice's own subscription counts. Another name is an error on the service's side.
  const isOther = subscriptionId && own && subscriptionId !== own;
  const other = isOther ? `; it names ${subscriptionId}, but the invoice belongs to ${own}` : '';
  const title = `${nameSource(record)} asked: ${asked}${when}`;
  const entry = decision(record.receivedAt, title, record, became + other);
  return { ...entry, details: [`request ${requestId}`], isPlan: state === 'scheduled' };
}

function toListed(record: HistoryListed): TimelineEntry {
  const { id, createdAt, firstSeenAt } = record;
  const title = `Listed by the service: ${describeListed(record)}`;
  const details = [...listedReasons(record), `action ${id}`];
  return { ...decision(createdAt ?? firstSeenAt, title, record), details };
}

function toRefund(record: HistoryAttempt): TimelineEntry[] {
  const { refunded, refundedAt, currency, chargeId } = record;
  if (refunded === 0 || refundedAt === null || currency === null) return [];
  const entry = decision(refundedAt, `Refunded ${money(refunded, currency)}`, record);
  return [{ ...entry, details: [`charge ${chargeId}`], kind: 'refund', tone: 'warn' }];
}

function toDispute(record: HistoryDispute, { invoice }: InvoiceHistory): TimelineEntry[] {
  const { id, reason, status, amount, openedAt, closedAt } = record;
  const sum = invoice && money(amount, invoice.currency);
  const entry = (at: DateTime, tone: Tone, title: string, text: string): TimelineEntry => ({
    ...decision(at, title, record, text),
    ...{ details: [`dispute ${id}`], kind: 'dispute', tone, amount: sum },
  });
  const opened = 'Counts as recovered unless the dispute is lost';
  const [why, end] = [reason, status].map((code) => code.replaceAll('_', ' '));
  return [
    entry(openedAt, 'warn', `Dispute opened: ${why}`, [sum, opened].filter(Boolean).join('. ')),
    ...(closedAt
      ? [entry(closedAt, status === 'won' ? 'good' : 'bad', `Dispute ended: ${end}`, sum ?? '')]
      : []),
  ];
}

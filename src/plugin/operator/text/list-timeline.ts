/** The timeline of one or several invoices in plain words, newest first: a request, its attempt and the answer are one entry. Pure. */
import { DateTime } from 'luxon';
import { beginSentence, capitalize, uncapitalize } from '../../../core/base/sentence-case.ts';
import { isUnchargedAttempt } from '../../../core/contract/failed-transaction.ts';
import { classifyDecline, type DeclineClass } from '../../../core/declines/decline-classes.ts';
import { describeAction, describeSuggestion } from '../../actions/action-kinds.ts';
import { methodName } from '../../mails/format-card.ts';
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
import { describeCode, money } from './describe-code.ts';
import { describeListed, listedReasons } from './describe-listed.ts';
import { describeReason } from './describe-reason.ts';
import { describeEmail, describeEmailState } from './describe-state.ts';
import { exactMoment } from './exact-moment.ts';
import type { Tone } from './text-table.ts';

export interface TimelineEntry {
  readonly at: DateTime;
  readonly kind: 'charge' | 'email' | 'dispute' | 'refund' | 'decision';
  readonly tone: Tone;
  /** `Retry 7 declined: insufficient funds`. */
  readonly title: string;
  /** Reason or origin, a sentence without its period; may be empty. */
  readonly text: string;
  /** Codes, ids and notes. */
  readonly details: readonly string[];
  readonly invoices: readonly string[];
  /** `$29.00`. */
  readonly amount?: string | undefined;
  /** An email's own page. */
  readonly emailId?: string;
  /** A request without a consequence yet: the next step shows it. */
  readonly isPlan?: true;
  /** The row it is generated from. */
  readonly record: object;
}

type Entry = Omit<TimelineEntry, 'invoices'> & { readonly invoices?: readonly string[] };

/** Things of one instant, the consequence last. */
const ORDER: readonly TimelineEntry['kind'][] = ['decision', 'charge', 'refund', 'email', 'dispute'];

/** An email about several of the invoices is one entry. */
export function listTimeline(
  of: readonly { readonly id: string; readonly history: InvoiceHistory }[],
): TimelineEntry[] {
  const entries = of.flatMap(({ id, history }) =>
    listEntries(history).map((entry): TimelineEntry => ({ invoices: [id], ...entry })),
  );
  const emails = new Set<string>();
  const isNew = ({ emailId }: TimelineEntry) =>
    emailId === undefined || (!emails.has(emailId) && emails.add(emailId));
  return entries
    .filter(isNew)
    .sort((a, b) => b.at.toMillis() - a.at.toMillis() || ORDER.indexOf(b.kind) - ORDER.indexOf(a.kind));
}

/** `7 retries, 1 email`: charges of ours, and emails that were sent. */
export function countTimeline(entries: readonly TimelineEntry[]): string {
  const retries = entries.filter(({ title }) => title.startsWith('Retry ')).length;
  const emails = entries.filter(({ kind, tone }) => kind === 'email' && tone === 'info').length;
  const counted = (count: number, one: string, many: string) =>
    `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`;
  return `${counted(retries, 'retry', 'retries')}, ${counted(emails, 'email', 'emails')}`;
}

/** A title with its reason, and what is behind it in parentheses. */
export function lineOf({ title, text, details }: TimelineEntry): string {
  return [text === '' ? title : `${title}. ${text}`, ...details.map((detail) => `(${detail})`)].join(' ');
}

function listEntries(history: InvoiceHistory): Entry[] {
  const { actions, attempts, emails, instructions, listed, disputes } = history;
  const audit = history.audit.filter(({ kind }) => !isShownOtherwise(kind));
  const used = new Set<object>();
  const take = <Row extends object>(rows: readonly Row[], isOf: (row: Row) => boolean): Row[] => {
    const taken = rows.filter((row) => !used.has(row) && isOf(row));
    for (const row of taken) used.add(row);
    return taken;
  };
  const ofActions = actions.flatMap((action): Entry[] => {
    const asked = instructions.find(({ requestId }) => requestId === action.requestId);
    const plan = listed.find(({ requestId }) => requestId !== null && requestId === action.requestId);
    const notes = audit.filter(({ detail }) => detail.actionId === action.id);
    const origin = { action, asked, plan, notes };
    const heads = [
      ...take(attempts, ({ actionId }) => actionId === action.id).map((attempt) =>
        toAttempt(attempt, origin),
      ),
      ...take(emails, ({ id }) => id === action.id).map((email) => toEmail(email, history, origin)),
    ];
    const shown =
      heads.length > 0 ? heads : [...notes.filter(isEnd).map(toDecision), ...toEnd(origin)].slice(0, 1);
    if (shown.length === 0) return [];
    for (const row of [asked, plan, ...notes]) if (row) used.add(row);
    return shown.map((entry) => ({ ...entry, details: [...entry.details, ...toDetails(origin, entry)] }));
  });
  return [
    ...ofActions,
    ...take(attempts, () => true).map((attempt) => toAttempt(attempt)),
    ...take(emails, () => true).map((email) => toEmail(email, history)),
    ...take(audit, () => true).map(toDecision),
    ...take(instructions, () => true).map((asked) => toInstruction(asked, history)),
    ...take(listed, ({ requestId }) => !instructions.some((asked) => asked.requestId === requestId)).map(
      toListed,
    ),
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

function toDetails({ asked, plan, notes }: Origin, { record }: Entry): string[] {
  return [
    ...(asked ? [`request ${asked.requestId}`] : []),
    ...(plan ? [...listedReasons(plan).slice(1), `action ${plan.id}: ${describeListed(plan)}`] : []),
    ...notes.filter((note) => note !== record).map((note) => lineOfNote(toDecision(note))),
  ];
}

const lineOfNote = ({ at, title, text }: Entry) =>
  `${exactMoment(at)}: ${text === '' ? title : `${title}. ${text}`}`;

/** `Planned 3 Apr: likely payday, every Monday`, or who else wanted it. */
function describeOrigin({ action, asked, plan, notes }: Origin): string {
  const { cause } = action;
  if (cause === 'backup') return 'With another saved card (BACKUP_METHODS)';
  if (cause === 'link_renewal') return 'Asked by the customer, whose link had expired';
  if (cause === 'operator') {
    const { by, note } = notes.find(({ detail }) => typeof detail.by === 'string')?.detail ?? {};
    return [`Asked by ${by ?? 'a person'}`, ...(typeof note === 'string' ? [note] : [])].join(': ');
  }
  if (!asked) return cause === 'card_change' ? 'With the customer’s new card' : '';
  const [why] = plan ? listedReasons(plan) : [];
  const reason = why === undefined ? ` ${askedBy(asked)}` : `: ${uncapitalize(why)}`;
  return `Planned ${exactMoment(asked.receivedAt)}${reason}`;
}

/** Names by the source of an instruction; another source has its own name. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ['callback', 'the service'],
  ['listing', 'the service in its listing'],
  ['signal', 'Stripe’s signal'],
]);
const nameSource = ({ source }: HistoryInstruction) => SOURCES.get(source) ?? source;
const askedBy = (asked: HistoryInstruction) => `by ${nameSource(asked)}`;

const OUTCOMES: ReadonlyMap<string, readonly [words: string, tone: Tone]> = new Map([
  ['paid', ['paid', 'good']],
  ['requires_action', ['needs the customer’s confirmation', 'warn']],
  ['pending', ['submitted: the bank answers within days', 'info']],
  ['not_payable', ['not made: nothing to charge', 'soft']],
  ['not_executed', ['never reached Stripe', 'soft']],
]);

const CLASSES: Readonly<Record<DeclineClass, string>> = {
  retryable: 'a later attempt may succeed',
  wait: 'wait before another attempt',
  needs_new_card: 'another card is needed',
  needs_customer: 'the customer must act',
  never: 'no automatic attempt at all',
};

function toAttempt(record: HistoryAttempt, origin?: Origin): Entry {
  const { startedAt, source, attemptNumber, amount, currency, brand, methodType, outcome, calls } = record;
  const isOurs = source === 'ours';
  const verdict =
    outcome === 'declined' || outcome === 'requires_action' ? classifyDecline(record) : undefined;
  const stripes = isUnchargedAttempt(record.chargeId)
    ? 'Attempt by Stripe without a charge'
    : 'Charged by Stripe';
  const why = verdict
    ? undefined
    : (record.detail ?? (record.code === null ? undefined : describeCode(record.code)));
  const sum = amount === null || currency === null ? undefined : money(amount, currency);
  const charged = [sum, methodName(brand, methodType)].filter((part) => part !== undefined).join(', ');
  return {
    at: startedAt,
    kind: 'charge',
    tone: OUTCOMES.get(outcome ?? '')?.[1] ?? 'soft',
    title: `${isOurs ? `Retry ${attemptNumber ?? '?'}` : 'Payment'} ${describeOutcome(record, isOurs)}`,
    text: [isOurs ? origin && describeOrigin(origin) : stripes, outcome === 'paid' ? '' : why]
      .filter(Boolean)
      .join('. '),
    amount: sum,
    details: [
      ...(charged === '' ? [] : [charged]),
      ...(calls > 1 ? [`${calls} calls under one key`] : []),
      ...(verdict ? [CLASSES[verdict.class], codesOf(record, verdict.class)] : []),
    ],
    record: { ...record, class: verdict?.class ?? null },
  };
}

/** The words of some codes begin with the result themselves. */
function describeOutcome({ outcome, declineCode, code }: HistoryAttempt, isOurs: boolean): string {
  if (outcome !== 'declined')
    return OUTCOMES.get(outcome ?? '')?.[0] ?? outcome ?? 'without a known outcome yet';
  const known = declineCode ?? code;
  const words = known === null ? '' : describeCode(known);
  const result = isOurs ? 'declined' : 'failed';
  if (words.startsWith('declined')) return words;
  return words === '' ? result : `${result}: ${words}`;
}

/** Codes of Stripe and the network, and our reading of them. */
function codesOf(attempt: HistoryAttempt, verdict: DeclineClass): string {
  const codes = [
    ['code', attempt.code],
    ['decline code', attempt.declineCode],
    ['advice', attempt.adviceCode],
    ['network code', attempt.networkCode],
    ['network advice', attempt.networkAdvice],
    ['class', verdict],
  ].flatMap(([name, value]) => (value ? [`${name} ${value}`] : []));
  return codes.join(', ');
}

function toEmail(record: HistoryEmail, { actions }: InvoiceHistory, origin?: Origin): Entry {
  const { id, createdAt, template, recipient, state, detail } = record;
  const says = capitalize(describeEmail(template));
  const by = origin && actions.includes(origin.action) ? describeOrigin(origin) : '';
  const isSent = state === 'sent';
  const to = isSent || !detail ? `To ${recipient}` : `To ${recipient} (${detail})`;
  return {
    at: createdAt,
    kind: 'email',
    tone: isSent ? 'info' : 'warn',
    title: isSent ? `Email sent: ${says}` : `Email ${describeEmailState(state)}: ${says}`,
    text: [to, by].filter(Boolean).join('. '),
    details: [],
    ...(record.named.length > 0 && { invoices: record.named }),
    emailId: id,
    record,
  };
}

function toDecision(record: StoredAuditEntry): Entry {
  const { at, kind, detail } = record;
  const { by, until, repeatedAt, reason, note, guard } = detail;
  const said = reason === undefined ? note : beginSentence(describeReason(readReason(reason)));
  const moment = (word: string, iso: unknown) =>
    typeof iso === 'string' ? [`${word} ${exactMoment(DateTime.fromISO(iso))}`] : [];
  return {
    at,
    kind: 'decision',
    tone: 'soft',
    title: [capitalize(describeAuditKind(kind)), ...(typeof by === 'string' ? [`by ${by}`] : [])].join(' '),
    text: [
      ...moment('To', until),
      ...(typeof said === 'string' ? [said] : []),
      ...moment('Asked again', repeatedAt),
    ].join('. '),
    details: typeof guard === 'string' ? [`guard ${guard}`] : [],
    record,
  };
}

function toEnd({ action, notes }: Origin): Entry[] {
  const { kind, state, closedAt, reason } = action;
  const isShown = notes.some(isEnd) || (reason !== null && ENDS_SHOWN_ELSEWHERE.has(reason.code));
  if (closedAt === null || state === 'done' || isShown) return [];
  const title = `${capitalize(describeAction(kind))} not made`;
  const text = reason ? beginSentence(describeReason(reason)) : '';
  return [{ at: closedAt, kind: 'decision', tone: 'soft', title, text, details: [], record: action }];
}

const STATES: ReadonlyMap<string, string> = new Map([
  ['received', 'Not planned yet'],
  ['no_action', 'Not followed'],
  ['scheduled', 'Planned'],
]);

function toInstruction(record: HistoryInstruction, { invoice }: InvoiceHistory): Entry {
  const { requestId, type, suggestion, idealRetryAt, state, reason, subscriptionId } = record;
  const asked = suggestion === null ? type : describeSuggestion(suggestion);
  const why = reason ? `: ${describeReason(reason)}` : '';
  const own = invoice?.subscriptionId;
  // The invoice's own subscription counts. Another name is an error on the service's side.
  const isOther = subscriptionId && own && subscriptionId !== own;
  return {
    at: record.receivedAt,
    kind: 'decision',
    tone: 'soft',
    title: `${capitalize(nameSource(record))} asked: ${asked}${idealRetryAt ? ` at ${exactMoment(idealRetryAt)}` : ''}`,
    text: [
      `${STATES.get(state) ?? capitalize(state)}${why}`,
      ...(isOther ? [`it names ${subscriptionId}, but the invoice belongs to ${own}`] : []),
    ].join('. '),
    details: [`request ${requestId}`],
    ...(state === 'scheduled' ? { isPlan: true } : {}),
    record,
  };
}

function toListed(record: HistoryListed): Entry {
  const { id, createdAt, firstSeenAt } = record;
  const title = `Listed by the service: ${describeListed(record)}`;
  const details = [...listedReasons(record), `action ${id}`];
  return { at: createdAt ?? firstSeenAt, kind: 'decision', tone: 'soft', title, text: '', details, record };
}

function toRefund(record: HistoryAttempt): Entry[] {
  const { refunded, refundedAt, currency, chargeId } = record;
  if (refunded === 0 || refundedAt === null || currency === null) return [];
  const title = `Refunded ${money(refunded, currency)}`;
  const details = chargeId === null ? [] : [`charge ${chargeId}`];
  return [{ at: refundedAt, kind: 'refund', tone: 'warn', title, text: '', details, record }];
}

function toDispute(record: HistoryDispute, { invoice }: InvoiceHistory): Entry[] {
  const { id, reason, status, amount, openedAt, closedAt } = record;
  const sum = invoice && money(amount, invoice.currency);
  const entry = (at: DateTime, tone: Tone, title: string, text: string): Entry => ({
    ...{ at, kind: 'dispute', tone, title, text, amount: sum, details: [`dispute ${id}`], record },
  });
  const opened = 'Counts as recovered unless the dispute is lost';
  const ended =
    closedAt &&
    entry(
      closedAt,
      status === 'won' ? 'good' : 'bad',
      `Dispute ended: ${status.replaceAll('_', ' ')}`,
      sum ?? '',
    );
  return [
    entry(
      openedAt,
      'warn',
      `Dispute opened: ${reason.replaceAll('_', ' ')}`,
      [sum, opened].filter(Boolean).join('. '),
    ),
    ...(ended ? [ended] : []),
  ];
}

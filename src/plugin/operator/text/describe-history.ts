/** The history of one invoice in plain words, oldest first. Pure. */
import { DateTime } from 'luxon';
import { isUnchargedAttempt } from '../../../core/contract/failed-transaction.ts';
import { classifyDecline, type DeclineClass } from '../../../core/declines/decline-classes.ts';
import { describeAction, describeSuggestion } from '../../actions/action-kinds.ts';
import { methodName } from '../../mails/format-card.ts';
import { type Reason, readReason } from '../../reasons/reason.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
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
import { describeCause, describeDecision, idsOfCause, isEndShown } from './describe-actions.ts';
import { describeCode, money } from './describe-code.ts';
import { describeListed, instantOf } from './describe-listed.ts';
import { describeReason } from './describe-reason.ts';
import { describeEmail, describeEmailState } from './describe-state.ts';
import { describeSummary } from './describe-summary.ts';
import { exactMoment } from './exact-moment.ts';

export interface HistoryEntry {
  readonly at: DateTime;
  readonly what: 'charge' | 'attempt' | 'instruction' | 'listing' | 'decision' | 'email' | 'dispute' | 'end';
  readonly text: string;
  /** `request r_1`, `decline code lost_card`: for who looks something up. */
  readonly ids?: readonly string[];
  /** The row that it is made from. */
  readonly record: object;
}

/** Things of one instant, in the order in which they follow from each other. */
const ORDER: readonly HistoryEntry['what'][] = [
  'charge',
  'instruction',
  'listing',
  'decision',
  'attempt',
  'email',
  'dispute',
  'end',
];

export function describeHistory(id: string, history: InvoiceHistory): string {
  const { invoice } = history;
  const lines = listHistoryEntries(history).map(
    (entry) => `  ${exactMoment(entry.at)}  ${textWithIds(entry)}`,
  );
  const whose = invoice && invoice.account !== OWN_ACCOUNT ? ` of ${invoice.account}` : '';
  const first = `${id}${whose}: ${formatState(invoice)}${idsOf(invoice)}`;
  return [first, ...lines, ...describeSummary(id, history)].join('\n');
}

export function textWithIds({ text, ids = [] }: Pick<HistoryEntry, 'text' | 'ids'>): string {
  return [text, ...ids.map((id) => `(${id})`)].join(' ');
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

/** Ends that another entry shows are left out; `listHistoryLines` has them all. */
export function listHistoryEntries(history: InvoiceHistory): HistoryEntry[] {
  const shown = new Set<object>(history.actions.filter((action) => isEndShown(action, history)));
  return listHistoryLines(history).filter(({ what, record }) => what !== 'end' || !shown.has(record));
}

export function listHistoryLines(history: InvoiceHistory): HistoryEntry[] {
  const entries = [
    ...history.instructions.map((record) => toInstructionEntry(record, history)),
    ...history.listed.map(toListedEntry),
    ...history.audit.filter(({ kind }) => !SHOWN_ELSEWHERE.test(kind)).map(toDecisionEntry),
    ...history.attempts.map((attempt) => toAttemptEntry(attempt, history)),
    ...history.emails.map((email) => toEmailEntry(email, history)),
    ...history.disputes.flatMap((dispute) => toDisputeEntries(dispute, history)),
    ...history.actions.flatMap(toEndEntries),
  ];
  return entries.sort(
    (a, b) => a.at.toMillis() - b.at.toMillis() || ORDER.indexOf(a.what) - ORDER.indexOf(b.what),
  );
}

const INSTRUCTION_STATES: ReadonlyMap<string, string> = new Map([
  ['received', 'not planned yet'],
  ['no_action', 'not followed'],
]);

/** Names by the source of an instruction; another source has its own name. */
const ASKED_BY: ReadonlyMap<string, string> = new Map([
  ['callback', 'the service asked'],
  ['listing', 'the service asked in its listing'],
  ['signal', "Stripe's signal asked"],
]);

function toInstructionEntry(record: HistoryInstruction, { invoice }: InvoiceHistory): HistoryEntry {
  const { requestId, source, type, suggestion, idealRetryAt, state, reason } = record;
  const asked = suggestion === null ? type : describeSuggestion(suggestion);
  const when = instantOf(' at ', idealRetryAt);
  const became = state === 'scheduled' && reason ? describePlan(reason, idealRetryAt) : stateOf(record);
  const contradiction = describeContradiction(record.subscriptionId, invoice?.subscriptionId);
  const text = `${ASKED_BY.get(source) ?? `${source} asked`}: ${asked}${when}; ${became}${contradiction}`;
  return { at: record.receivedAt, what: 'instruction', text, ids: [`request ${requestId}`], record };
}

/** The invoice's own subscription counts. Another name is an error on the service's side. */
function describeContradiction(named: string | null, own: string | null | undefined): string {
  return !named || !own || named === own ? '' : `; it names ${named}, but the invoice belongs to ${own}`;
}

function stateOf({ state, reason }: HistoryInstruction): string {
  const why = reason ? ` (${describeReason(reason)})` : '';
  return `${INSTRUCTION_STATES.get(state) ?? state}${why}`;
}

/** When it was planned is said only if it is not the time that was asked for. */
function describePlan(reason: Reason, asked: DateTime | null): string {
  if (reason.code !== 'planned') return `planned: ${describeReason(reason)}`;
  const at = DateTime.fromISO(reason.dueAt);
  const moved = at.toMillis() === asked?.toMillis() ? '' : ` at ${exactMoment(at)}`;
  const instead = reason.instead === undefined ? '' : `, as a retry cannot succeed (${reason.instead})`;
  return `planned: ${describeAction(reason.action)}${moved}${instead}`;
}

function toListedEntry(record: HistoryListed): HistoryEntry {
  const { id, createdAt, firstSeenAt } = record;
  const text = `listed by the service: ${describeListed(record)}`;
  return { at: createdAt ?? firstSeenAt, what: 'listing', text, ids: [`action ${id}`], record };
}

/** Rows of these kinds repeat the entries of instructions, attempts and emails. */
const SHOWN_ELSEWHERE =
  /^(instruction\..*|attempt\.(started|paid|declined|requires_action|pending|not_payable|not_executed)|email\.sent|action\.closed)$/;

function toDecisionEntry(record: StoredAuditEntry): HistoryEntry {
  const { at, kind, detail } = record;
  const sentence = describeDecision(kind);
  const text = sentence ? [sentence, ...describeWhy(detail)].join('') : `${kind} ${JSON.stringify(detail)}`;
  const { guard } = detail;
  return { at, what: 'decision', text, ids: typeof guard === 'string' ? [`guard ${guard}`] : [], record };
}

function describeWhy({ by, until, repeatedAt, reason, note }: Record<string, unknown>): string[] {
  const why = reason === undefined ? note : describeReason(readReason(reason));
  return [
    ...(typeof by === 'string' ? [` (${by})`] : []),
    ...describeInstant(' to ', until),
    ...(typeof why === 'string' ? [`: ${why}`] : []),
    ...describeInstant('; asked again at ', repeatedAt),
  ];
}

function describeInstant(word: string, iso: unknown): string[] {
  return typeof iso === 'string' ? [`${word}${exactMoment(DateTime.fromISO(iso))}`] : [];
}

const OUTCOMES: ReadonlyMap<string, string> = new Map([
  ['requires_action', 'the customer must confirm'],
  ['pending', 'submitted; the bank answers within days'],
  ['not_payable', 'no charge was made'],
  ['not_executed', 'never reached Stripe'],
]);

const CLASSES: Readonly<Record<DeclineClass, string>> = {
  retryable: 'a later attempt may succeed',
  wait: 'wait before another attempt',
  needs_new_card: 'another card is needed',
  needs_customer: 'the customer must act',
  never: 'no automatic attempt at all',
};

function toAttemptEntry(record: HistoryAttempt, { actions, instructions }: InvoiceHistory): HistoryEntry {
  const { startedAt, actionId, calls, source, attemptNumber, amount, currency, brand, methodType, outcome } =
    record;
  const stripes = isUnchargedAttempt(record.chargeId)
    ? 'attempt by Stripe without a charge'
    : 'charge by Stripe';
  const who = source === 'ours' ? `attempt ${attemptNumber ?? '?'} of ours` : stripes;
  const sum = amount === null || currency === null ? '' : ` of ${money(amount, currency)}`;
  const method = methodName(brand, methodType);
  const result = outcome === null ? 'outcome not known yet' : (OUTCOMES.get(outcome) ?? outcome);
  const end =
    outcome === 'declined' || outcome === 'requires_action'
      ? describeDecline(record, result)
      : `${result}${reasonOf(record)}`;
  const action = actions.find(({ id }) => id === actionId);
  const repeats = calls > 1 ? ` (${calls} calls under one key)` : '';
  const text = `${who}${sum}${method ? ` with ${method}` : ''}${describeCause(action, instructions)}${repeats}: ${end}`;
  return {
    at: startedAt,
    what: source === 'ours' ? 'attempt' : 'charge',
    text,
    ids: [...idsOfCause(action), ...codesOf(record)],
    record: { ...record, class: classOf(record)?.class ?? null },
  };
}

function reasonOf({ outcome, code, detail }: HistoryAttempt): string {
  const why = detail ?? (code === null ? undefined : describeCode(code));
  return why && outcome !== 'paid' ? ` (${why})` : '';
}

/** The words of some codes begin with the result themselves. */
function describeDecline(attempt: HistoryAttempt, result: string): string {
  const verdict = classOf(attempt);
  if (!verdict) return result;
  const code = attempt.declineCode ?? attempt.code;
  const words = code ? describeCode(code) : result;
  return `${words.startsWith(result) ? words : `${result}, ${words}`}; ${CLASSES[verdict.class]}`;
}

/** Codes of Stripe and the network, and our reading of them: the words are generated from these alone. */
function codesOf(attempt: HistoryAttempt): string[] {
  const verdict = classOf(attempt);
  if (!verdict) return [];
  const codes = [
    ['code', attempt.code],
    ['decline code', attempt.declineCode],
    ['advice', attempt.adviceCode],
    ['network code', attempt.networkCode],
    ['network advice', attempt.networkAdvice],
    ['class', verdict.class],
  ].flatMap(([name, value]) => (value ? [`${name} ${value}`] : []));
  return [codes.join(', ')];
}

function classOf(attempt: HistoryAttempt) {
  if (attempt.outcome !== 'declined' && attempt.outcome !== 'requires_action') return undefined;
  return classifyDecline(attempt);
}

const WAITED_FOR: ReadonlySet<string> = new Set(['operator', 'link_renewal']);

function toEmailEntry(record: HistoryEmail, { actions }: InvoiceHistory): HistoryEntry {
  const { id, createdAt, template, recipient, state, detail } = record;
  const action = actions.find((one) => one.id === id && WAITED_FOR.has(one.cause));
  const what = `email "${describeEmail(template)}" to ${recipient}${describeCause(action)}`;
  const refusal = state !== 'sent' && detail ? ` (${detail})` : '';
  return {
    at: createdAt,
    what: 'email',
    text: `${what}: ${describeEmailState(state)}${refusal}`,
    record,
  };
}

function toDisputeEntries(record: HistoryDispute, { invoice }: InvoiceHistory): HistoryEntry[] {
  const { id, reason, status, amount, openedAt, closedAt } = record;
  const sum = invoice ? ` of ${money(amount, invoice.currency)}` : '';
  const entry = (at: DateTime, text: string) =>
    ({ at, what: 'dispute', text, ids: [`dispute ${id}`], record }) as const;
  return [
    entry(openedAt, `the customer disputed a payment${sum}: ${reason.replaceAll('_', ' ')}`),
    ...(closedAt ? [entry(closedAt, `the dispute${sum} ended: ${status.replaceAll('_', ' ')}`)] : []),
  ];
}

function toEndEntries(record: HistoryAction): HistoryEntry[] {
  const { kind, state, closedAt, reason } = record;
  if (closedAt === null) return [];
  const ended = state === 'done' ? 'done' : 'dropped';
  const text = `planned ${describeAction(kind)} ${ended}: ${reason ? describeReason(reason) : 'no reason is recorded'}`;
  return [{ at: closedAt, what: 'end', text, record }];
}

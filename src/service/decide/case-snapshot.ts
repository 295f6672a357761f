/** Reads the known facts about invoices, and converts them for the policy and the settlement. */
import { DateTime, IANAZone } from 'luxon';
import { findTimeZone } from '../../core/base/time-zones.ts';
import {
  type ExtendedTransaction,
  extendedInvoice,
  extendedSubscription,
  extendedTransaction,
} from '../../core/contract/contract-extensions.ts';
import type { Transaction } from '../../core/database/database.ts';
import type { AttemptLimits } from '../../core/limits/attempt-limits.ts';
import { isSameMethod, type UsedMethod } from '../../core/limits/next-method.ts';
import type { FailedAttempt, HoldoutDraw, PastAttempt, PaymentCase } from '../policy/payment-case.ts';
import {
  type CaseAction,
  type CaseInvoice,
  listCaseActions,
  listCaseInvoices,
  listCaseTransactions,
  listPastAnswers,
  type PastAnswer,
} from '../store/case-facts.ts';
import type { ActionClosure } from '../store/recovery-actions.ts';

export interface CaseSnapshot {
  readonly invoice: CaseInvoice;
  /** Oldest first, without failures with another method than the one that is charged. */
  readonly transactions: readonly ExtendedTransaction[];
  readonly actions: readonly CaseAction[];
  /** Answers to the customer's other invoices, oldest first. */
  readonly past: readonly PastAttempt[];
  /** Only the customer pays it, never an automatic collection. */
  readonly isPaidByCustomer: boolean;
  /** The time zone of the customer's address. */
  readonly zone: string | undefined;
  /** How the merchant has paused collection, if so. */
  readonly pause: PaymentCase['pause'];
}

/** The number that the policy looks at. */
const MAX_PAST = 40;

/** Snapshots of the known invoices, by id. */
export async function readSnapshots(
  tx: Transaction,
  organization: string,
  invoiceIds: readonly string[],
): Promise<Map<string, CaseSnapshot>> {
  const invoices = await listCaseInvoices(tx, organization, invoiceIds);
  const transactions = byInvoice(await listCaseTransactions(tx, organization, invoiceIds));
  const actions = byInvoice(await listCaseActions(tx, organization, invoiceIds));
  const past = byInvoice(await listPastAnswers(tx, organization, { invoiceIds, limit: MAX_PAST }));
  return new Map(
    invoices.map((invoice) => [
      invoice.id,
      {
        invoice,
        transactions: withoutSlips(
          transactions(invoice.id).map(({ message }) => extendedTransaction.parse(JSON.parse(message))),
        ),
        actions: actions(invoice.id),
        past: past(invoice.id).map(toPastAttempt),
        ...readInvoice(invoice),
        pause: readPause(invoice),
      },
    ]),
  );
}

/** Another method says nothing about the one that is charged, and is all that is known where nothing else was tried. */
function withoutSlips(transactions: readonly ExtendedTransaction[]): readonly ExtendedTransaction[] {
  const own = transactions.filter(({ isOtherMethod }) => !isOtherMethod);
  return own.some(isFailure) ? own : transactions;
}

function byInvoice<Row extends { invoiceId: string }>(rows: readonly Row[]): (invoiceId: string) => Row[] {
  const found = new Map<string, Row[]>();
  for (const row of rows) found.set(row.invoiceId, [...(found.get(row.invoiceId) ?? []), row]);
  return (invoiceId) => found.get(invoiceId) ?? [];
}

/** The same once these of its actions have ended so. */
export function applyClosures(snapshot: CaseSnapshot, closures: readonly ActionClosure[]): CaseSnapshot {
  const ends = new Map(closures.map((closure) => [closure.id, closure]));
  const actions = snapshot.actions.map((action) => {
    const end = ends.get(action.id);
    return end ? { ...action, status: end.status, transactionId: end.transactionId ?? null } : action;
  });
  return { ...snapshot, actions };
}

const OUTSTANDING: ReadonlySet<string> = new Set(['PENDING', 'SENT']);

export function findOutstanding({ actions }: CaseSnapshot): CaseAction | undefined {
  return actions.find((action) => OUTSTANDING.has(action.status));
}

export function listFailures({ transactions }: Pick<CaseSnapshot, 'transactions'>): ExtendedTransaction[] {
  return transactions.filter(isFailure);
}

function isFailure({ state }: ExtendedTransaction): boolean {
  return state === 'TRANSACTION_STATE_FAILED';
}

/** The remaining amount in minor units: only this ends a case. A payment may be known before or after the invoice that it changes. */
export function findRemaining({ invoice, transactions }: CaseSnapshot): number {
  const { data } = extendedInvoice.safeParse(JSON.parse(invoice.message));
  if (!data) return listFailures({ transactions }).at(-1)?.amount ?? 0;
  const paid = transactions.filter(({ state }) => state === 'TRANSACTION_STATE_PAID');
  const unpaid = data.amount - paid.reduce((sum, { amount }) => sum + amount, 0);
  return Math.max(0, Math.min(data.amountRemaining ?? unpaid, unpaid));
}

const CLOSING_REASONS = [
  'invoice_paid',
  'invoice_not_unpaid',
  'subscription_canceled',
  'customer_forgotten',
  'sent_to_customer',
] as const;
export type ClosingReason = (typeof CLOSING_REASONS)[number];

export function isClosingReason(reason: string): reason is ClosingReason {
  return CLOSING_REASONS.some((one) => one === reason);
}

/** Why no more may be asked for this invoice, if so. */
export function findClosingReason({ invoice, isPaidByCustomer }: CaseSnapshot): ClosingReason | undefined {
  if (invoice.state === 'INVOICE_STATE_PAID') return 'invoice_paid';
  if (invoice.state !== 'INVOICE_STATE_UNPAID') return 'invoice_not_unpaid';
  if (invoice.subscriptionState === 'SUBSCRIPTION_STATE_CANCELED') return 'subscription_canceled';
  return isPaidByCustomer ? 'sent_to_customer' : undefined;
}

const NOT_GIVEN: ReadonlySet<string> = new Set(['PENDING', 'CANCELED']);

/** Requests that the absent receiver missed, after which it counts as gone. */
const MOST_UNRECEIVED = 3;

/**
 * A request for the customer that nobody received was never made, so it is made again. A retry counts in any case: the
 * caps hold whether or not an answer was lost. One with another method than the next is none of its attempts.
 */
function listGiven({ actions, transactions }: CaseSnapshot): CaseAction[] {
  const failures = listFailures({ transactions });
  const next = failures.at(-1);
  const others = failures.filter((one) => next && !isSameMethod(methodOf(one), methodOf(next)));
  const ofOthers = new Set(others.map(({ id }) => id));
  const isRetry = ({ suggestion }: CaseAction) => suggestion === 'ACTION_SUGGESTION_RETRY';
  const isLost = (action: CaseAction) => action.isUnreceived && !isRetry(action);
  const isHopeless = actions.filter(isLost).length >= MOST_UNRECEIVED;
  return actions
    .filter((action) => !NOT_GIVEN.has(action.status) && (isHopeless || !isLost(action)))
    .filter((action) => !(isRetry(action) && ofOthers.has(action.decidedFor)));
}

export interface CaseSettings {
  readonly defaultTimeZone: string;
  /** The receiver's limits: suggestions stay within them. */
  readonly attemptLimits: AttemptLimits;
  /** Days on which a customer is asked, from the first request on. */
  readonly reminderDays: readonly number[];
}

/** `amount`: what is left to be paid. */
export function toPaymentCase(
  snapshot: CaseSnapshot,
  { defaultTimeZone, attemptLimits, reminderDays }: CaseSettings,
  { amount, draw }: { amount: number; draw: HoldoutDraw | undefined },
): PaymentCase {
  const failures = listFailures(snapshot);
  const latest = failures.at(-1);
  // An attempt without a charge says less of its card than an earlier one may have.
  const known = failures.findLast(
    (one) => one.cardCountry !== undefined && latest && isSameMethod(methodOf(one), methodOf(latest)),
  );
  const country = known?.cardCountry;
  return {
    id: snapshot.invoice.id,
    customerId: snapshot.invoice.customerId,
    subscriptionId: snapshot.invoice.subscriptionId ?? undefined,
    amount,
    currency: snapshot.invoice.currency,
    country,
    zone: snapshot.zone ?? findTimeZone({ country }) ?? defaultTimeZone,
    brand: latest?.cardBrand,
    pause: snapshot.pause,
    limits: { ...attemptLimits, reminderDays },
    draw,
    cardBarredBy: findBarring(snapshot),
    attempts: failures.map(toAttempt),
    past: listPast(snapshot),
    instructions: listGiven(snapshot).map((action) => ({
      suggestion: action.suggestion,
      at: action.idealRetryAt,
      reason: action.reason,
    })),
  };
}

/** Codes of the receiver's rules that end every retry with the card that would be charged. */
const BARRING: ReadonlySet<string> = new Set([
  ...['hard_decline', 'chosen_card_declined', 'few_attempts', 'attempts_on_invoice', 'method_not_chosen'],
  'fraud_reported',
]);

/** The decline that ended a retry since the latest failure. */
function findBarring({ transactions }: CaseSnapshot): string | undefined {
  const last = transactions.at(-1)?.endedReason;
  return last !== undefined && BARRING.has(last) ? last : undefined;
}

function methodOf({ cardFingerprint: fingerprint }: ExtendedTransaction): UsedMethod {
  return { fingerprint };
}

/** Payments of this invoice so far say as much about the card. */
function listPast({ past, transactions }: CaseSnapshot): readonly PastAttempt[] {
  const paid = transactions.filter(({ state }) => state === 'TRANSACTION_STATE_PAID');
  if (paid.length === 0) return past;
  const own = paid.map((payment) => ({ ...toAnswer(payment), isPaid: true }));
  return [...past, ...own].sort((one, other) => one.at.toMillis() - other.at.toMillis());
}

function toAttempt(failure: ExtendedTransaction): FailedAttempt {
  return {
    at: readInstant(failure.createdAt),
    amount: failure.amount,
    code: failure.paymentGatewayErrorCode,
    methodType: failure.paymentMethodType,
    adviceCode: failure.paymentGatewayAdviceCode,
    networkCode: failure.networkDeclineCode,
    networkAdviceCode: failure.networkAdviceCode,
    fingerprint: failure.cardFingerprint,
    expiry: failure.cardExpiry,
    brand: failure.cardBrand,
  };
}

function toAnswer(transaction: ExtendedTransaction): Omit<PastAttempt, 'isPaid'> & FailedAttempt {
  const { id, subscriptionId } = transaction;
  return { ...toAttempt(transaction), id, subscriptionId };
}

/** Its time and result are known without the message. */
function toPastAttempt({ state, createdAt, message }: PastAnswer): PastAttempt {
  const parsed = extendedTransaction.safeParse(JSON.parse(message));
  return {
    ...(parsed.success ? toAnswer(parsed.data) : {}),
    at: createdAt,
    isPaid: state === 'TRANSACTION_STATE_PAID',
  };
}

function readInvoice({ message }: CaseInvoice): Pick<CaseSnapshot, 'isPaidByCustomer' | 'zone'> {
  const { data } = extendedInvoice.safeParse(JSON.parse(message));
  const { collectionMethod = 'charge_automatically', customerTimeZone: zone } = data ?? {};
  return {
    isPaidByCustomer: collectionMethod !== 'charge_automatically',
    zone: zone !== undefined && IANAZone.isValidZone(zone) ? zone : undefined,
  };
}

function readPause({ subscriptionMessage }: CaseInvoice): PaymentCase['pause'] {
  if (subscriptionMessage === null) return undefined;
  const parsed = extendedSubscription.safeParse(JSON.parse(subscriptionMessage));
  if (!parsed.data?.isCollectionPaused) return undefined;
  const { collectionResumesAt } = parsed.data;
  return collectionResumesAt === undefined ? {} : { until: readInstant(collectionResumesAt) };
}

function readInstant(iso: string): DateTime {
  return DateTime.fromISO(iso, { zone: 'utc' });
}

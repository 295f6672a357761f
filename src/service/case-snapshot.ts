/** Reads what is known about one invoice, and turns it into what the policy and the settlement ask for. */
import { DateTime } from 'luxon';
import type { AttemptLimits } from '../attempt-limits.ts';
import {
  type ExtendedTransaction,
  extendedSubscription,
  extendedTransaction,
} from '../contract-extensions.ts';
import type { Transaction } from '../store/database.ts';
import { findTimeZone } from '../time-zones.ts';
import type { FailedAttempt, HoldoutDraw, PaymentCase } from './policy/payment-case.ts';
import {
  type CaseAction,
  type CaseInvoice,
  findCaseInvoice,
  listCaseActions,
  listTransactionMessages,
} from './store/case-facts.ts';
import { listPastAnswers, type PastAnswer } from './store/policy-states.ts';

export interface CaseSnapshot {
  invoice: CaseInvoice;
  /** Oldest first. */
  transactions: readonly ExtendedTransaction[];
  actions: readonly CaseAction[];
  /** Answers to the customer's other invoices, oldest first. */
  past: readonly PastAnswer[];
}

/** As many as the policy looks at. */
const MAX_PAST = 40;

export async function readSnapshot(
  tx: Transaction,
  organization: string,
  invoiceId: string,
): Promise<CaseSnapshot | undefined> {
  const invoice = await findCaseInvoice(tx, organization, invoiceId);
  if (!invoice) return undefined;
  const messages = await listTransactionMessages(tx, organization, invoiceId);
  const transactions = messages.map((message) => extendedTransaction.parse(JSON.parse(message)));
  const actions = await listCaseActions(tx, organization, invoiceId);
  const { customerId } = invoice;
  const past = await listPastAnswers(tx, organization, { customerId, invoiceId, limit: MAX_PAST });
  return { invoice, transactions, actions, past };
}

const OUTSTANDING: ReadonlySet<string> = new Set(['PENDING', 'SENT']);

export function findOutstanding({ actions }: CaseSnapshot): CaseAction | undefined {
  return actions.find((action) => OUTSTANDING.has(action.status));
}

export function listFailures({ transactions }: CaseSnapshot): ExtendedTransaction[] {
  return transactions.filter((transaction) => transaction.state === 'TRANSACTION_STATE_FAILED');
}

const CLOSING_REASONS = {
  invoice_paid: 'The invoice is paid.',
  invoice_not_unpaid: 'The invoice is not owed any more.',
  subscription_canceled: 'The subscription is canceled.',
} as const;
export type ClosingReason = keyof typeof CLOSING_REASONS;

export function closingInWords(reason: ClosingReason): string {
  return CLOSING_REASONS[reason];
}

/** Why no more may be asked for this invoice, if so. */
export function findClosingReason({ invoice }: CaseSnapshot): ClosingReason | undefined {
  if (invoice.state === 'INVOICE_STATE_PAID') return 'invoice_paid';
  if (invoice.state !== 'INVOICE_STATE_UNPAID') return 'invoice_not_unpaid';
  if (invoice.subscriptionState === 'SUBSCRIPTION_STATE_CANCELED') return 'subscription_canceled';
  return undefined;
}

/** How the merchant has paused collection, if so. */
export function findPause({ invoice }: CaseSnapshot): PaymentCase['pause'] {
  if (invoice.subscriptionMessage === null) return undefined;
  const parsed = extendedSubscription.safeParse(JSON.parse(invoice.subscriptionMessage));
  if (!parsed.data?.isCollectionPaused) return undefined;
  const { collectionResumesAt } = parsed.data;
  return collectionResumesAt === undefined ? {} : { until: readInstant(collectionResumesAt) };
}

const NOT_GIVEN: ReadonlySet<string> = new Set(['PENDING', 'CANCELED']);

export interface CaseSettings {
  readonly defaultTimeZone: string;
  /** For a decision; what is learned does not depend on them. */
  readonly attemptLimits?: AttemptLimits;
  readonly draw?: HoldoutDraw | undefined;
}

export function toPaymentCase(
  snapshot: CaseSnapshot,
  { defaultTimeZone, attemptLimits, draw }: CaseSettings,
): PaymentCase {
  const failures = listFailures(snapshot);
  const latest = failures.at(-1);
  const country = latest?.cardCountry;
  return {
    id: snapshot.invoice.id,
    amount: latest?.amount ?? 0,
    currency: snapshot.invoice.currency,
    country,
    zone: findTimeZone({ country }) ?? defaultTimeZone,
    brand: latest?.cardBrand,
    funding: latest?.cardFunding,
    pause: findPause(snapshot),
    limits: attemptLimits,
    draw,
    attempts: failures.map(toAttempt),
    past: snapshot.past.map(({ state, createdAt, message }) => ({
      ...readAttempt(message),
      at: DateTime.fromJSDate(createdAt, { zone: 'utc' }),
      isPaid: state === 'TRANSACTION_STATE_PAID',
    })),
    instructions: snapshot.actions
      .filter((action) => !NOT_GIVEN.has(action.status))
      .map((action) => ({
        suggestion: action.suggestion,
        at: DateTime.fromJSDate(action.idealRetryAt, { zone: 'utc' }),
        reason: action.reason,
      })),
  };
}

function toAttempt(failure: ExtendedTransaction): FailedAttempt {
  return {
    at: readInstant(failure.createdAt),
    code: failure.paymentGatewayErrorCode,
    methodType: failure.paymentMethodType,
    adviceCode: failure.paymentGatewayAdviceCode,
    networkCode: failure.networkDeclineCode,
    networkAdviceCode: failure.networkAdviceCode,
    fingerprint: failure.cardFingerprint,
    brand: failure.cardBrand,
  };
}

/** Its time and result are known without it. */
function readAttempt(message: string): Partial<FailedAttempt> {
  const parsed = extendedTransaction.safeParse(JSON.parse(message));
  return parsed.success ? toAttempt(parsed.data) : {};
}

function readInstant(iso: string): DateTime {
  return DateTime.fromISO(iso, { zone: 'utc' });
}

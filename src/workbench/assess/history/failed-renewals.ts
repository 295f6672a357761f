/** Renewals whose first payment failed, with every attempt and how they ended. Pure. */
import type { DateTime } from 'luxon';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { type Classification, classifyDecline } from '../../../core/declines/decline-classes.ts';
import { isSameMethod } from '../../../core/limits/next-method.ts';
import { groupBy } from '../group-by.ts';
import type { HistoryPage } from './history-file.ts';
import type { ChargeRecord, InvoiceRecord } from './history-record.ts';

export interface HistoryAttempt extends ChargeRecord {
  readonly invoiceId: string;
  readonly startedAt: DateTime;
}

export type Cause = 'retry' | 'other_card' | 'confirmation' | 'without_charge';

export type Ending =
  | { readonly kind: 'recovered'; readonly cause: Cause; readonly at: DateTime }
  | { readonly kind: 'open' | 'lost' };

export interface FailedRenewal {
  readonly invoice: InvoiceRecord;
  /** Oldest first. Empty where Stripe could not even make a charge: there was no payment method. */
  readonly attempts: readonly HistoryAttempt[];
  /** When the first attempt failed, or the invoice was made. */
  readonly failedAt: DateTime;
  readonly ending: Ending;
}

export interface History {
  /** Renewals that were to be charged, failed or not. */
  readonly renewals: readonly InvoiceRecord[];
  readonly failed: readonly FailedRenewal[];
  /** Everything that was charged for an invoice, oldest first: the limits count sign-ups too. */
  readonly attempts: readonly HistoryAttempt[];
}

const RENEWALS: ReadonlySet<string> = new Set(['subscription_cycle', 'subscription_threshold']);

export function readFailedRenewals(pages: readonly HistoryPage[]): History {
  // A page that was read twice, after a crash, is one.
  const invoices = new Map(pages.flatMap((page) => page.invoices.map((invoice) => [invoice.id, invoice])));
  const owners = new Map(
    pages.flatMap((page) => page.payments.map(({ payment, invoice }) => [payment, invoice])),
  );
  const charges = new Map(pages.flatMap((page) => page.charges.map((charge) => [charge.id, charge])));
  const attempts = [...charges.values()]
    .flatMap((charge): HistoryAttempt[] => {
      const invoiceId = owners.get(charge.payment);
      return invoiceId === undefined ? [] : [{ ...charge, invoiceId, startedAt: fromUnixSeconds(charge.at) }];
    })
    .sort((one, other) => one.at - other.at);
  const byInvoice = groupBy(attempts, ({ invoiceId }) => invoiceId);
  const renewals = [...invoices.values()].filter(isRenewal);
  const failed = renewals.flatMap((invoice) => toFailed(invoice, byInvoice.get(invoice.id) ?? []) ?? []);
  return { renewals, failed, attempts };
}

function isRenewal({ billingReason, collectionMethod, amountDue, status }: InvoiceRecord): boolean {
  return (
    RENEWALS.has(billingReason) &&
    collectionMethod === 'charge_automatically' &&
    amountDue > 0 &&
    status !== 'draft'
  );
}

function toFailed(invoice: InvoiceRecord, attempts: readonly HistoryAttempt[]): FailedRenewal | undefined {
  const [first] = attempts;
  const isUncharged = first === undefined && invoice.attemptCount > 0 && invoice.status !== 'paid';
  if (first?.outcome !== 'declined' && !isUncharged) return undefined;
  const decline = first && classifyDecline(codesOf(first));
  const failedAt = first?.startedAt ?? fromUnixSeconds(invoice.created);
  return { invoice, attempts, failedAt, ending: endingOf(invoice, attempts, decline) };
}

export function codesOf(charge: ChargeRecord) {
  const { code, declineCode, adviceCode, networkCode, networkAdvice, methodType, brand } = charge;
  return { code, declineCode, adviceCode, networkCode, networkAdvice, methodType, brand };
}

function endingOf(
  { status, paidAt }: InvoiceRecord,
  attempts: readonly HistoryAttempt[],
  decline: Classification | undefined,
): Ending {
  if (status === 'open') return { kind: 'open' };
  if (status !== 'paid') return { kind: 'lost' };
  const payment = attempts.find(({ outcome }) => outcome !== 'declined');
  const at = payment?.startedAt ?? fromUnixSeconds(paidAt ?? 0);
  return { kind: 'recovered', cause: causeOf(attempts[0], payment, decline), at };
}

function causeOf(
  first: HistoryAttempt | undefined,
  payment: HistoryAttempt | undefined,
  decline: Classification | undefined,
): Cause {
  if (payment === undefined) return 'without_charge';
  if (first === undefined || !isSameMethod(first, payment)) return 'other_card';
  return decline?.class === 'needs_customer' ? 'confirmation' : 'retry';
}

/**
 * Record of an attempt without a charge. Stripe has no object for it, so its id is ours: equal for all reports of the same
 * attempt.
 */
import type { DateTime } from 'luxon';
import { toIsoSeconds } from '../base/clock.ts';
import { type ExtendedTransaction, extendedTransaction } from './contract-extensions.ts';

/** Our code for a missing method; Stripe has none. */
export const MISSING_PAYMENT_METHOD = 'missing_payment_method';

/** Our code for a card not charged because its holder reported fraud (stripe-facts 5.12). */
export const CARD_REPORTED = 'card_reported_fraudulent';

export interface FailedTransaction {
  readonly id: string;
  /** The Stripe account with the invoice. */
  readonly account: string;
  readonly invoiceId: string;
  readonly customerId: string | undefined;
  readonly subscriptionId: string | undefined;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly at: DateTime;
  readonly status: string;
  readonly codes: {
    readonly code: string | undefined;
    readonly declineCode?: string | undefined;
    readonly adviceCode?: string | undefined;
    readonly networkCode?: string | undefined;
    readonly networkAdvice?: string | undefined;
  };
  /** The method that was to be charged, as far as known. */
  readonly method?: {
    readonly type?: string | undefined;
    readonly brand?: string | undefined;
    readonly fingerprint?: string | undefined;
    readonly country?: string | undefined;
    readonly funding?: string | undefined;
  };
}

/** `attempt` distinguishes attempts on an invoice. */
export function unchargedAttemptId(invoiceId: string, attempt: string): string {
  return `${invoiceId}${MARK}${attempt}`;
}

/** Whether an attempt's id is ours, so that Stripe has no charge. */
export function isUnchargedAttempt(id: string | null): boolean {
  return id?.includes(MARK) ?? false;
}

const MARK = '_attempt_';

/** Undefined if it does not fit the contract. */
export function toFailedTransaction(failed: FailedTransaction): ExtendedTransaction | undefined {
  const { id, account, subscriptionId, codes, method = {} } = failed;
  const at = toIsoSeconds(failed.at);
  return extendedTransaction.safeParse({
    id,
    paymentGatewayTransactionId: id,
    state: 'TRANSACTION_STATE_FAILED',
    customerId: failed.customerId,
    subscriptionId,
    invoiceId: failed.invoiceId,
    amount: failed.amount,
    currency: failed.currency.toUpperCase(),
    createdAt: at,
    updatedAt: at,
    paymentMethodType: method.type ?? 'unknown',
    paymentGatewayId: account,
    paymentGatewayName: 'stripe',
    paymentGatewayType: 'STRIPE',
    paymentGatewayStatus: failed.status,
    paymentGatewayErrorCode: codes.declineCode ?? codes.code,
    paymentGatewayAdviceCode: codes.adviceCode,
    networkDeclineCode: codes.networkCode,
    networkAdviceCode: codes.networkAdvice,
    cardBrand: method.brand,
    cardFingerprint: method.fingerprint,
    cardCountry: method.country,
    cardFunding: method.funding,
  }).data;
}

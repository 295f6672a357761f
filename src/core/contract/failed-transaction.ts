/**
 * An attempt that made no charge, as it is reported to the service. Stripe has no object for such an attempt, so its record has
 * an id of our own: the same for the same attempt, whoever reports it.
 */
import type { DateTime } from 'luxon';
import { toIsoSeconds } from '../base/clock.ts';
import { type ExtendedTransaction, extendedTransaction } from './contract-extensions.ts';

/** Ours, for what Stripe has no code: there was nothing to charge. */
export const MISSING_PAYMENT_METHOD = 'missing_payment_method';

/** Ours: its holder reported fraud to the bank, so the card was not charged (stripe-facts 5.12). */
export const CARD_REPORTED = 'card_reported_fraudulent';

export interface FailedTransaction {
  readonly id: string;
  /** The Stripe account that holds the invoice. */
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
  /** What was to be charged, as far as it is known. */
  readonly method?: {
    readonly type?: string | undefined;
    readonly brand?: string | undefined;
    readonly fingerprint?: string | undefined;
    readonly country?: string | undefined;
    readonly funding?: string | undefined;
  };
}

/** `attempt` distinguishes the attempts of one invoice. */
export function unchargedAttemptId(invoiceId: string, attempt: string): string {
  return `${invoiceId}${MARK}${attempt}`;
}

/** Whether an attempt's id is one of ours, so that there is no charge of Stripe's to look for. */
export function isUnchargedAttempt(id: string | null): boolean {
  return id?.includes(MARK) ?? false;
}

const MARK = '_attempt_';

/** Undefined where it does not fit the service's contract. */
export function toFailedTransaction(failed: FailedTransaction): ExtendedTransaction | undefined {
  const { id, account, subscriptionId, codes, method = {} } = failed;
  const at = toIsoSeconds(failed.at);
  return extendedTransaction.safeParse({
    id,
    paymentGatewayTransactionId: id,
    state: 'TRANSACTION_STATE_FAILED',
    customerId: failed.customerId,
    ...(subscriptionId ? { subscriptionId } : {}),
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
    ...given({
      paymentGatewayErrorCode: codes.declineCode ?? codes.code,
      paymentGatewayAdviceCode: codes.adviceCode,
      networkDeclineCode: codes.networkCode,
      networkAdviceCode: codes.networkAdvice,
      cardBrand: method.brand,
      cardFingerprint: method.fingerprint,
      cardCountry: method.country,
      cardFunding: method.funding,
    }),
  }).data;
}

function given(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

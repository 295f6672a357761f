import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { z } from 'zod';
import { toIsoSeconds } from '../../../core/base/clock.ts';
import { lazy } from '../../../core/base/lazy.ts';
import { cutText, printableText } from '../../../core/base/printable-text.ts';
import { isRecord } from '../../../core/contract/contract.ts';
import { type ExtendedTransaction, extendedTransaction } from '../../../core/contract/contract-extensions.ts';
import { expiryOf, typeOfId } from '../../clients/method-identity.ts';
import { type Fitted, fitMessage, unmappable, unreadable } from './fit-message.ts';
import { currencyCode, stripeTime } from './stripe-parts.ts';

/** `no_message`: a pending charge has no result yet. */
export type MappedTransaction = Fitted<ExtendedTransaction> | { kind: 'no_message' };

/** Facts missing from a charge (stripe-facts 3.3), looked up by the caller. */
export interface TransactionContext {
  invoiceId: string;
  subscriptionId: string | undefined;
  customerId: string;
  /** The Stripe account that holds the charge. */
  gatewayId: string;
  observedAt: DateTime;
  /** Whether it failed with a method that is not charged next. */
  isOtherMethod?: boolean | undefined;
}

const text = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'string' ? printableText(value) : undefined));

const month = z.int().min(1).max(12).nullish().catch(null);
const year = z.int().min(1000).max(9999).nullish().catch(null);

const chargeParts = lazy(() =>
  z.compile(
    z.object({
      id: z.string(),
      status: z.string(),
      amount: z.int(),
      currency: currencyCode,
      created: stripeTime,
      failure_code: text,
      failure_message: text,
      outcome: z
        .object({
          type: text,
          reason: text,
          network_status: text,
          seller_message: text,
          advice_code: text,
          network_decline_code: text,
          network_advice_code: text,
        })
        .nullish()
        .catch(null),
      payment_method: text,
      payment_method_details: z
        .object({
          type: text,
          card: z
            .object({
              brand: text,
              fingerprint: text,
              country: text,
              funding: text,
              exp_month: month,
              exp_year: year,
            })
            .nullish()
            .catch(null),
        })
        .nullish()
        .catch(null),
    }),
  ),
);
type ChargeParts = z.infer<ReturnType<typeof chargeParts>>;

const PAID = 'TRANSACTION_STATE_PAID';
const FAILED = 'TRANSACTION_STATE_FAILED';

const STATES: ReadonlyMap<string, string> = new Map([
  ['succeeded', PAID],
  ['failed', FAILED],
]);

/** Outcome types without a failure. */
const ACCEPTED: ReadonlySet<string> = new Set(['authorized', 'manual_review']);

const MAX_MESSAGE_LENGTH = 2000;
const MAX_WORD_LENGTH = 64;

/** Maps a charge, one attempt at an invoice. Total: every object gives one of the kinds, never an exception. */
export function mapTransaction(charge: Stripe.Charge, context: TransactionContext): MappedTransaction {
  if (isRecord(charge) && charge.status === 'pending') return { kind: 'no_message' };
  const parsed = chargeParts().safeParse(charge);
  if (!parsed.success) return unreadable(parsed.error);
  const parts = parsed.data;
  const state = STATES.get(parts.status);
  if (!state) return unmappable({ code: 'unknown_status', object: 'charge', status: parts.status });

  const { invoiceId, subscriptionId, customerId, gatewayId, observedAt, isOtherMethod } = context;
  return fitMessage(extendedTransaction, {
    id: parts.id,
    paymentGatewayTransactionId: parts.id,
    state,
    customerId,
    subscriptionId: subscriptionId || null,
    invoiceId,
    amount: parts.amount,
    currency: parts.currency,
    createdAt: parts.created,
    updatedAt: toIsoSeconds(observedAt),
    paymentGatewayId: gatewayId,
    paymentGatewayName: 'stripe',
    paymentGatewayType: 'STRIPE',
    ...paymentMethodFields(parts),
    ...resultFields(parts, state),
    isOtherMethod: isOtherMethod || null,
  });
}

function paymentMethodFields({ payment_method, payment_method_details: details }: ChargeParts) {
  const { brand, fingerprint, country, funding, exp_month, exp_year } = details?.card ?? {};
  return {
    paymentMethodType: cutText(details?.type ?? typeOfId(payment_method) ?? 'unknown', MAX_WORD_LENGTH),
    cardBrand: brand,
    cardFingerprint: fingerprint,
    cardCountry: country,
    cardFunding: funding,
    cardExpiry: exp_month && exp_year ? expiryOf({ card: { exp_month, exp_year } }) : null,
  };
}

/**
 * Prefers the outcome's reason to `failure_code`: it has the issuer's decline code, or Stripe's rule, where the code is only `card_declined`
 * (stripe-facts 5.1, 5.3). Bank debits use `failure_code` (stripe-facts 5.9); an outcome of an accepted payment is ignored.
 */
function resultFields(parts: ChargeParts, state: string) {
  const isFailed = state === FAILED;
  const isContradicted = isFailed && ACCEPTED.has(parts.outcome?.type ?? '');
  const outcome = isContradicted ? undefined : parts.outcome;
  const paymentGatewayStatus = outcome?.network_status ?? parts.status;
  if (!isFailed) return { paymentGatewayStatus };
  const message = outcome?.seller_message ?? parts.failure_message;
  return {
    paymentGatewayStatus,
    paymentGatewayErrorCode: outcome?.reason ?? parts.failure_code,
    paymentGatewayErrorMessage: message && cutText(message, MAX_MESSAGE_LENGTH),
    paymentGatewayAdviceCode: outcome?.advice_code,
    networkDeclineCode: outcome?.network_decline_code,
    networkAdviceCode: outcome?.network_advice_code,
  };
}

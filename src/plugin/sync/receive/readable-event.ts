/** What the steps rely on in an event. A signature does not promise it, and what fails for a field fails so at every try. */
import type Stripe from 'stripe';
import { z } from 'zod';
import { whenUsed } from '../../../core/base/when-used.ts';
import type { EventResult } from '../../reasons/event-result.ts';
import { unreadable } from '../map/fit-message.ts';
import { stripeTime } from '../map/stripe-parts.ts';

/** An id, a type or a status. */
export const word = z.string().regex(/^[!-~]{1,255}$/, 'must be 1 to 255 printable characters');

const reference = z.union([word, z.object({ id: word })], 'must be an id or an object with an id').nullish();
const owned = { customer: reference, customer_account: word.nullish() };
const text = z.string().nullish();

const line = z.object({
  description: text,
  pricing: z.object({ price_details: z.object({ price: reference }).nullish() }).nullish(),
});

/** By the beginning of the event's type. */
const OBJECTS = {
  'customer.subscription.': z.object({
    object: z.literal('subscription'),
    id: word,
    ...owned,
    status: word,
    default_payment_method: reference,
  }),
  'invoice.': z.object({
    object: z.literal('invoice'),
    id: word,
    ...owned,
    status: word.nullish(),
    billing_reason: text,
    amount_remaining: z.int(),
    currency: word,
    attempt_count: z.int32(),
    next_payment_attempt: stripeTime.nullish(),
    parent: z.object({ subscription_details: z.object({ subscription: reference }).nullish() }).nullish(),
    customer_name: text,
    customer_email: text,
    lines: z.object({ data: z.array(line).nullish() }).nullish(),
  }),
  'invoice_payment.': z.object({ object: z.literal('invoice_payment'), id: word, invoice: reference }),
  'customer.': z.object({
    object: z.literal('customer'),
    id: word,
    customer_account: word.nullish(),
    invoice_settings: z.object({ default_payment_method: reference }).nullish(),
  }),
  'payment_method.': z.object({ object: z.literal('payment_method'), id: word, ...owned }),
  'charge.dispute.': z.object({
    object: z.literal('dispute'),
    id: word,
    charge: reference,
    payment_intent: reference,
    reason: word,
    status: word,
    amount: z.int(),
  }),
  'charge.refunded': z.object({ object: z.literal('charge'), id: word }),
  'refund.': z.object({ object: z.literal('refund'), charge: reference }),
  'radar.early_fraud_warning.': z.object({
    object: z.literal('radar.early_fraud_warning'),
    id: word,
    charge: reference,
  }),
  // Nothing of the object is used.
  'account.application.': z.unknown(),
} as const;

const PARTS = Object.entries(OBJECTS).map(
  ([beginning, object]) =>
    [
      beginning,
      whenUsed(() =>
        z.compile(
          z.object({
            data: z.object({
              object,
              previous_attributes: z
                .looseObject({ invoice_settings: z.record(z.string(), z.unknown()).optional() })
                .optional(),
            }),
            // Of old versions only an id.
            request: z
              .union([z.string(), z.object({ idempotency_key: text })], 'must be an object')
              .nullish(),
          }),
        ),
      ),
    ] as const,
);

/** Of an event of a handled type: what its steps cannot read, or undefined. */
export function findUnreadable(event: Stripe.Event): EventResult | undefined {
  const [, parts] = PARTS.find(([beginning]) => event.type.startsWith(beginning)) ?? [];
  const parsed = parts?.().safeParse(event);
  return parsed?.success === false ? { code: 'dead', reason: unreadable(parsed.error) } : undefined;
}

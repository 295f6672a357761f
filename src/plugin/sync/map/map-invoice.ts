import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { z } from 'zod';
import { toIsoSeconds } from '../../../core/base/clock.ts';
import { lazy } from '../../../core/base/lazy.ts';
import { cutText, printableText } from '../../../core/base/printable-text.ts';
import { findTimeZone } from '../../../core/base/time-zones.ts';
import { isRecord, MAX_NAME_LENGTH } from '../../../core/contract/contract.ts';
import { type ExtendedInvoice, extendedInvoice } from '../../../core/contract/contract-extensions.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { type Fitted, fitMessage, unmappable, unreadable } from './fit-message.ts';
import { CHARGED_BY_STRIPE, currencyCode, customerReference, reference, stripeTime } from './stripe-parts.ts';

/** `no_message`: nothing to send in this status. */
type MappedInvoice = Fitted<ExtendedInvoice> | { kind: 'no_message' };

const placeName = z
  .string()
  .nullish()
  .transform((name) => name ?? undefined);

const invoiceParts = lazy(() =>
  z.compile(
    z.object({
      id: z.string(),
      status: z.string(),
      ...customerReference,
      currency: currencyCode,
      amount_due: z.int(),
      // Extensions of the contract: an odd value must not block the rest.
      amount_remaining: z.int().nonnegative().optional().catch(undefined),
      total_discount_amounts: z
        .array(z.object({ amount: z.int() }))
        .nullish()
        .catch(null),
      collection_method: z.string().nullish().catch(null),
      customer_address: z.object({ country: placeName, state: placeName }).nullish().catch(null),
      created: stripeTime,
      parent: z
        .object({ subscription_details: z.object({ subscription: reference.nullish() }).nullish() })
        .nullish()
        .catch(null),
    }),
  ),
);

type InvoiceParts = z.infer<ReturnType<typeof invoiceParts>>;

/** Uncollectible invoices can still be paid (stripe-facts 3.1), so they count as unpaid. */
const STATES: ReadonlyMap<string, string> = new Map([
  ['paid', 'INVOICE_STATE_PAID'],
  ['open', 'INVOICE_STATE_UNPAID'],
  ['uncollectible', 'INVOICE_STATE_UNPAID'],
]);

/** Drafts are not owed yet, void invoices no longer; the contract has no state for either (`INVOICE_VOID`). */
const SILENT: ReadonlySet<unknown> = new Set(['draft', 'void']);

/** Maps an invoice. `amount` is always `amount_due` in minor units. Total: every object gives one of the kinds, never an exception. */
export function mapInvoice(
  invoice: Stripe.Invoice,
  context: { observedAt: DateTime; businessEntity: string },
): MappedInvoice {
  if (isRecord(invoice) && SILENT.has(invoice.status)) return { kind: 'no_message' };
  const parsed = invoiceParts().safeParse(invoice);
  if (!parsed.success) return unreadable(parsed.error);
  const parts = parsed.data;
  const state = STATES.get(parts.status);
  // An unknown status is not guessed: "unpaid" would invite a retry.
  if (!state) return unmappable({ code: 'unknown_status', object: 'invoice', status: parts.status });

  const businessEntity = printableText(context.businessEntity);
  const discount = (parts.total_discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
  const method = parts.collection_method ?? CHARGED_BY_STRIPE;
  const customerTimeZone = findTimeZone(parts.customer_address ?? {});
  return fitMessage(extendedInvoice, {
    id: parts.id,
    state,
    customerId: customerIdOf(parts),
    subscriptionId: parts.parent?.subscription_details?.subscription || null,
    businessEntity: businessEntity && cutText(businessEntity, MAX_NAME_LENGTH),
    amount: parts.amount_due,
    currency: parts.currency,
    createdAt: parts.created,
    updatedAt: toIsoSeconds(context.observedAt),
    amountRemaining: isPartPaid(parts) ? parts.amount_remaining : null,
    discountAmount: discount > 0 ? discount : null,
    collectionMethod: method === CHARGED_BY_STRIPE ? null : method,
    customerTimeZone,
  });
}

function isPartPaid({ status, amount_due, amount_remaining = amount_due }: InvoiceParts): boolean {
  return status !== 'paid' && amount_remaining < amount_due;
}

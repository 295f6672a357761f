import { z } from 'zod';
import { refused } from '../api-error.ts';
import { collectionMethod, flag, integer, metadata, text } from '../form-parameters.ts';
import type { Customer, Invoice, TaxRate } from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import type { World } from '../sandbox-world.ts';
import { collectAutomatically } from './collect-invoice.ts';
import { draftOneOff } from './draft-invoice.ts';
import { pendingItems } from './invoice-items.ts';
import { finalizeInvoice } from './invoice-lifecycle.ts';
import { refreshSubscriptionStatus } from './subscription-status.ts';

export const oneOffParameters = z.strictObject({
  currency: text,
  auto_advance: flag,
  collection_method: collectionMethod,
  days_until_due: integer,
  default_payment_method: text,
  default_tax_rates: z.array(z.string()).optional(),
  description: text,
  metadata,
  on_behalf_of: text,
  pending_invoice_items_behavior: z.enum(['include', 'exclude']).optional(),
});

/** Stripe's own parameter names. */
export type OneOffInput = z.output<typeof oneOffParameters>;

/** A draft of no subscription, which Stripe finalizes after an hour only with `auto_advance` (stripe-facts 3.13). */
export function createOneOff(world: World, customer: Customer, input: OneOffInput): Invoice {
  const isIncluding = input.pending_invoice_items_behavior === 'include';
  const items = isIncluding ? pendingItems(world, customer.id, null) : [];
  const autoAdvance = input.auto_advance ?? false;
  const terms = {
    collection_method: input.collection_method ?? 'charge_automatically',
    currency: input.currency ?? items[0]?.currency ?? 'usd',
    days_until_due: input.days_until_due ?? null,
    default_payment_method: input.default_payment_method ?? null,
    default_tax_rates: findTaxRates(world, input.default_tax_rates),
    description: input.description ?? null,
    metadata: input.metadata ?? {},
    on_behalf_of: input.on_behalf_of ?? null,
  };
  const invoice = draftOneOff(world, customer, { terms, items, autoAdvance });
  if (autoAdvance) scheduleFinalization(world, invoice);
  return invoice;
}

/** Finalizes like Stripe: an automatically collected invoice is charged immediately. */
export function finalizeAndCollect(world: World, invoice: Invoice): Invoice {
  finalizeInvoice(world, invoice);
  if (invoice.status !== 'open') return invoice;
  const isCollected = invoice.auto_advance === true && invoice.collection_method === 'charge_automatically';
  if (isCollected) collectAutomatically(world, invoice);
  else refreshSubscriptionStatus(world, invoice);
  return invoice;
}

/** Its items are pending again. */
export function deleteDraft(world: World, invoice: Invoice): object {
  if (invoice.status !== 'draft') throw refused('You can only delete draft invoices.');
  if (invoice.parent !== null) throw refused('Invoices of a subscription cannot be deleted.');
  for (const item of world.invoiceItems.newestFirst({ index: 'customer', key: invoice.customer ?? '' }))
    if (item.invoice === invoice.id) item.invoice = null;
  world.invoices.remove(invoice.id);
  publish(world, 'invoice.deleted', invoice);
  return { id: invoice.id, object: 'invoice', deleted: true };
}

export function findTaxRates(world: World, ids: readonly string[] = []): TaxRate[] {
  return ids.map((id) => {
    const rate = world.taxRates.get(id);
    if (rate === undefined) throw refused(`No such tax rate: '${id}'`, { param: 'default_tax_rates' });
    return rate;
  });
}

/** An hour from now, unless the merchant chose another time; while an endpoint does not take `invoice.created`, up to three days later (stripe-facts 1.6). */
export function scheduleFinalization(
  world: World,
  invoice: Invoice,
  finalize: () => unknown = () => finalizeAndCollect(world, invoice),
): void {
  const at = Math.floor(world.clock.now().plus({ hours: world.policy.draftHours }).toSeconds());
  invoice.automatically_finalizes_at = at;
  world.due.add({
    atMs: at * 1000,
    isCurrent: () =>
      invoice.status === 'draft' &&
      invoice.auto_advance === true &&
      invoice.automatically_finalizes_at === at,
    run: () => {
      const isTaken = !isUndelivered(world, invoice) || at >= invoice.created + MOST_DELAY_SECONDS;
      if (isTaken) finalize();
      else scheduleFinalization(world, invoice, finalize);
    },
  });
}

const MOST_DELAY_SECONDS = 72 * 3600;

function isUndelivered(world: World, { id }: Invoice): boolean {
  return [...world.undelivered].some((eventId) => {
    const event = world.events.get(eventId);
    return event?.type === 'invoice.created' && 'id' in event.data.object && event.data.object.id === id;
  });
}

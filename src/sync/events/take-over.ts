import type { EventStep } from './event-step.ts';

/** In `exclusive` mode the first failed attempt ends Stripe's own retries of the invoice (stripe-facts 4.3). */
export const takeOver: EventStep = async (deps, { account, event }) => {
  const invoice = event.data.object;
  if (deps.config.mode !== 'exclusive') return { result: { code: 'stripe_retries_kept' } };
  if (invoice.object !== 'invoice' || invoice.id === undefined)
    return { result: { code: 'ignored_object', expected: 'invoice' } };
  if (invoice.collection_method !== 'charge_automatically') return { result: { code: 'sent_to_customer' } };
  if (invoice.auto_advance !== true) return { result: { code: 'stripe_retries_off' } };
  const data = { account, invoiceId: invoice.id };
  return { result: { code: 'taken_over' }, apply: (tx) => deps.enqueue('take-over-invoice', [{ data }], tx) };
};

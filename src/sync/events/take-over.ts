import type { EventStep } from '../receive/event-step.ts';

/** In `exclusive` mode the first failed attempt ends Stripe's own retries of the invoice (stripe-facts 4.3). */
export const takeOver: EventStep = async (deps, { account, event }) => {
  const invoice = event.data.object;
  if (deps.config.mode !== 'exclusive') return { result: "Stripe's own retries stay on in this mode" };
  if (invoice.object !== 'invoice' || invoice.id === undefined) return { result: 'ignored: not an invoice' };
  if (invoice.collection_method !== 'charge_automatically')
    return { result: 'the customer pays this invoice by sending money' };
  if (invoice.auto_advance !== true) return { result: "Stripe's own retries are off already" };
  const data = { account, invoiceId: invoice.id };
  return { result: 'taken over', apply: (tx) => deps.enqueue('take-over-invoice', [{ data }], tx) };
};

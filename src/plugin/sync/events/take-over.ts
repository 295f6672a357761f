import type { EventStep } from './event-step.ts';

/** Turns off Stripe's own retries after the first failure in `exclusive` mode (stripe-facts 4.3). The same job assigns experiments. */
export const takeOver: EventStep = async (deps, { account, event }) => {
  const invoice = event.data.object;
  const { mode, experiment } = deps.config;
  const isKept = mode !== 'exclusive';
  if (isKept && (mode === 'observe' || experiment?.against !== 'stripe'))
    return { result: { code: 'stripe_retries_kept' } };
  if (invoice.object !== 'invoice' || invoice.id === undefined)
    return { result: { code: 'ignored_object', expected: 'invoice' } };
  if (invoice.collection_method !== 'charge_automatically') return { result: { code: 'sent_to_customer' } };
  if (invoice.auto_advance !== true) return { result: { code: 'stripe_retries_off' } };
  const data = { account, invoiceId: invoice.id };
  const result = { code: isKept ? 'stripe_retries_kept' : 'taken_over' } as const;
  return { result, apply: (tx) => deps.enqueue('take-over-invoice', [{ data }], tx) };
};

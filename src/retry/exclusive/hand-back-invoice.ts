import type { JobHandler } from '../../jobs/jobs.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import { type InvoiceKey, recordHandback } from '../../store/tables/retry/takeovers.ts';
import { note } from '../actions/note.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { readFinalSay } from '../guards/final-say.ts';
import { type PayableInvoice, readPayableInvoice } from '../payment/payable-invoice.ts';

export type HandbackDeps = Pick<RetryDeps, 'database' | 'stripe' | 'clock'>;

/** `kept`: with Stripe's collection back on, a customer would be charged who must not be. */
export type Handback = { kind: 'handed_back' } | { kind: 'settled' | 'kept'; reason: string };

export function createHandBackHandler(deps: HandbackDeps): JobHandler<PluginQueues['hand-back-invoice']> {
  return {
    handle: async ({ account, invoiceId, reason }) => {
      await handBack(deps, { account, invoiceId }, reason);
    },
  };
}

/** Gives an invoice back to Stripe's own retries, which go on where their schedule stands (stripe-facts 4.4). */
export async function handBack(deps: HandbackDeps, key: InvoiceKey, why: string): Promise<Handback> {
  const found = await deps.stripe.findPayableInvoice(key.account, key.invoiceId);
  if (!found) return settle(deps, key, `Stripe has no invoice ${key.invoiceId}`);
  const invoice = readPayableInvoice(found);
  if (invoice.status !== 'open') return settle(deps, key, `the invoice is ${invoice.status}`);
  const obstacle = await findObstacle(deps, key, invoice);
  if (obstacle !== undefined) return { kind: 'kept', reason: obstacle };
  await deps.stripe.setAutoAdvance(key.account, key.invoiceId, true);
  await recordHandback(deps.database, key, deps.clock.now());
  await note(deps, key, 'invoice.handed_back', { reason: why });
  return { kind: 'handed_back' };
}

async function settle(deps: HandbackDeps, key: InvoiceKey, reason: string): Promise<Handback> {
  await recordHandback(deps.database, key, deps.clock.now());
  return { kind: 'settled', reason };
}

async function findObstacle(
  { database }: HandbackDeps,
  { account, invoiceId }: InvoiceKey,
  { subscription }: PayableInvoice,
): Promise<string | undefined> {
  const say = await readFinalSay(database, account, invoiceId);
  if (say.heldBecause !== undefined) return `a person stopped it: ${say.heldBecause}`;
  if (say.isDisputed) return 'the customer disputes a payment of it';
  if (say.isStoppedByService) return 'the service stopped collecting it';
  // Stripe itself ends the collection of its open invoices then (stripe-facts 2.1).
  return subscription?.status === 'canceled' ? `subscription ${subscription.id} is canceled` : undefined;
}

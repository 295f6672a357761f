/** A payer's debts with one method: an email names all, and a new card pays all. */
import type Stripe from 'stripe';
import { idOf } from '../../clients/chosen-methods.ts';
import { ownerIdsOf } from '../../clients/customer-reference.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findCollectionObjection } from '../guards/collection-guards.ts';
import { findMerchantCode } from '../guards/email-guards.ts';
import { createFacts } from '../guards/facts.ts';
import { findNewSubscription } from '../guards/shared-guards.ts';
import { findObservation } from '../invoice/observation.ts';
import { type PayableInvoice, readPayableInvoice } from '../invoice/payable-invoice.ts';

type Deps = Pick<RetryDeps, 'stripe' | 'database' | 'config' | 'clock'>;
type Patience = Parameters<RetryDeps['stripe']['findPayableInvoice']>[2];

export interface OwedInvoice {
  readonly found: Stripe.Invoice;
  readonly invoice: PayableInvoice;
}

/** The payer's other failed, collectable invoices with the same method and seller. */
export async function listOwedBeside(
  deps: Deps,
  account: string,
  { found: asked, invoice: of }: OwedInvoice,
  { isAnyMethod = false, patience }: { isAnyMethod?: boolean; patience?: Patience } = {},
): Promise<OwedInvoice[]> {
  const owed: OwedInvoice[] = [];
  for (const listed of await deps.stripe.listUnpaidInvoices(account, ownerIdsOf(asked), ['open'])) {
    if (listed.id === of.id || !listed.attempted) continue;
    if (idOf(listed.on_behalf_of) !== of.onBehalfOf) continue;
    const found = await deps.stripe.findPayableInvoice(account, listed.id, patience);
    const invoice = found && readPayableInvoice(found);
    if (!found || !invoice || !(isAnyMethod || methodOf(invoice) === methodOf(of))) continue;
    if (await isToBePaid(deps, account, invoice)) owed.push({ found, invoice });
  }
  return owed;
}

async function isToBePaid(deps: Deps, account: string, invoice: PayableInvoice): Promise<boolean> {
  if (invoice.isProcessing || findObservation(deps.config, account, invoice) !== undefined) return false;
  const facts = createFacts(deps, account, invoice);
  const collection = await facts.collection(deps.config);
  if (findCollectionObjection(collection) !== undefined) return false;
  const { holds, now } = collection;
  if (holds.postponed && holds.postponed.until > now) return false;
  if (findNewSubscription(invoice, holds)) return false;
  return findMerchantCode(await facts.ofNext(), holds) === undefined;
}

/** A card saved twice counts once. */
function methodOf({ defaultMethod }: PayableInvoice): string | undefined {
  return defaultMethod?.fingerprint ?? defaultMethod?.id;
}

import type { RetryDeps } from '../actions/retry-deps.ts';
import { readHolds } from '../invoice/invoice-holds.ts';
import type { PayableInvoice } from '../invoice/payable-invoice.ts';
import type { CollectionFacts } from './collection-guards.ts';

/** What the guards of collection ask about an invoice, now. */
export async function readCollectionFacts(
  { database, clock, config }: Pick<RetryDeps, 'database' | 'clock' | 'config'>,
  account: string,
  invoice: PayableInvoice,
): Promise<CollectionFacts> {
  const { recoverSignUps, afterCancelRequest } = config;
  const holds = await readHolds(database, account, invoice.id);
  return { now: clock.now(), invoice, holds, recoverSignUps, afterCancelRequest };
}

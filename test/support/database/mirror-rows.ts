/** One mirrored object, as events store it. Resolves to whether it was news. */
import type { Queryable } from '../../../src/store/engine/database.ts';
import type { Basis } from '../../../src/store/engine/mirror-version.ts';
import { INVOICES, type InvoiceRow } from '../../../src/store/tables/sync/invoices.ts';
import { upsertMirrors } from '../../../src/store/tables/sync/mirrors.ts';
import { SUBSCRIPTIONS, type SubscriptionRow } from '../../../src/store/tables/sync/subscriptions.ts';

export async function upsertInvoice(db: Queryable, row: InvoiceRow, basis?: Basis): Promise<boolean> {
  return (await upsertMirrors(db, INVOICES, { account: row.account, writes: [{ row, basis }] })).has(row.id);
}

export async function upsertSubscription(
  db: Queryable,
  row: SubscriptionRow,
  basis?: Basis,
): Promise<boolean> {
  const writes = [{ row, basis }];
  return (await upsertMirrors(db, SUBSCRIPTIONS, { account: row.account, writes })).has(row.id);
}

/** One mirrored object, as events store it. Resolves to whether it was news. */
import type { Queryable } from '../../../src/core/database/database.ts';
import { INVOICES, type InvoiceRow } from '../../../src/plugin/store/tables/sync/invoices.ts';
import type { Basis } from '../../../src/plugin/store/tables/sync/mirror-version.ts';
import { upsertMirrors } from '../../../src/plugin/store/tables/sync/mirrors.ts';
import { SUBSCRIPTIONS, type SubscriptionRow } from '../../../src/plugin/store/tables/sync/subscriptions.ts';

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

/** Dates until which a person wants an invoice left alone. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { InvoiceKey } from './takeovers.ts';

export interface Postponement {
  until: DateTime;
  /** The person's reason. */
  note: string | null;
}

/** Includes an expired one. */
export function findPostponement(db: Queryable, { account, invoiceId }: InvoiceKey) {
  return db.find<Postponement>(
    'select until, note from payment_retry.postponements where account = $1 and invoice_id = $2',
    [account, invoiceId],
  );
}

/** The latest date replaces the earlier one. */
export async function recordPostponement(
  tx: Queryable,
  { account, invoiceId, until, note }: InvoiceKey & { until: DateTime; note: string | undefined },
) {
  await tx.query(
    `insert into payment_retry.postponements (account, invoice_id, until, note) values ($1, $2, $3, $4)
     on conflict (account, invoice_id) do update set until = excluded.until, note = excluded.note`,
    [account, invoiceId, until, note],
  );
}

export async function forgetPostponement(tx: Queryable, { account, invoiceId }: InvoiceKey) {
  await tx.query('delete from payment_retry.postponements where account = $1 and invoice_id = $2', [
    account,
    invoiceId,
  ]);
}

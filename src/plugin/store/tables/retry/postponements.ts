/** Dates until which a person wants an invoice left alone. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { INSTRUCTED } from '../../../actions/action-kinds.ts';
import type { Reason } from '../../../reasons/reason.ts';
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
): Promise<void> {
  await tx.query(
    `insert into payment_retry.postponements (account, invoice_id, until, note) values ($1, $2, $3, $4)
     on conflict (account, invoice_id) do update set until = excluded.until, note = excluded.note`,
    [account, invoiceId, until, note],
  );
}

export async function forgetPostponement(tx: Queryable, { account, invoiceId }: InvoiceKey): Promise<void> {
  await tx.query('delete from payment_retry.postponements where account = $1 and invoice_id = $2', [
    account,
    invoiceId,
  ]);
}

/**
 * Moves the invoice's planned actions that are due before `until`. Leaves those of the customer or a person, and those already
 * begun. Returns their ids.
 */
export function moveActions(
  tx: Queryable,
  { account, invoiceId }: InvoiceKey,
  until: DateTime,
  reason: Reason,
) {
  return tx.listValues<string>(
    `update payment_retry.actions set due_at = $3, reason = $4::jsonb
     where account = $1 and invoice_id = $2 and state = 'scheduled' and due_at < $3 and closed_at is null
       and kind = any($5::text[])
       and cause not in ('card_change', 'operator')
       and not exists (select 1 from payment_retry.attempts where attempts.action_id = actions.id and outcome is null)
     returning id`,
    [account, invoiceId, until, JSON.stringify(reason), [...INSTRUCTED]],
  );
}

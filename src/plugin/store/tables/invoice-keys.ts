import type { Queryable } from '../../../core/database/database.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { lock } from './retry/attempts.ts';
import type { InvoiceKey } from './retry/takeovers.ts';

const MENTIONS = ['instructions', 'actions', 'attempts', 'recovery_actions', 'audit']
  .map(
    (table) =>
      `exists (select 1 from payment_retry.${table} where account = known.account and invoice_id = $1)`,
  )
  .join(' or ');

/** The account of an invoice, if known; with `account`, only that one. */
export function findInvoiceKey(db: Queryable, invoiceId: string, account?: string) {
  return db.find<InvoiceKey>(
    `select account, $1::text as invoice_id
     from (select $3::text as account union select account from payment_retry.accounts) as known
     where ($2::text is null or account = $2) and (
       exists (select 1 from payment_retry.invoices where account = known.account and id = $1) or ${MENTIONS})
     limit 1`,
    [invoiceId, account, OWN_ACCOUNT],
  );
}

/** Blocks other changes of the decisions about an invoice until the transaction ends. */
export const lockInvoice = (tx: Queryable, { account, invoiceId }: InvoiceKey) =>
  lock(tx, account, invoiceId);

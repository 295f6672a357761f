/** Customers of whom nothing personal is kept: of a payment its state, amount, times and codes stay. */
import type { DateTime } from 'luxon';
import type { Queryable, Transaction } from '../../core/database/database.ts';

/** What a payment contains of a person and a card. */
const PERSONAL: ReadonlySet<string> = new Set([
  'cardBrand',
  'cardBin',
  'cardFingerprint',
  'cardCountry',
  'cardExpiry',
  'cardFunding',
  'paymentGatewayErrorMessage',
]);

export function withoutCard<Message extends object>(message: Message): Message {
  const kept = Object.entries(message).filter(([name]) => !PERSONAL.has(name));
  return Object.fromEntries(kept) as Message;
}

/** Which of these customers are forgotten. */
export async function listForgotten(
  db: Queryable,
  organization: string,
  customerIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const ids = await db.listValues<string>(
    `select customer_id from retry_service.forgotten_customers
     where organization = $1 and customer_id = any($2::text[])`,
    [organization, [...new Set(customerIds)]],
  );
  return new Set(ids);
}

/** Those of the invoices whose customer is not forgotten. */
export async function leaveOutForgotten(
  db: Queryable,
  organization: string,
  invoiceIds: readonly string[],
): Promise<string[]> {
  if (invoiceIds.length === 0) return [];
  const ids = await db.listValues<string>(
    `select i.id from retry_service.invoices i
     join retry_service.forgotten_customers f on f.organization = i.organization and f.customer_id = i.customer_id
     where i.organization = $1 and i.id = any($2::text[])`,
    [organization, invoiceIds],
  );
  const forgotten = new Set(ids);
  return invoiceIds.filter((id) => !forgotten.has(id));
}

const INVOICES = `(select id from retry_service.invoices where organization = $1 and customer_id = $2)`;

/** Safe to repeat: erased records are not counted again. */
export async function forgetCustomer(
  tx: Transaction,
  organization: string,
  customerId: string,
  now: DateTime,
): Promise<Record<string, number>> {
  const key = [organization, customerId];
  await tx.query(
    `insert into retry_service.forgotten_customers values ($1, $2, $3) on conflict (organization, customer_id) do nothing`,
    [...key, now],
  );
  const count = (statement: string, value: unknown) =>
    tx.count(`${statement} returning 1 as one`, [...key, value]);
  const counts = {
    cases: await count(
      `update retry_service.cases c set state = 'closed', reasons = '[]', review_at = null, updated_at = $3,
         reason = case c.state when 'open' then 'customer_forgotten' else c.reason end, revision = latest.revision + changed.place
       from (select coalesce(max(revision), 0) as revision from retry_service.cases where organization = $1) latest,
         (select invoice_id, row_number() over (order by invoice_id) as place from retry_service.cases
          where organization = $1 and invoice_id in ${INVOICES} and (state = 'open' or reasons <> '[]')) changed
       where c.organization = $1 and c.invoice_id = changed.invoice_id and $2::text is not null`,
      now,
    ),
    recoveryActions: await count(
      `update retry_service.recovery_actions set card_country = null, payment_method_type = null, reasons = '[]', updated_at = $3,
         status = case when status in ('PENDING', 'SENT') then 'CANCELED' else status end, status_reason = null, undeliverable_at = null
       where organization = $1 and customer_id = $2 and (status in ('PENDING', 'SENT') or reasons <> '[]'
         or coalesce(card_country, payment_method_type) is not null or status_reason is not null or undeliverable_at is not null)`,
      now,
    ),
    transactions: await count(
      `update retry_service.transactions t set message = (t.message::jsonb - $3::text[])::text
       from (select id from retry_service.transactions
             where organization = $1 and invoice_id in ${INVOICES} and message::jsonb ?| $3::text[]
             order by id for update) held
       where t.organization = $1 and t.id = held.id`,
      [...PERSONAL],
    ),
  };
  return Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0));
}

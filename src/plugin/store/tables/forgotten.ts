/** Customers whose personal data must not be kept. */
import type { DateTime } from 'luxon';
import { stableUuid } from '../../../core/base/stable-uuid.ts';
import type { Queryable } from '../../../core/database/database.ts';

export interface CustomerKey {
  readonly account: string;
  readonly customerId: string;
}

/** The job's id is derived from the customer, so that repeated requests make one job. */
export const toForgetJob = ({ account, customerId }: CustomerKey) => ({
  id: stableUuid(`forget ${account} ${customerId}`),
  data: { account, customerId },
});

export interface Forgotten {
  readonly askedAt: DateTime<true>;
  /** Null until the erasure is complete. */
  readonly finishedAt: DateTime<true> | null;
}

/** False if requested before. After the transaction no personal data of the customer is written. */
export function recordForgotten(tx: Queryable, { account, customerId }: CustomerKey, now: DateTime) {
  return tx.has(
    `insert into payment_retry.forgotten (account, customer_id, asked_at) values ($1, $2, $3)
     on conflict (account, customer_id) do nothing returning 1 as one`,
    [account, customerId, now],
  );
}

export function findForgotten(db: Queryable, { account, customerId }: CustomerKey) {
  return db.find<Forgotten>(
    `select asked_at, finished_at from payment_retry.forgotten where account = $1 and customer_id = $2`,
    [account, customerId],
  );
}

export async function finishForgotten(db: Queryable, { account, customerId }: CustomerKey, now: DateTime) {
  await db.query(
    `update payment_retry.forgotten set finished_at = $3 where account = $1 and customer_id = $2`,
    [account, customerId, now],
  );
}

/** Requests before `before` without an end: their jobs may have been lost. */
export function listUnfinished(db: Queryable, before: DateTime, limit: number) {
  return db.query<CustomerKey>(
    `select account, customer_id from payment_retry.forgotten
     where finished_at is null and asked_at <= $1 order by asked_at limit $2`,
    [before, limit],
  );
}

/** Whether an invoice or a subscription belongs to a forgotten customer. */
export function isOfForgotten(db: Queryable, account: string, id: string) {
  return db.getValue<boolean>(`select payment_retry.is_of_forgotten($1, $2) as is`, [account, id]);
}

/** Forgotten persons among the `person` values of events: customers, or charges of customers. */
export async function listForgottenPersons(db: Queryable, account: string, persons: readonly string[]) {
  if (persons.length === 0) return new Set<string>();
  const found = await db.listValues<string>(
    `select customer_id as person from payment_retry.forgotten
     where account = $1 and customer_id = any($2::text[])
     union all select charge_id from payment_retry.attempts
     where account = $1 and charge_id = any($2::text[]) and payment_retry.is_forgotten(account, customer_id)`,
    [account, persons],
  );
  return new Set(found);
}

export function isKnownCustomer(db: Queryable, { account, customerId }: CustomerKey): Promise<boolean> {
  const tables = ['subscriptions.customer_id', 'invoices.customer_id', 'events.person', 'customers.id'];
  const exists = tables.map((column) => {
    const [table] = column.split('.');
    const isIndexed = table === 'events' ? ' and payload is not null' : '';
    return `exists (select 1 from payment_retry.${table} where account = $1 and ${column} = $2${isIndexed})`;
  });
  return db.getValue<boolean>(`select ${exists.join(' or ')} as is`, [account, customerId]);
}

/** The ids that name work for a customer: invoices, and subscriptions for emails about their card. */
export function listWorkOf(db: Queryable, { account, customerId }: CustomerKey) {
  return db.listValues<string>(
    `select id from payment_retry.invoices where account = $1 and customer_id = $2
     union all select id from payment_retry.subscriptions where account = $1 and customer_id = $2`,
    [account, customerId],
  );
}

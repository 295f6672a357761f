/** What is known of one customer besides invoices, cards and mails. */
import type { Queryable } from '../../engine/database.ts';
import type { CustomerKey } from '../../tables/forgotten.ts';
import { type MoneySum, STATE } from './sum-failures.ts';

export interface CustomerSubscription {
  readonly id: string;
  readonly status: string;
  readonly plan: string | null;
  readonly planName: string | null;
}

export interface CustomerRecord {
  readonly name: string | null;
  readonly email: string | null;
  readonly sums: readonly MoneySum[];
  /** The latest first. */
  readonly subscriptions: readonly CustomerSubscription[];
}

const MOST_SUBSCRIPTIONS = 20;

/** Undefined if no payment of the customer failed and no subscription is known. */
export async function findCustomerRecord(
  db: Queryable,
  { account, customerId }: CustomerKey,
): Promise<CustomerRecord | undefined> {
  const of = [account, customerId];
  const [payer] = await db.query<{ name: string | null; email: string | null }>(
    `select name, email from payment_retry.customers where account = $1 and id = $2`,
    of,
  );
  const sums = await db.query<MoneySum>(
    `select currency, ${STATE} as state, count(*) as invoices, sum(amount)::bigint as amount, sum(returned)::bigint as returned
     from payment_retry.failures where account = $1 and customer_id = $2 group by 1, 2 order by 1, 2`,
    of,
  );
  const subscriptions = await db.query<CustomerSubscription>(
    `select s.id, s.status, s.message->>'planId' as plan, plan.name as plan_name
     from payment_retry.subscriptions s
     left join payment_retry.plans plan on plan.account = s.account and plan.id = s.message->>'planId'
     where s.account = $1 and s.customer_id = $2 order by s.version desc, s.id limit ${MOST_SUBSCRIPTIONS}`,
    of,
  );
  if (!payer && sums.length === 0 && subscriptions.length === 0) return undefined;
  return { name: payer?.name ?? null, email: payer?.email ?? null, sums, subscriptions };
}

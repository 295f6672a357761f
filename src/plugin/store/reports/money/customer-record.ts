/** One customer's name, sums, subscriptions and cards. */

import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { CustomerKey } from '../../tables/forgotten.ts';
import { type MoneySum, STATE, SUMS } from './sum-failures.ts';

export interface CustomerSubscription {
  readonly id: string;
  readonly status: string;
  readonly plan: string | null;
  readonly planName: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  /** Months, days or other units of a period. */
  readonly period: number | null;
  readonly periodUnit: string | null;
  /** Stripe's next renewal; null once the subscription ends, or ends before it. */
  readonly renewsAt: DateTime<true> | null;
}

export interface CustomerRecord {
  readonly name: string | null;
  readonly email: string | null;
  readonly sums: readonly MoneySum[];
  readonly subscriptions: readonly CustomerSubscription[];
}

const MOST_SUBSCRIPTIONS = 20;

/** Undefined for a customer without a failed payment and without a known subscription. */
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
    `select currency, ${STATE} as state, ${SUMS}
     from payment_retry.failures where account = $1 and customer_id = $2 group by 1, 2 order by 1, 2`,
    of,
  );
  const subscriptions = await listSubscriptions(db, { account, customerId });
  if (!payer && sums.length === 0 && subscriptions.length === 0) return undefined;
  return { name: payer?.name ?? null, email: payer?.email ?? null, sums, subscriptions };
}

/** Latest change first. */
export function listSubscriptions(db: Queryable, { account, customerId }: CustomerKey) {
  return db.query<CustomerSubscription>(
    `select s.id, s.status, s.message->>'planId' as plan, plan.name as plan_name,
       (s.message->>'amount')::float8 as amount, lower(s.message->>'currency') as currency,
       (s.message->>'billingPeriod')::int as period, s.message->>'billingPeriodUnit' as period_unit,
       case when s.status in ('active', 'trialing', 'past_due', 'unpaid') and (s.message->>'isCancelRequested')::boolean is not true
         then (s.message->>'expiresAt')::timestamptz end as renews_at
     from payment_retry.subscriptions s
     left join payment_retry.plans plan on plan.account = s.account and plan.id = s.message->>'planId'
     where s.account = $1 and s.customer_id = $2 order by s.version desc, s.id limit ${MOST_SUBSCRIPTIONS}`,
    [account, customerId],
  );
}

/** An unpaid invoice with the facts that decide its next step; earliest failure first. */
export interface OwedRow {
  readonly invoiceId: string;
  readonly subscriptionId: string | null;
  readonly plan: string | null;
  /** Ids of the price and, where known, the product. */
  readonly planIds: readonly string[];
  /** Outstanding amount in minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly state: 'open' | 'waiting';
  readonly failedAt: DateTime<true>;
  readonly attempts: number;
  readonly reason: string | null;
  readonly nextKind: string | null;
  readonly nextAt: DateTime<true> | null;
  readonly stripeTriesAt: DateTime<true> | null;
  readonly isTakenOver: boolean;
  readonly isHeld: boolean;
  /** The date until which an email promised to end nothing. */
  readonly promisedAt: DateTime<true> | null;
  /** Due time of the AFTER_GIVING_UP step. */
  readonly endingAt: DateTime<true> | null;
  readonly givenUpAt: DateTime<true> | null;
}

const MOST = 50;

export function listOwed(db: Queryable, { account, customerId }: CustomerKey) {
  const ofIt = (table: string) =>
    `payment_retry.${table} x where x.account = f.account and x.invoice_id = f.invoice_id`;
  return db.query<OwedRow>(
    `select f.invoice_id, f.subscription_id, coalesce(plan.name, f.plan) as plan, array_remove(array[f.plan, plan.product], null) as plan_ids,
       coalesce(i.amount_remaining, f.amount) as amount, f.currency, f.shown as state, f.failed_at, f.attempts, f.reason,
       f.next_kind, f.next_at, i.next_attempt_at as stripe_tries_at,
       exists (select 1 from ${ofIt('takeovers')} and x.handed_back_at is null) as is_taken_over,
       f.is_stopped as is_held,
       (select max(m.promised_at) from payment_retry.emails m where m.account = f.account
          and m.named @> array[f.invoice_id] and m.state in ('sending', 'sent')) as promised_at,
       (select min(x.due_at) from ${ofIt('actions')} and x.kind = 'end_dunning' and x.closed_at is null) as ending_at,
       (select x.given_up_at from ${ofIt('endings')}) as given_up_at
     from (select *, ${STATE} as shown from payment_retry.failures
           where account = $1 and customer_id = $2 and state = 'open' order by failed_at limit ${MOST}) f
     left join payment_retry.invoices i on i.account = f.account and i.id = f.invoice_id
     left join payment_retry.plans plan on plan.account = f.account and plan.id = f.plan
     order by f.failed_at, f.invoice_id`,
    [account, customerId],
  );
}

/** The subscription's part in a customer's access. */
export interface HeldSubscription {
  readonly id: string;
  readonly status: string;
  /** The requested end of a running one, or the time at which it ended. */
  readonly endsAt: DateTime<true> | null;
  /** It ended soon after a payment failed for good. */
  readonly hasLost: boolean;
}

/** A recovery, and the time that an email promised after it. */
const SOON_DAYS = 60;

export function listHeldSubscriptions(db: Queryable, { account, customerId }: CustomerKey) {
  return db.query<HeldSubscription>(
    `select s.id, s.status, (s.message->>'endsAt')::timestamptz as ends_at,
       exists (select from payment_retry.failures f where f.account = s.account and f.customer_id = s.customer_id
         and f.subscription_id = s.id and f.state = 'lost'
         and coalesce(f.failed_at > (s.message->>'endsAt')::timestamptz - interval '${SOON_DAYS} days', true)) as has_lost
     from payment_retry.subscriptions s where s.account = $1 and s.customer_id = $2`,
    [account, customerId],
  );
}

export interface CustomerCard {
  readonly methodType: string | null;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly lastAt: DateTime<true>;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly declineCode: string | null;
  readonly adviceCode: string | null;
  readonly networkCode: string | null;
  readonly networkAdvice: string | null;
  /** Counted from `since`. */
  readonly attempts: number;
}

export function listCustomerCards(
  db: Queryable,
  { account, customerId, since }: { account: string; customerId: string; since: DateTime },
) {
  return db.query<CustomerCard>(
    // Joins through the customer's invoices: attempts have no index by customer.
    `select last.*, cards.last4
     from (select distinct on (attempts.fingerprint) attempts.payment_method, attempts.method_type, attempts.brand,
             attempts.started_at as last_at, attempts.outcome, attempts.code, attempts.decline_code,
             attempts.advice_code, attempts.network_code, attempts.network_advice,
             count(*) filter (where attempts.started_at >= $3) over (partition by attempts.fingerprint) as attempts
           from payment_retry.invoices
           join payment_retry.attempts on attempts.account = invoices.account and attempts.invoice_id = invoices.id
           where invoices.account = $1 and invoices.customer_id = $2 and attempts.fingerprint is not null
           order by attempts.fingerprint, attempts.started_at desc) last
     left join payment_retry.cards on cards.account = $1 and cards.id = last.payment_method
     order by last.last_at desc limit 10`,
    [account, customerId, since],
  );
}

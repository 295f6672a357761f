/** What failed payments are about, in money. Every sum is of one currency, in minor units. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../engine/database.ts';

/** `waiting`: open, and no payment of it is planned: the customer or a person has to act first. */
export type MoneyState = 'open' | 'waiting' | 'recovered' | 'lost';
export type Cause = 'retry' | 'new_card' | 'confirmation' | 'other_card' | 'by_itself';

export const DIMENSIONS = ['reason', 'brand', 'country', 'plan'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export interface MoneySum {
  readonly currency: string;
  readonly state: MoneyState;
  readonly invoices: number;
  readonly amount: number;
  /** Of it, once it was recovered: refunds and lost disputes. */
  readonly returned: number;
}

/** Null where Stripe says nothing. */
export interface DimensionSum extends MoneySum {
  readonly dimension: Dimension | 'all';
  readonly value: string | null;
}

/** A `MoneyState`, of a row of failures. */
export const STATE = `case when state = 'open' and next_kind is distinct from 'pay' then 'waiting' else state end`;

/** Invoices whose first payment failed since then, all of them and by each dimension: added up once, then by each. */
export function sumFailuresSince(db: Queryable, since: DateTime): Promise<DimensionSum[]> {
  const flags = DIMENSIONS.map((name) => `when grouping(${name}) = 0 then '${name}'`).join(' ');
  return db.query<DimensionSum>(
    `select case ${flags} else 'all' end as dimension, coalesce(reason, brand, country, plan) as value,
       currency, state, sum(invoices)::bigint as invoices, sum(amount)::bigint as amount,
       sum(returned)::bigint as returned
     from (select currency, ${STATE} as state, reason, brand, country, plan, count(*) as invoices, sum(amount) as amount,
             sum(returned) as returned
           from payment_retry.failures where failed_at >= $1 group by 1, 2, 3, 4, 5, 6) f
     group by grouping sets ((currency, state), ${DIMENSIONS.map((name) => `(currency, state, ${name})`).join(', ')})`,
    [since.toISO()],
  );
}

/** What is unpaid now, whenever it failed. */
export function sumUnpaid(db: Queryable): Promise<MoneySum[]> {
  return db.query<MoneySum>(
    `select currency, ${STATE} as state, count(*) as invoices, sum(amount)::bigint as amount, 0 as returned
     from payment_retry.failures where state = 'open' group by 1, 2`,
  );
}

export interface DaySum {
  /** `2026-03-02`, in the zone asked for. */
  readonly day: string;
  readonly currency: string;
  readonly invoices: number;
  readonly amount: number;
}

/** Net of refunds and lost disputes. */
export interface RecoveredSum extends DaySum {
  readonly cause: Cause;
}

/** What came back and stayed. */
export function netOf<Sum extends Pick<MoneySum, 'amount' | 'returned'>>(sum: Sum): Sum {
  return { ...sum, amount: sum.amount - sum.returned };
}

/** Words are made of the few days, not of each row. */
const byDay = (column: string, name: string, where: string) =>
  `select to_char(day, 'YYYY-MM-DD') as day, ${name.split(' ').at(-1)}, currency, invoices, amount
   from (select (${column} at time zone $2)::date as day, ${name}, currency, count(*) as invoices, sum(amount - returned)::bigint as amount
         from payment_retry.failures where ${where} group by 1, 2, 3) sums order by day`;

export function sumRecoveredByDay(db: Queryable, since: DateTime, zone: string): Promise<RecoveredSum[]> {
  return db.query<RecoveredSum>(byDay('ended_at', 'cause', `state = 'recovered' and ended_at >= $1`), [
    since.toISO(),
    zone,
  ]);
}

export interface DueSum extends DaySum {
  readonly kind: string;
}

/** What is planned until then, by day. What is overdue counts to its own day. */
export function sumDue(db: Queryable, until: DateTime, zone: string): Promise<DueSum[]> {
  return db.query<DueSum>(byDay('next_at', 'next_kind as kind', `next_at < $1 and state = 'open'`), [
    until.toISO(),
    zone,
  ]);
}

/** What failed payments are about, in money. Every sum is of one currency, in minor units. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

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
  /** Recovered invoices with an open dispute, and their amount in dispute: the sum still holds it. */
  readonly disputes: number;
  readonly disputed: number;
}

/** Of rows of failures with a `state`. */
export const DISPUTED = `count(*) filter (where disputed > 0 and state = 'recovered') as disputes,
  coalesce(sum(disputed) filter (where state = 'recovered'), 0)::bigint as disputed`;

/** The sums of rows of failures, or of kept sums. */
export const SUMS = `count(*) as invoices, sum(amount)::bigint as amount, sum(returned)::bigint as returned,
  ${DISPUTED}`;
export const KEPT_SUMS = `sum(invoices)::bigint as invoices, sum(amount)::bigint as amount, sum(returned)::bigint as returned,
  sum(disputes)::bigint as disputes, sum(disputed)::bigint as disputed`;

/** A `MoneyState`, of a row of failures. */
export const STATE = `case when state = 'open' and next_kind is distinct from 'pay' then 'waiting' else state end`;

/** What is unpaid now of all that failed at other times than those. */
export function sumOtherUnpaid(
  db: Queryable,
  { from, to }: { from: DateTime; to: DateTime },
): Promise<MoneySum[]> {
  return db.query<MoneySum>(
    `select currency, ${STATE} as state, ${SUMS}
     from payment_retry.failures where state = 'open' and (failed_at < $1 or failed_at >= $2) group by 1, 2`,
    [from, to],
  );
}

export interface DaySum {
  /** `2026-03-02`, in the zone asked for. */
  readonly day: string;
  readonly currency: string;
  readonly invoices: number;
  readonly amount: number;
}

/** What came back and stayed. */
export function netOf<Sum extends Pick<MoneySum, 'amount' | 'returned'>>(sum: Sum): Sum {
  return { ...sum, amount: sum.amount - sum.returned };
}

export interface DueSum extends DaySum {
  readonly kind: string;
}

/** What is planned until then, by day. What is overdue counts to its own day. Words are made of the few days, not of each row. */
export function sumDue(db: Queryable, until: DateTime, zone: string): Promise<DueSum[]> {
  return db.query<DueSum>(
    `select to_char(day, 'YYYY-MM-DD') as day, kind, currency, invoices, amount
     from (select (next_at at time zone $2)::date as day, next_kind as kind, currency, count(*) as invoices, sum(amount)::bigint as amount
           from payment_retry.failures where next_at < $1 and state = 'open' group by 1, 2, 3) sums order by day`,
    [until, zone],
  );
}

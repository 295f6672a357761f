/** Sums of failed payments, each in one currency and in minor units. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

/** `waiting`: open without a planned payment; the customer or a person has to act first. */
export type MoneyState = 'open' | 'waiting' | 'recovered' | 'lost';
export type Cause = 'retry' | 'new_card' | 'confirmation' | 'other_card' | 'by_itself';

export const DIMENSIONS = ['reason', 'brand', 'country', 'plan'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export interface MoneySum {
  readonly currency: string;
  readonly state: MoneyState;
  readonly invoices: number;
  readonly amount: number;
  /** Refunds and lost disputes after recovery, part of `amount`. */
  readonly returned: number;
  /** Recovered invoices with an open dispute, and the disputed amount, which the sum still includes. */
  readonly disputes: number;
  readonly disputed: number;
}

/** Applies to rows of failures with a `state`. */
export const DISPUTED = `count(*) filter (where disputed > 0 and state = 'recovered') as disputes,
  coalesce(sum(disputed) filter (where state = 'recovered'), 0)::bigint as disputed`;

/** `SUMS`: over failures. `KEPT_SUMS`: over kept sums. */
export const SUMS = `count(*) as invoices, sum(amount)::bigint as amount, sum(returned)::bigint as returned,
  ${DISPUTED}`;
export const KEPT_SUMS = `sum(invoices)::bigint as invoices, sum(amount)::bigint as amount, sum(returned)::bigint as returned,
  sum(disputes)::bigint as disputes, sum(disputed)::bigint as disputed`;

/** The `MoneyState` of a row of failures. */
export const STATE = `case when state = 'open' and next_kind is distinct from 'pay' then 'waiting' else state end`;

/** Sums of unpaid invoices that failed outside the period. */
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

/** Replaces the amount by the one net of refunds and lost disputes. */
export function netOf<Sum extends Pick<MoneySum, 'amount' | 'returned'>>(sum: Sum): Sum {
  return { ...sum, amount: sum.amount - sum.returned };
}

export interface DueSum {
  /** `2026-03-02` in the requested zone. */
  readonly day: string;
  readonly kind: string;
  readonly currency: string;
  readonly invoices: number;
  readonly amount: number;
}

/** Planned actions until a time, by day. Overdue ones count on their own day. */
export function sumDue(db: Queryable, until: DateTime, zone: string): Promise<DueSum[]> {
  return db.query<DueSum>(
    `select to_char(day, 'YYYY-MM-DD') as day, kind, currency, invoices, amount
     from (select (next_at at time zone $2)::date as day, next_kind as kind, currency, count(*) as invoices, sum(amount)::bigint as amount
           from payment_retry.failures where next_at < $1 and state = 'open' group by 1, 2, 3) sums order by day`,
    [until, zone],
  );
}

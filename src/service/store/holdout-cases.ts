/** The closed cases of the holdout and those it is compared with. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../core/database/database.ts';

export interface HoldoutCount {
  isHeldOut: boolean;
  percent: number;
  cases: number;
  recovered: number;
}

/** Cases by the money that was at stake, in minor units of one currency. A case is recovered whole or not at all. */
export interface MoneySums {
  readonly cases: number;
  readonly amount: number;
  readonly recovered: number;
  /** Of each case's amount, squared. */
  readonly squares: number;
  readonly recoveredSquares: number;
}

export interface HoldoutMoney extends MoneySums {
  isHeldOut: boolean;
  currency: string;
}

/**
 * Only cases that were drawn with the latest share and have had their time: those that were paid close sooner than
 * those that were not, so among young ones there would be too many of them.
 */
const COUNTS = `
  c.organization = $1 and c.state = 'closed' and c.opened_at <= $2
  and c.holdout_percent = (select holdout_percent from retry_service.cases
                           where organization = $1 and holdout_percent > 0 order by opened_at desc limit 1)`;

export async function countHoldoutCases(
  db: Queryable,
  organization: string,
  begunBefore: DateTime,
): Promise<HoldoutCount[]> {
  return db.query<HoldoutCount>(
    `select is_held_out, holdout_percent as percent, count(*) as cases,
            count(*) filter (where reason = 'invoice_paid') as recovered
     from retry_service.cases c
     where ${COUNTS}
     group by is_held_out, holdout_percent`,
    [organization, begunBefore],
  );
}

/**
 * The same cases in money, if they began at `keptSince` or later: of older ones the invoices are taken away, those that were
 * paid before those that were not. A message is read without its escapes: PostgreSQL refuses that of a zero.
 */
export async function sumHoldoutMoney(
  db: Queryable,
  organization: string,
  { begunBefore, keptSince }: { begunBefore: DateTime; keptSince: DateTime },
): Promise<HoldoutMoney[]> {
  return db.query<HoldoutMoney>(
    `select c.is_held_out, i.currency, count(*) as cases, sum(a.amount) as amount, sum(a.amount ^ 2) as squares,
            coalesce(sum(a.amount) filter (where c.reason = 'invoice_paid'), 0) as recovered,
            coalesce(sum(a.amount ^ 2) filter (where c.reason = 'invoice_paid'), 0) as recovered_squares
     from retry_service.cases c
     join retry_service.invoices i on i.organization = c.organization and i.id = c.invoice_id
     cross join lateral (select (regexp_replace(i.message, '\\\\.', '', 'g')::json ->> 'amount')::float8 as amount) a
     where ${COUNTS} and c.opened_at >= $3
     group by c.is_held_out, i.currency order by i.currency, c.is_held_out`,
    [organization, begunBefore, keptSince],
  );
}

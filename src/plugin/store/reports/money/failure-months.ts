/** Sums of failed payments by month. Each month is added up once; from then on the database keeps its sums. */

import { DateTime } from 'luxon';
import { toIso } from '../../../../core/base/clock.ts';
import { DatabaseBusyError } from '../../../../core/base/errors.ts';
import type { Database, Queryable } from '../../../../core/database/database.ts';
import { type FailureFilter, type ListedSum, sumListed } from './list-failures.ts';
import type { InvoiceListing } from './needs.ts';
import {
  DIMENSIONS,
  type Dimension,
  type Factors,
  KEPT_SUMS,
  MOST_COUNTED,
  type MoneyState,
  type NetSum,
} from './sum-failures.ts';

/** `from` inclusive, `to` exclusive. */
export interface Span {
  readonly from: DateTime;
  readonly to: DateTime;
}

/**
 * `all`: by state, `value` the cause of a recovery. `failed` and `paid`: by day, only payments within the month. `back`:
 * payments of the month, with any first failure.
 */
export type MonthDimension = Dimension | 'all' | 'failed' | 'paid' | 'recovered';

/** Sums by the month of the first failure, in the report's currency where there is a rate. */
export interface MonthSum extends NetSum {
  /** `2026-03`, in the zone asked for. */
  readonly month: string;
  readonly dimension: MonthDimension;
  /** Null where Stripe says nothing. */
  readonly value: string | null;
  readonly state: MoneyState | '';
}

export interface SumQuery {
  readonly zone: string;
  readonly now: DateTime;
  readonly factors: Factors;
}

/** The sums of every month in the span that has begun. */
export async function sumMonths(
  database: Database,
  span: Span,
  asked: SumQuery & { readonly dimensions: readonly MonthDimension[] },
): Promise<MonthSum[]> {
  const months = monthsOver(span, asked);
  const kept = await keepMonths(database, months, asked);
  const columns = `to_char(starts_at at time zone $1, 'YYYY-MM') as month, dimension, value, currency, state, ${KEPT_SUMS}`;
  const ofKept = await database.query<MonthSum>(
    `select ${columns} from payment_retry.failure_month_sums
     where starts_at = any($2::timestamptz[]) and dimension = any($3) group by 1, 2, 3, 4, 5 having sum(invoices) <> 0`,
    [asked.zone, kept.map(({ from }) => from.toISO()), asked.dimensions],
  );
  const rest = months
    .filter((month) => !kept.includes(month))
    .map(({ from, to }) =>
      database.query<MonthSum>(
        `select ${columns} from payment_retry.sum_month($1, $4, $5, $6)
         where starts_at = any($2::timestamptz[]) and dimension = any($3) group by 1, 2, 3, 4, 5`,
        [asked.zone, [from.toISO()], asked.dimensions, JSON.stringify(asked.factors), from, to],
      ),
    );
  return [...ofKept, ...(await Promise.all(rest)).flat()];
}

/** When the first payment failed. */
export async function findFirstFailure(database: Database): Promise<DateTime | undefined> {
  return database.findValue<DateTime<true>>('select min(failed_at) as at from payment_retry.failures');
}

/** Which months' sums answer: one dimension, and what came back or was lost. */
const STATES: Readonly<Partial<Record<InvoiceListing, MoneyState>>> = {
  recovered: 'recovered',
  lost: 'lost',
  unpaid: 'open',
};

/** Returns what `sumListed` does, from kept sums of months where they suffice. */
export async function sumAllListed(database: Database, filter: FailureFilter, asked: SumQuery) {
  const { standing, currencies, from, to, ...others } = filter;
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const [name = 'all', value] = given[0] ?? [];
  const dimension = ['all', ...DIMENSIONS].find((one) => one === name);
  const state = standing && STATES[standing];
  if (given.length > 1 || dimension === undefined || (standing && !state))
    return sumListed(database, filter, asked.factors);
  const first = await findFirstFailure(database);
  if (!first) return [];
  const begin = from === undefined ? first.setZone(asked.zone).startOf('month') : DateTime.fromISO(from);
  const end =
    to === undefined
      ? asked.now.setZone(asked.zone).plus({ days: 1 }).startOf('month').plus({ months: 1 })
      : DateTime.fromISO(to);
  const kept = await keepMonths(database, monthsOver({ from: begin, to: end }, asked), asked);
  const ofMonths = await database.query<ListedSum>(
    `select currency, ${KEPT_SUMS} from payment_retry.failure_month_sums
     where starts_at = any($1::timestamptz[]) and dimension = $2 and ($3::text is null or value is not distinct from nullif($3, ''))
       and ($4::text is null or state = $4) and ($5::text[] is null or currency = any($5)) group by currency having sum(invoices) <> 0`,
    [kept.map(({ from }) => from.toISO()), dimension, value, state, currencies],
  );
  const rest = await Promise.all(
    without({ from: begin, to: end }, kept).map((part) =>
      sumListed(database, { ...filter, from: toIso(part.from), to: toIso(part.to) }, asked.factors),
    ),
  );
  return addUpListed([...ofMonths, ...rest.flatMap((sums) => sums ?? [])]);
}

function addSums<Sum extends NetSum>(one: Sum, other: Sum): Sum {
  return {
    ...one,
    invoices: one.invoices + other.invoices,
    amount: one.amount + other.amount,
    disputes: one.disputes + other.disputes,
    disputed: one.disputed + other.disputed,
  };
}

/** Sums by currency: the most invoices first. */
export function addUpListed<Sum extends NetSum>(parts: readonly Sum[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const part of parts) {
    const known = sums.get(part.currency);
    sums.set(part.currency, known ? addSums(known, part) : part);
  }
  return [...sums.values()].sort(
    (one, other) => other.invoices - one.invoices || (one.currency < other.currency ? -1 : 1),
  );
}

/** Months within the span that have begun or begin within a day: Stripe's clock may be ahead of ours. */
function monthsOver({ from, to }: Span, { zone, now }: SumQuery): Span[] {
  const last = now.setZone(zone).plus({ days: 1 });
  const months: Span[] = [];
  let start = from.setZone(zone).startOf('month');
  if (start < from) start = start.plus({ months: 1 });
  for (let end = start.plus({ months: 1 }); start <= last && end <= to; end = start.plus({ months: 1 })) {
    months.push({ from: start, to: end });
    start = end;
  }
  return months;
}

/** The parts of the span outside these months, which are in order. */
function without(span: Span, months: readonly Span[]): Span[] {
  const rest: Span[] = [];
  let { from } = span;
  for (const month of months) {
    if (from < month.from) rest.push({ from, to: month.from });
    from = month.to;
  }
  return from < span.to ? [...rest, { from, to: span.to }] : rest;
}

/** Returns those of the months whose sums are kept now. */
async function keepMonths(database: Database, months: readonly Span[], asked: SumQuery): Promise<Span[]> {
  if (months.length === 0) return [];
  const rows = await database.query<{ startsAt: DateTime<true> }>(
    'select starts_at from payment_retry.failure_months where zone = $1 and rates = $2::jsonb',
    [asked.zone, JSON.stringify(asked.factors)],
  );
  const known = new Set(rows.map(({ startsAt }) => startsAt.toMillis()));
  const kept: Span[] = [];
  for (const month of months)
    if (known.has(month.from.toMillis()) || (await keepMonth(database, month, asked))) kept.push(month);
  return kept;
}

/**
 * Nobody may change a failure between its being added up and the month's row. While somebody does, the month is not kept: a page
 * waits for nobody.
 */
async function keepMonth(database: Database, { from, to }: Span, { zone, factors }: SumQuery) {
  try {
    await database.transaction(async (tx) => {
      await tx.query('lock table payment_retry.failure_months in share row exclusive mode nowait');
      await tx.query('select payment_retry.keep_month($1, $2, $3, $4)', [
        zone,
        JSON.stringify(factors),
        from,
        to,
      ]);
    });
    return true;
  } catch (error) {
    if (error instanceof DatabaseBusyError) return false;
    throw error;
  }
}

/** The cost of collecting a month's failed invoices: our charges and emails. */
export interface MonthCost {
  readonly attempts: number;
  readonly emails: number;
}

export function readMonthCost(db: Queryable, { from, to }: Span) {
  return db.get<MonthCost>(
    `select
       (select count(*) from (select from payment_retry.failures f join payment_retry.attempts a using (account, invoice_id)
         where f.failed_at >= $1 and f.failed_at < $2 and a.source = 'ours' and a.attempt_number is not null limit ${MOST_COUNTED}) a)::int as attempts,
       (select count(*) from (select distinct e.account, e.template, e.step from payment_retry.failures f
         join payment_retry.emails e on e.account = f.account and e.named @> array[f.invoice_id] and e.state = 'sent'
         where f.failed_at >= $1 and f.failed_at < $2 limit ${MOST_COUNTED}) e)::int as emails`,
    [from, to],
  );
}

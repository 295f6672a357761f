/** Failed and recovered payments of a period. Each month is summed once; then the database keeps its sums current. */

import { DateTime } from 'luxon';
import { toIso } from '../../../../core/base/clock.ts';
import { DatabaseBusyError } from '../../../../core/base/errors.ts';
import type { Database, Queryable } from '../../../../core/database/database.ts';
import { type FailureFilter, type ListedSum, sumListed } from './list-failures.ts';
import type { InvoiceListing } from './needs.ts';
import {
  type Cause,
  DIMENSIONS,
  type Dimension,
  KEPT_SUMS,
  type MoneyState,
  type MoneySum,
  STATE,
  SUMS,
} from './sum-failures.ts';

/** `from` inclusive, `to` exclusive. */
export interface Span {
  readonly from: DateTime;
  readonly to: DateTime;
}

/** Sums by day of the first failure. `value`: null if Stripe gave none. */
export interface FailedSum extends MoneySum {
  readonly dimension: Dimension | 'all';
  readonly value: string | null;
}

/** Sums by day of recovery, for failures of any date. */
export interface BackSum extends Omit<MoneySum, 'state'> {
  /** `2026-03-02` in the requested zone. */
  readonly day: string;
  readonly cause: Cause;
}

/** Several rows may be of one kind: the reader adds them. */
export interface SpanSums {
  readonly failed: readonly FailedSum[];
  readonly back: readonly BackSum[];
}

export interface MonthSum extends MoneySum {
  /** `2026-03`. */
  readonly month: string;
}

interface SumQuery {
  readonly zone: string;
  readonly now: DateTime;
}

interface KeptSum extends Omit<FailedSum, 'dimension' | 'state'> {
  readonly dimension: FailedSum['dimension'] | 'back';
  readonly state: string;
}

const BY_DIMENSION = DIMENSIONS.map((name) => `when grouping(${name}) = 0 then '${name}'`).join(' ');

/** Parameters: from, to, zone. */
const BACK = `select 'back' as dimension, to_char(day, 'YYYY-MM-DD') as value, currency, cause as state, invoices, amount, returned,
    disputes, disputed
  from (select (ended_at at time zone $3)::date as day, currency, cause, ${SUMS}
        from payment_retry.failures where state = 'recovered' and ended_at >= $1 and ended_at < $2 group by 1, 2, 3) b`;

/** Grouped by all dimensions first, then by each. */
const ADDED_UP = `select case ${BY_DIMENSION} else 'all' end as dimension, coalesce(reason, brand, country, plan) as value,
    currency, state, ${KEPT_SUMS}
  from (select currency, ${STATE} as state, reason, brand, country, plan, ${SUMS}
        from payment_retry.failures where failed_at >= $1 and failed_at < $2 group by 1, 2, 3, 4, 5, 6) f
  group by grouping sets ((currency, state), ${DIMENSIONS.map((name) => `(currency, state, ${name})`).join(', ')})
  union all ${BACK}`;

/** Sums a period that may last years. `isWhole` leaves out the sums by dimension. */
export async function sumSpan(
  database: Database,
  span: Span,
  asked: SumQuery & { readonly isWhole?: boolean },
): Promise<SpanSums> {
  const kept = await keepMonths(database, monthsOver(span, asked), asked);
  const rows = kept.length === 0 ? [] : await readKept(database, kept, asked);
  for (const { from, to } of without(span, kept))
    rows.push(...(await database.query<KeptSum>(ADDED_UP, [from, to, asked.zone])));
  return {
    failed: rows.filter((row): row is FailedSum => row.dimension !== 'back'),
    back: rows
      .filter(({ dimension }) => dimension === 'back')
      .map(({ value, state, dimension: _dimension, ...sum }) => ({
        ...sum,
        day: value ?? '',
        cause: state as Cause,
      })),
  };
}

/** Sums all failures by month. */
export async function sumMonths(database: Database, span: Span, asked: SumQuery): Promise<MonthSum[]> {
  const kept = await keepMonths(database, monthsOver(span, asked), asked);
  const columns = `currency, state, ${KEPT_SUMS}`;
  const ofKept = await database.query<MonthSum>(
    `select to_char(starts_at at time zone $1, 'YYYY-MM') as month, ${columns}
     from payment_retry.failure_month_sums where zone = $1 and starts_at = any($2::timestamptz[]) and dimension = 'all'
     group by 1, 2, 3 having sum(invoices) <> 0`,
    [asked.zone, kept.map(({ from }) => from.toISO())],
  );
  const rest = without(span, kept).map(({ from, to }) =>
    database.query<MonthSum>(
      `select to_char(month, 'YYYY-MM') as month, ${columns}
       from (select date_trunc('month', failed_at at time zone $3) as month, currency, ${STATE} as state, ${SUMS}
             from payment_retry.failures where failed_at >= $1 and failed_at < $2 group by 1, 2, 3) f group by 1, 2, 3`,
      [from, to, asked.zone],
    ),
  );
  return [...ofKept, ...(await Promise.all(rest)).flat()];
}

/** Listings that kept sums can answer. */
const STATES: Readonly<Partial<Record<InvoiceListing, MoneyState>>> = { back: 'recovered', lost: 'lost' };

/** Returns what `sumListed` does, from kept sums of months where they suffice. */
export async function sumAllListed(
  database: Database,
  filter: FailureFilter,
  asked: SumQuery,
): Promise<ListedSum[] | undefined> {
  const { standing, currencies, from, to, ...others } = filter;
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const [name = 'all', value = ''] = given[0] ?? [];
  const dimension = ['all', ...DIMENSIONS].find((one) => one === name);
  const state = standing && STATES[standing];
  if (given.length > 1 || dimension === undefined || (standing && !state)) return sumListed(database, filter);
  const [first] = await database.query<{ at: DateTime<true> | null }>(
    'select min(failed_at) as at from payment_retry.failures',
  );
  if (!first?.at) return [];
  const begin = from === undefined ? first.at.setZone(asked.zone).startOf('month') : DateTime.fromISO(from);
  const end =
    to === undefined
      ? asked.now.setZone(asked.zone).plus({ days: 1 }).startOf('month').plus({ months: 1 })
      : DateTime.fromISO(to);
  const kept = await keepMonths(database, monthsOver({ from: begin, to: end }, asked), asked);
  const ofMonths = await database.query<ListedSum>(
    `select currency, ${KEPT_SUMS} from payment_retry.failure_month_sums
     where zone = $1 and starts_at = any($2::timestamptz[]) and dimension = $3 and value is not distinct from nullif($4::text, '')
       and ($5::text is null or state = $5) and ($6::text[] is null or currency = any($6)) group by currency having sum(invoices) <> 0`,
    [asked.zone, kept.map(({ from }) => from.toISO()), dimension, value, state, currencies],
  );
  const rest = await Promise.all(
    without({ from: begin, to: end }, kept).map((part) =>
      sumListed(database, { ...filter, from: toIso(part.from), to: toIso(part.to) }),
    ),
  );
  return addUpListed([...ofMonths, ...rest.flatMap((sums) => sums ?? [])]);
}

function addSums(one: ListedSum, other: ListedSum): ListedSum {
  return {
    currency: one.currency,
    invoices: one.invoices + other.invoices,
    amount: one.amount + other.amount,
    returned: one.returned + other.returned,
    disputes: one.disputes + other.disputes,
    disputed: one.disputed + other.disputed,
  };
}

/** Adds sums by currency, the most invoices first. */
export function addUpListed(parts: readonly ListedSum[]): ListedSum[] {
  const sums = new Map<string, ListedSum>();
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

/** Returns the months whose sums are available. */
async function keepMonths(database: Database, months: readonly Span[], { zone }: SumQuery): Promise<Span[]> {
  if (months.length === 0) return [];
  const rows = await database.query<{ startsAt: DateTime<true> }>(
    `select starts_at from payment_retry.failure_months where zone = $1`,
    [zone],
  );
  const known = new Set(rows.map(({ startsAt }) => startsAt.toMillis()));
  const kept: Span[] = [];
  for (const month of months)
    if (known.has(month.from.toMillis()) || (await keepMonth(database, month, zone))) kept.push(month);
  return kept;
}

/**
 * No failure may change between the summing and the insert of the month's row. If another transaction holds the lock, the
 * month is left out: a page never waits.
 */
async function keepMonth(database: Database, { from, to }: Span, zone: string): Promise<boolean> {
  try {
    await database.transaction(async (tx) => {
      await tx.query('lock table payment_retry.failure_months in share row exclusive mode nowait');
      await tx.query('select payment_retry.keep_month($1, $2, $3)', [zone, from, to]);
    });
    return true;
  } catch (error) {
    if (error instanceof DatabaseBusyError) return false;
    throw error;
  }
}

function readKept(
  db: Queryable,
  months: readonly Span[],
  { zone, isWhole = false }: SumQuery & { readonly isWhole?: boolean },
): Promise<KeptSum[]> {
  const dimensions = ['all', 'back', ...(isWhole ? [] : DIMENSIONS)];
  return db.query<KeptSum>(
    `select dimension, value, currency, state, ${KEPT_SUMS}
     from payment_retry.failure_month_sums
     where zone = $1 and starts_at = any($2::timestamptz[]) and dimension = any($3)
     group by 1, 2, 3, 4 having sum(invoices) <> 0`,
    [zone, months.map(({ from }) => from.toISO()), dimensions],
  );
}

export interface PaidAfter {
  /** Day of the first failure. */
  readonly day: string;
  /** Days until payment, rounded up; null while unpaid. */
  readonly days: number | null;
  readonly invoices: number;
}

/** Counts a month's failures by days until payment. */
export async function countPaidAfter(database: Database, month: Span, asked: SumQuery): Promise<PaidAfter[]> {
  const [kept] = await keepMonths(database, [month], asked);
  if (kept)
    return database.query<PaidAfter>(
      `select value as day, case when state <> 'unpaid' then state::integer end as days, invoices from payment_retry.failure_month_sums
       where zone = $1 and starts_at = $2 and dimension = 'paid' and invoices <> 0`,
      [asked.zone, month.from],
    );
  return database.query<PaidAfter>(
    `select to_char(day, 'YYYY-MM-DD') as day, days, invoices
     from (select (failed_at at time zone $3)::date as day,
             case state when 'recovered' then ceil(extract(epoch from greatest(ended_at - failed_at, interval '0')) / 86400)::integer end as days,
             count(*) as invoices
           from payment_retry.failures where failed_at >= $1 and failed_at < $2 group by 1, 2) f`,
    [month.from, month.to, asked.zone],
  );
}

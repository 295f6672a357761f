/** The totals of the listing, from what the database's triggers keep for each hour or day of execution. */
import { DateTime } from 'luxon';
import type { Queryable } from '../../../store/engine/database.ts';
import { IS_OF_MARKET, type MarketFilters } from './market-pages.ts';

const OF_ALL = { table: 'retry_service.action_counts', time: 'executed_hour', unit: 'hour' } as const;
const OF_MARKETS = {
  table: 'retry_service.action_market_counts',
  time: 'executed_day',
  unit: 'day',
} as const;

/** An empty `cardCountry` is not distinguished from none here. */
export async function countKept(
  db: Queryable,
  organization: string,
  { currency, cardCountry, ...bounds }: MarketFilters,
): Promise<number> {
  const isOfMarket = currency !== undefined || cardCountry !== undefined;
  const kept = isOfMarket ? OF_MARKETS : OF_ALL;
  const params: string[] = [organization];
  const conditions = ['organization = $1'];
  if (currency !== undefined) conditions.push(`currency = $${params.push(currency)}`);
  if (cardCountry !== undefined) conditions.push(`card_country = $${params.push(cardCountry)}`);
  const condition = conditions.join(' and ');
  const isBounded = bounds.executedAfter !== undefined || bounds.executedBefore !== undefined;
  const sum = isBounded ? toBoundedSum(kept, condition, { bounds, params }) : toSum(kept, condition);
  const [row] = await db.query<{ count: number }>(`select (${sum})::bigint as count`, params);
  return row?.count ?? 0;
}

type Kept = typeof OF_ALL | typeof OF_MARKETS;
type Bounds = Pick<MarketFilters, 'executedAfter' | 'executedBefore'>;

function toSum({ table }: Kept, condition: string): string {
  return `select coalesce(sum(actions), 0) from ${table} where ${condition}`;
}

/** Whole hours or days are summed up; only the actions of the two that a bound cuts are counted. */
function toBoundedSum(
  kept: Kept,
  condition: string,
  { bounds, params }: { bounds: Bounds; params: string[] },
): string {
  const { executedAfter: after = '-infinity', executedBefore: before = 'infinity' } = bounds;
  const { from, to } = wholeUnits(bounds, kept.unit);
  const [start, end, lower, upper] = [from, to, after, before].map(
    (time) => `$${params.push(time)}::timestamptz`,
  );
  const count = kept === OF_ALL ? toCount : toCountByMarket;
  return `(${toSum(kept, condition)} and ${kept.time} >= ${start} and ${kept.time} < ${end})
        + (${count(condition, `${lower}`, `least(${start}, ${upper})`)})
        + (${count(condition, `greatest(${start}, ${end})`, `${upper}`)})`;
}

/** In order, so that a planner without statistics, which the embedded database's is, takes the index that has the bounds. */
function toCount(condition: string, from: string, to: string): string {
  const executed = `coalesce(executed_at, 'infinity')`;
  return `select count(*)
     from (select 1 from retry_service.recovery_actions
           where ${condition} and ${executed} >= ${from} and ${executed} < ${to} order by ${executed}) as counted`;
}

/** In each market the time is one stretch of an index. */
function toCountByMarket(condition: string, from: string, to: string): string {
  return `select coalesce(sum(action.count), 0)
     from (select distinct currency, card_country from retry_service.action_market_counts
           where ${condition} and executed_day >= date_trunc('day', ${from}, 'UTC') and executed_day < ${to}) as part
     cross join lateral (${toCount(`${condition} and ${IS_OF_MARKET}`, from, to)}) as action`;
}

/** Within one hour or day there is none: `from` is then after `to`. */
function wholeUnits(
  { executedAfter, executedBefore }: Bounds,
  unit: Kept['unit'],
): Record<'from' | 'to', string> {
  const after = executedAfter === undefined ? undefined : parse(executedAfter);
  const floor = after?.startOf(unit);
  const from = floor && (floor.equals(after ?? floor) ? floor : floor.plus({ [unit]: 1 }));
  const to = executedBefore === undefined ? undefined : parse(executedBefore).startOf(unit);
  // PostgreSQL does not read how a year of five digits is written.
  const isReadable = from === undefined || from.year <= 9999;
  return { from: isReadable ? (from?.toISO() ?? '-infinity') : 'infinity', to: to?.toISO() ?? 'infinity' };
}

function parse(iso: string): DateTime {
  return DateTime.fromISO(iso, { zone: 'utc' });
}

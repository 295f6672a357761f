/** The listing's statements: keyset paging over one order column, ties broken by position. */
import { DateTime } from 'luxon';
import type { Suggestion } from '../../../core/contract/contract.ts';
import type { Queryable } from '../../../core/database/database.ts';
import { type DecisionReason, readDecisionReasons } from '../../reasons/decision-reason.ts';
import { readStatusReason, type StatusReason } from '../../reasons/status-reason.ts';
import type { ActionStatus } from '../case-facts.ts';
import { IS_OF_MARKET, type MarketFilters, selectMarketPage, toMarketDays } from './market-pages.ts';

export const ORDERINGS = ['created_at', 'executed_at', 'ideal_retry_time'] as const;
export type Ordering = (typeof ORDERINGS)[number];
export type Direction = 'asc' | 'desc';

/** Unexecuted actions come last in either direction. Each expression has an index that begins with organization. */
const EXECUTED: Record<Direction, string> = {
  asc: `coalesce(executed_at, 'infinity')`,
  desc: `coalesce(executed_at, '-infinity')`,
};
const ORDER_KEYS: Record<Ordering, Record<Direction, string>> = {
  created_at: { asc: 'created_at', desc: 'created_at' },
  executed_at: EXECUTED,
  ideal_retry_time: { asc: 'ideal_retry_at', desc: 'ideal_retry_at' },
};

const COMPARISONS: Record<Direction, string> = { asc: '>', desc: '<' };

export interface ActionFilters {
  subscriptionId?: string | undefined;
  invoiceId?: string | undefined;
  customerId?: string | undefined;
  transactionId?: string | undefined;
  cardCountry?: string | undefined;
  currency?: string | undefined;
  executedAfter?: string | undefined;
  executedBefore?: string | undefined;
}

const COLUMNS = [
  ['subscriptionId', 'subscription_id'],
  ['invoiceId', 'invoice_id'],
  ['customerId', 'customer_id'],
  ['transactionId', 'transaction_id'],
  ['cardCountry', 'card_country'],
  ['currency', 'currency'],
] as const;

export interface PagePosition {
  /** The order column's value in PostgreSQL's own text, which keeps every digit. */
  key: string;
  position: number;
}

export interface PageRequest {
  orderBy: Ordering;
  direction: Direction;
  filters: ActionFilters;
  after: PagePosition | undefined;
  limit: number;
}

export interface ListedAction extends PagePosition {
  id: string;
  requestId: string;
  invoiceId: string;
  subscriptionId: string | null;
  customerId: string;
  transactionId: string | null;
  paymentMethodType: string | null;
  cardCountry: string | null;
  currency: string;
  suggestion: Suggestion;
  idealRetryAt: DateTime<true>;
  reason: string;
  reasons: readonly DecisionReason[];
  status: ActionStatus;
  statusReason: StatusReason | null;
  createdAt: DateTime<true>;
  updatedAt: DateTime<true>;
  executedAt: DateTime<true> | null;
  listedAt: DateTime<true> | null;
}

export async function listRecoveryActions(
  db: Queryable,
  organization: string,
  request: PageRequest,
): Promise<ListedAction[]> {
  const { orderBy, direction, after, filters } = request;
  const key = ORDER_KEYS[orderBy][direction];
  const { parts, params, bind } = toCondition(organization, filters, direction);
  const condition = parts.join(' and ');
  const isBeyond =
    after &&
    `(${key}, position) ${COMPARISONS[direction]} (${bind(after.key)}::timestamptz, ${bind(after.position)}::bigint)`;
  const limit = bind(request.limit);
  const page = { condition, isBeyond, key, direction, limit, isByExecution: orderBy === 'executed_at' };
  const isOnPage = isReadByMarket(request)
    ? `position in (${selectMarketPage(page, toMarketDays(organization, filters, bind))})`
    : `${condition} and ${isBeyond ?? 'true'}`;
  const rows = await db.query<ListedAction>(
    `select position, (${key})::text as key, id, request_id, invoice_id,
            subscription_id, customer_id,
            transaction_id, payment_method_type,
            card_country, currency, suggestion, ideal_retry_at, reason, reasons,
            status, status_reason, created_at, updated_at,
            executed_at, listed_at
     from retry_service.recovery_actions
     where ${isOnPage}
     order by ${key} ${direction}, position ${direction}
     limit ${limit}`,
    params,
  );
  return rows.map((row) => ({
    ...row,
    reasons: readDecisionReasons(row.reasons),
    statusReason: readStatusReason(row.statusReason),
  }));
}

/** How many there are on all pages. Without filters by id it counts few rows, if any. */
export async function countRecoveryActions(
  db: Queryable,
  organization: string,
  filters: ActionFilters,
): Promise<number> {
  const isKept = !hasId(filters) && filters.cardCountry !== '';
  return isKept ? countKept(db, organization, filters) : countMatching(db, organization, filters);
}

async function countMatching(db: Queryable, organization: string, filters: ActionFilters): Promise<number> {
  const { parts, params } = toCondition(organization, filters, 'asc');
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from retry_service.recovery_actions where ${parts.join(' and ')}`,
    params,
  );
  return row?.count ?? 0;
}

/** An id leaves few. Otherwise, where no index has the order and all filters, a rare match must not be searched for. */
function isReadByMarket({ orderBy, filters }: PageRequest): boolean {
  if (hasId(filters)) return false;
  const isOfMarket = filters.currency !== undefined || filters.cardCountry !== undefined;
  return isOfMarket || (isBounded(filters) && orderBy !== 'executed_at');
}

function hasId({ subscriptionId, invoiceId, customerId, transactionId }: ActionFilters): boolean {
  return [subscriptionId, invoiceId, customerId, transactionId].some((id) => id !== undefined);
}

const isBounded = ({ executedAfter, executedBefore }: ActionFilters) =>
  executedAfter !== undefined || executedBefore !== undefined;

/** Contains only the requested conditions, so that the planner sees what it leaves. */
function toCondition(organization: string, filters: ActionFilters, direction: Direction) {
  const params: (string | number)[] = [];
  const bind = (value: string | number) => `$${params.push(value)}`;
  const executed = EXECUTED[direction];
  const parts = [`organization = ${bind(organization)}`];
  const add = (value: string | undefined, toPart: (parameter: string) => string) => {
    if (value !== undefined) parts.push(toPart(bind(value)));
  };
  for (const [name, column] of COLUMNS) add(filters[name], (it) => `${column} = ${it}`);
  add(filters.executedAfter, (it) => `${executed} >= ${it}::timestamptz and ${executed} < 'infinity'`);
  add(filters.executedBefore, (it) => `${executed} < ${it}::timestamptz and ${executed} > '-infinity'`);
  return { parts, params, bind };
}

/** Totals of the listing, from the counts that triggers keep for each hour or day of execution. */
const OF_ALL = { table: 'retry_service.action_counts', time: 'executed_hour', unit: 'hour' } as const;
const OF_MARKETS = {
  table: 'retry_service.action_market_counts',
  time: 'executed_day',
  unit: 'day',
} as const;

/** An empty `cardCountry` is not distinguished from none here. */
async function countKept(
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

/** Counts in order, so that a planner without statistics, like the embedded database's, takes the index with the bounds. */
function toCount(condition: string, from: string, to: string): string {
  const executed = `coalesce(executed_at, 'infinity')`;
  return `select count(*)
     from (select 1 from retry_service.recovery_actions
           where ${condition} and ${executed} >= ${from} and ${executed} < ${to} order by ${executed}) as counted`;
}

/** Counts by market, where the time is one stretch of an index. */
function toCountByMarket(condition: string, from: string, to: string): string {
  return `select coalesce(sum(action.count), 0)
     from (select distinct currency, card_country from retry_service.action_market_counts
           where ${condition} and executed_day >= date_trunc('day', ${from}, 'UTC') and executed_day < ${to}) as part
     cross join lateral (${toCount(`${condition} and ${IS_OF_MARKET}`, from, to)}) as action`;
}

/** Whole hours or days between the bounds; none within a single one, where `from` is then after `to`. */
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

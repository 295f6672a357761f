/**
 * A page of actions of many markets, where a market is a currency and a card's country: each market, and each week of
 * execution in it, is read from its own place in an index, and the page is merged from these beginnings.
 */
const ACTIONS = 'retry_service.recovery_actions';

export interface MarketFilters {
  currency?: string | undefined;
  cardCountry?: string | undefined;
  executedAfter?: string | undefined;
  executedBefore?: string | undefined;
}

/** Matches the indexes. The counts have '' for an unknown country. */
export const IS_OF_MARKET = `currency = part.currency and coalesce(card_country, '') = part.card_country`;
const toWeek = (time: string) => `coalesce(date_trunc('week', ${time} at time zone 'UTC'), 'infinity')`;

export interface MarketPage {
  /** The filters of the actions. */
  readonly condition: string;
  /** The condition for actions after this page, if any. */
  readonly isBeyond: string | undefined;
  readonly key: string;
  readonly direction: 'asc' | 'desc';
  readonly limit: string;
  /** Bounds of execution are one stretch of a market's index in that order; in another they are searched week by week. */
  readonly isByExecution: boolean;
}

/**
 * Selects the positions of the page's actions. The first action of each part shows which parts can be on the page: at most
 * as many as it has rows. Only those are read further, from there.
 */
export function selectMarketPage(page: MarketPage, days: string): string {
  const { condition, isBeyond = 'true', key, direction, limit, isByExecution } = page;
  const week = isByExecution ? '' : `, ${toWeek('executed_day')} as week`;
  const isOfWeek = isByExecution ? '' : `and ${toWeek('executed_at')} = part.week`;
  const isFromFirst = `(${key}, position) ${direction === 'asc' ? '>=' : '<='} (part.first_key, part.first_position)`;
  const order = `order by action.key ${direction}, action.position ${direction} limit ${limit}`;
  const beginning = (isAfter: string, rows: string) =>
    `(select ${key} as key, position from ${ACTIONS}
      where ${condition} and ${IS_OF_MARKET} ${isOfWeek} and ${isAfter}
      order by ${key} ${direction}, position ${direction} limit ${rows}) as action`;
  return `with parts as materialized (
      select distinct currency, card_country${week} from retry_service.action_market_counts where ${days}),
    nearest as materialized (
      select part.*, action.key as first_key, action.position as first_position
      from parts as part cross join lateral ${beginning(isBeyond, '1')} ${order})
    select action.position from nearest as part cross join lateral ${beginning(isFromFirst, limit)} ${order}`;
}

/** The counts of the days on which there is something to read. */
export function toMarketDays(
  organization: string,
  { currency, cardCountry, executedAfter, executedBefore }: MarketFilters,
  bind: (value: string) => string,
): string {
  const parts = [`organization = ${bind(organization)}`, 'actions > 0'];
  if (currency !== undefined) parts.push(`currency = ${bind(currency)}`);
  if (cardCountry !== undefined) parts.push(`card_country = ${bind(cardCountry)}`);
  if (executedAfter !== undefined)
    parts.push(
      `executed_day >= date_trunc('day', ${bind(executedAfter)}::timestamptz, 'UTC') and executed_day < 'infinity'`,
    );
  if (executedBefore !== undefined) parts.push(`executed_day < ${bind(executedBefore)}::timestamptz`);
  return parts.join(' and ');
}

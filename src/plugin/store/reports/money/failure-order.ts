/** Orders of failed invoices and their page positions, read by indexes at any depth. */
import type { DateTime } from 'luxon';
import { z } from 'zod';

/** `failed`: latest first. `amount`: largest first. `next`: next action first. */
export const FAILURE_SORTS = ['failed', 'amount', 'next'] as const;
export type FailureSort = (typeof FAILURE_SORTS)[number];

export interface FailurePage {
  readonly sort: FailureSort;
  readonly limit: number;
  /** Position of the last row of the previous page. */
  readonly after?: FailurePlace | undefined;
  /** Rates for comparing amounts of several currencies; without them amounts compare as plain numbers. */
  readonly worth?: readonly CurrencyWorth[] | undefined;
}

export interface FailurePlace {
  /** The sort key, as text. */
  readonly key: string;
  readonly invoiceId: string;
}

export interface CurrencyWorth {
  readonly currency: string;
  /** Currencies of one group are compared; groups are sorted by name. */
  readonly group: string;
  /** Worth of the smallest unit, a decimal number. */
  readonly factor: string;
}

/** The columns of all orders. */
export interface PlacedFailure {
  readonly invoiceId: string;
  readonly amount: number;
  /** Amount comparable across currencies, if the list is sorted by amount. */
  readonly worth: string | null;
  readonly failedAt: DateTime<true>;
  readonly nextAt: DateTime<true> | null;
}

/** Rows of a table, or of a query in brackets, that meet the conditions. */
export interface OrderedRows {
  readonly source: string;
  readonly conditions: readonly string[];
  readonly bind: (value: unknown) => string;
}

/** The SQL statement of an ordered page. */
export function orderRows(rows: OrderedRows, page: FailurePage): string {
  const { sort, worth } = page;
  if (sort === 'amount' && worth) return byWorth(rows, page, worth);
  return byColumn(rows, page, COLUMNS[sort]);
}

type Placed = Pick<PlacedFailure, 'invoiceId' | 'amount' | 'failedAt'> & Partial<PlacedFailure>;

/** The position after which the next page begins. */
export function placeOf(
  { invoiceId, failedAt, nextAt, amount, worth }: Placed,
  sort: FailureSort,
): FailurePlace {
  const keys = {
    failed: failedAt.toISO(),
    amount: worth ?? String(amount),
    next: nextAt?.toISO() ?? '',
  };
  return { key: keys[sort], invoiceId };
}

export function isPlaceKey(sort: FailureSort, key: string): boolean {
  return sort === 'amount' ? WORTH.test(key) : z.iso.datetime().safeParse(key).success;
}

const WORTH = /^(?:([a-z]{0,3}):)?(\d{1,18}(?:\.\d{1,40})?)$/;

interface OrderedColumn {
  readonly name: string;
  readonly type: string;
  readonly isDescending: boolean;
  readonly where?: string;
}

const COLUMNS: Readonly<Record<FailureSort, OrderedColumn>> = {
  failed: { name: 'failed_at', type: 'timestamptz', isDescending: true },
  amount: { name: 'amount', type: 'bigint', isDescending: true },
  next: { name: 'next_at', type: 'timestamptz', isDescending: false, where: 'next_at is not null' },
};

function byColumn(
  { source, conditions, bind }: OrderedRows,
  { after, limit }: FailurePage,
  { name, type, isDescending, where }: OrderedColumn,
): string {
  const all = [...conditions, ...(where === undefined ? [] : [where])];
  if (after) {
    const key = `${bind(after.key)}::text::${type}`;
    const id = bind(after.invoiceId);
    // Mixed directions rule out a row comparison; the first condition is for the index.
    if (isDescending) all.push(`${name} <= ${key} and (${name} < ${key} or invoice_id > ${id})`);
    else all.push(`(${name}, invoice_id) > (${key}, ${id})`);
  }
  const order = `${name} ${isDescending ? 'desc' : 'asc'}, invoice_id`;
  return `select *, null::text as worth from ${source} listed ${toWhere(all)} order by ${order} limit ${bind(limit)}`;
}

/** Reads the top of each currency by its amount index, then merges them. */
function byWorth(
  { source, conditions, bind }: OrderedRows,
  { after, limit }: FailurePage,
  worth: readonly CurrencyWorth[],
): string {
  const [currencies, groups, factors, most] = [
    bind(worth.map(({ currency }) => currency)),
    bind(worth.map(({ group }) => group)),
    bind(worth.map(({ factor }) => factor)),
    bind(limit),
  ];
  const [, afterGroup = '', afterWorth] = WORTH.exec(after?.key ?? '') ?? [];
  const ofGroup: string[] = [];
  const ofRow: string[] = ['currency = c.currency'];
  if (after && afterWorth !== undefined) {
    const [group, key, id] = [bind(afterGroup), `${bind(afterWorth)}::text::numeric`, bind(after.invoiceId)];
    ofGroup.push(`c.grouped >= ${group}`);
    ofRow.push(
      `amount <= case when c.grouped = ${group} then ceil(${key} / c.factor)::bigint else 9223372036854775807 end`,
      `(c.grouped <> ${group} or amount * c.factor < ${key} or amount * c.factor = ${key} and invoice_id > ${id})`,
    );
  }
  return `select found.*, c.grouped || ':' || (found.amount * c.factor)::text as worth
    from unnest(${currencies}::text[], ${groups}::text[], ${factors}::numeric[]) c (currency, grouped, factor)
    cross join lateral (select * from ${source} listed ${toWhere([...conditions, ...ofRow])}
      order by amount desc, invoice_id limit ${most}) found
    ${toWhere(ofGroup)} order by c.grouped, found.amount * c.factor desc, found.invoice_id limit ${most}`;
}

export function toWhere(conditions: readonly string[]): string {
  return conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
}

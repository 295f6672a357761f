/** In which order failed invoices are listed, and what a page of each order begins after: read by indexes, however far on. */
import type { DateTime } from 'luxon';
import { z } from 'zod';

/** `failed`: the latest first. `amount`: the largest first. `next`: what is due first. */
export const FAILURE_SORTS = ['failed', 'amount', 'next'] as const;
export type FailureSort = (typeof FAILURE_SORTS)[number];

export interface FailurePage {
  readonly sort: FailureSort;
  readonly limit: number;
  /** Of the last row of the page before. */
  readonly after?: FailurePlace | undefined;
  /** By which amounts of several currencies are compared; without it they are numbers alone. */
  readonly worth?: readonly CurrencyWorth[] | undefined;
}

export interface FailurePlace {
  /** What the list is sorted by, as text. */
  readonly key: string;
  readonly invoiceId: string;
}

export interface CurrencyWorth {
  readonly currency: string;
  /** Currencies of one group are compared; groups follow each other by their name. */
  readonly group: string;
  /** Of the smallest unit, as a decimal number. */
  readonly factor: string;
}

/** All that any order goes by. */
export interface PlacedFailure {
  readonly invoiceId: string;
  readonly amount: number;
  /** Where the list is sorted by it: comparable with that of other currencies. */
  readonly worth: string | null;
  readonly failedAt: DateTime<true>;
  readonly nextAt: DateTime<true> | null;
}

/** A page of rows that meet the conditions, of a table or a query in brackets. */
export interface OrderedRows {
  readonly source: string;
  readonly conditions: readonly string[];
  readonly bind: (value: unknown) => string;
}

/** The statement, in order. */
export function orderRows(rows: OrderedRows, page: FailurePage): string {
  const { sort, worth } = page;
  if (sort === 'amount' && worth) return byWorth(rows, page, worth);
  return byColumn(rows, page, COLUMNS[sort]);
}

/** What the next page begins after. */
export function placeOf(
  {
    invoiceId,
    failedAt,
    nextAt,
    amount,
    worth,
  }: Pick<PlacedFailure, 'invoiceId' | 'amount' | 'failedAt'> & Partial<PlacedFailure>,
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
    // Both directions at once are no comparison of rows; the first condition is for the index.
    if (isDescending) all.push(`${name} <= ${key} and (${name} < ${key} or invoice_id > ${id})`);
    else all.push(`(${name}, invoice_id) > (${key}, ${id})`);
  }
  const order = `${name} ${isDescending ? 'desc' : 'asc'}, invoice_id`;
  return `select *, null::text as worth from ${source} listed ${toWhere(all)} order by ${order} limit ${bind(limit)}`;
}

/** The first of each currency, then the first of those: each by the index of its amounts. */
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

function toWhere(conditions: readonly string[]): string {
  return conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
}

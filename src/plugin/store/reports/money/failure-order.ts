/** In which order failed invoices are listed, and what a page of each order begins after: read by indexes, however far on. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { tryJson } from '../../../../core/base/try-json.ts';
import type { Standing } from './needs.ts';

/**
 * `failed`: the latest first. `amount`: the largest first. `next`: what is due first. The others by their text, of one text the
 * latest first.
 */
export const FAILURE_SORTS = ['failed', 'amount', 'next', 'standing', 'customer', 'reason', 'card'] as const;
export type FailureSort = (typeof FAILURE_SORTS)[number];

export interface FailurePage {
  readonly sort: FailureSort;
  readonly limit: number;
  /** The other way round. */
  readonly isReversed?: boolean | undefined;
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
  readonly standing: Standing;
  /** A name, else an address or an id, in small letters. */
  readonly payer: string | null;
  readonly reason: string | null;
  readonly brand: string | null;
}

/** A page of rows that meet the conditions, of a table or a query in brackets. */
export interface OrderedRows {
  readonly source: string;
  readonly conditions: readonly string[];
  readonly bind: (value: unknown) => string;
}

const COLUMNS = { standing: 'standing', customer: 'payer', reason: 'reason', card: 'brand' } as const;
type TextSort = keyof typeof COLUMNS;
const isTextSort = (sort: FailureSort): sort is TextSort => sort in COLUMNS;

/** The statement, in order. */
export function orderRows(rows: OrderedRows, page: FailurePage): string {
  const { sort, worth } = page;
  if (isTextSort(sort)) return byText(rows, page, COLUMNS[sort]);
  if (sort === 'amount' && worth) return byWorth(rows, page, worth);
  return byNumber(rows, page, NUMBERS[sort]);
}

const textKey = z.tuple([
  z
    .string()
    .regex(/^\P{Cc}*$/u)
    .nullable(),
  z.iso.datetime(),
]);

/** What the next page begins after. */
export function placeOf(
  row: Pick<PlacedFailure, 'invoiceId' | 'amount' | 'failedAt'> &
    Partial<Omit<PlacedFailure, 'standing'> & { readonly standing: string }>,
  sort: FailureSort,
): FailurePlace {
  const { invoiceId, failedAt, nextAt, amount, worth, standing, payer, reason, brand } = row;
  const texts = { standing, customer: payer, reason, card: brand };
  const numbers = {
    failed: failedAt.toISO(),
    amount: worth ?? String(amount),
    next: nextAt?.toISO() ?? '',
  };
  const key = isTextSort(sort)
    ? Buffer.from(JSON.stringify([texts[sort] ?? null, failedAt])).toString('base64url')
    : numbers[sort];
  return { key, invoiceId };
}

export function isPlaceKey(sort: FailureSort, key: string): boolean {
  if (isTextSort(sort)) return parseTextKey(key) !== undefined;
  return sort === 'amount' ? WORTH.test(key) : z.iso.datetime().safeParse(key).success;
}

const WORTH = /^(?:([a-z]{0,3}):)?(\d{1,18}(?:\.\d{1,40})?)$/;

function parseTextKey(key: string) {
  return textKey.safeParse(tryJson(Buffer.from(key, 'base64url').toString('utf8'))).data;
}

interface NumberColumn {
  readonly column: string;
  readonly type: string;
  readonly isDescending: boolean;
  readonly where?: string;
}

const NUMBERS: Readonly<Record<Exclude<FailureSort, TextSort>, NumberColumn>> = {
  failed: { column: 'failed_at', type: 'timestamptz', isDescending: true },
  amount: { column: 'amount', type: 'bigint', isDescending: true },
  next: { column: 'next_at', type: 'timestamptz', isDescending: false, where: 'next_at is not null' },
};

function byNumber(
  { source, conditions, bind }: OrderedRows,
  { after, isReversed = false, limit }: FailurePage,
  { column, type, isDescending, where }: NumberColumn,
): string {
  const all = [...conditions, ...(where === undefined ? [] : [where])];
  if (after) {
    const key = `${bind(after.key)}::text::${type}`;
    const id = bind(after.invoiceId);
    // Both directions at once are no comparison of rows; the first condition is for the index.
    const [less, more] = isReversed ? ['>', '<'] : ['<', '>'];
    if (isDescending)
      all.push(`${column} ${less}= ${key} and (${column} ${less} ${key} or invoice_id ${more} ${id})`);
    else all.push(`(${column}, invoice_id) ${more} (${key}, ${id})`);
  }
  // Of the same column the ids go the other way, too: then the same index serves, read backwards.
  const order = `${column} ${isDescending !== isReversed ? 'desc' : 'asc'}, invoice_id ${isReversed ? 'desc' : 'asc'}`;
  return `select *, null::text as worth from ${source} listed ${toWhere(all)} order by ${order} limit ${bind(limit)}`;
}

/** What is left of the text that the page before ended with, then the texts after it, then rows without one: each by its index. */
function byText(
  { source, conditions, bind }: OrderedRows,
  { after, isReversed = false, limit }: FailurePage,
  column: string,
): string {
  const order = isReversed
    ? `${column} desc nulls first, failed_at, invoice_id desc`
    : `${column}, failed_at desc, invoice_id`;
  const most = bind(limit);
  const select = (...more: readonly string[]) =>
    `(select *, null::text as worth from ${source} listed ${toWhere([...conditions, ...more])} order by ${order} limit ${most})`;
  const key = after && parseTextKey(after.key);
  if (!key) return select();
  const [less, more] = isReversed ? ['>', '<'] : ['<', '>'];
  const [text, at, id] = [
    key[0] === null ? undefined : bind(key[0]),
    `${bind(key[1])}::timestamptz`,
    bind(after.invoiceId),
  ];
  const rest = `failed_at ${less}= ${at} and (failed_at ${less} ${at} or invoice_id ${more} ${id})`;
  const without = `${column} is null`;
  const parts =
    text === undefined
      ? [select(without, rest), ...(isReversed ? [select(`${column} is not null`)] : [])]
      : [
          select(`${column} = ${text}`, rest),
          select(`${column} ${more} ${text}`),
          ...(isReversed ? [] : [select(without)]),
        ];
  return `select * from (${parts.join(' union all ')}) parts order by ${order} limit ${most}`;
}

/** The first of each currency, then the first of those: each by the index of its amounts. */
function byWorth(
  { source, conditions, bind }: OrderedRows,
  { after, isReversed = false, limit }: FailurePage,
  worth: readonly CurrencyWorth[],
): string {
  const [currencies, groups, factors, most] = [
    bind(worth.map(({ currency }) => currency)),
    bind(worth.map(({ group }) => group)),
    bind(worth.map(({ factor }) => factor)),
    bind(limit),
  ];
  const [, afterGroup = '', afterWorth] = WORTH.exec(after?.key ?? '') ?? [];
  const [less, more, asc, desc] = isReversed ? ['>', '<', 'desc', 'asc'] : ['<', '>', 'asc', 'desc'];
  const ofGroup: string[] = [];
  const ofRow: string[] = ['currency = c.currency'];
  if (after && afterWorth !== undefined) {
    const [group, key, id] = [bind(afterGroup), `${bind(afterWorth)}::text::numeric`, bind(after.invoiceId)];
    const bound = isReversed ? `floor(${key} / c.factor)` : `ceil(${key} / c.factor)`;
    const open = isReversed ? '0' : '9223372036854775807';
    ofGroup.push(`c.grouped ${more}= ${group}`);
    ofRow.push(
      `amount ${less}= case when c.grouped = ${group} then ${bound}::bigint else ${open} end`,
      `(c.grouped <> ${group} or amount * c.factor ${less} ${key} or amount * c.factor = ${key} and invoice_id ${more} ${id})`,
    );
  }
  return `select found.*, c.grouped || ':' || (found.amount * c.factor)::text as worth
    from unnest(${currencies}::text[], ${groups}::text[], ${factors}::numeric[]) c (currency, grouped, factor)
    cross join lateral (select * from ${source} listed ${toWhere([...conditions, ...ofRow])}
      order by amount ${desc}, invoice_id ${asc} limit ${most}) found
    ${toWhere(ofGroup)} order by c.grouped ${asc}, found.amount * c.factor ${desc}, found.invoice_id ${asc} limit ${most}`;
}

function toWhere(conditions: readonly string[]): string {
  return conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
}

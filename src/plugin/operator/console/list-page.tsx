/** Pages that are lists: views, a search, filters, rows and the ways to other pages. Every choice is a link or a form, so that the address is a saved view. */

import { DateTime } from 'luxon';
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { z } from 'zod';
import { HiddenFields } from '../../../core/web/page-document.tsx';
import { type FailurePlace, type FailureSort, isPlaceKey } from '../../store/reports/money/failure-order.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import type { MoneySum } from '../../store/reports/money/sum-failures.ts';
import { describeDisputes } from '../figures/labels.ts';
import type { ConsolePage } from './console-layout.tsx';
import { type Page, type PageDeps, ROWS } from './page-answer.ts';
import { type Reader, useReader } from './page-reader.ts';
import { Count, Money } from './parts/cells.tsx';
import { type Column, WideTable } from './parts/wide-table.tsx';

/** The address's parameters: `q` is searched for, and a page begins `after` a place, or ends `before` it. */
export type ListQuery = Readonly<Record<string, string | undefined>>;

export interface ListDefinition<Query extends ListQuery, Row> {
  readonly title: string;
  /** Its entry of the menu, which is also its path where it has no other. */
  readonly here: NonNullable<ConsolePage['here']>;
  readonly path?: string;
  /** What the address may hold; a parameter that does not fit counts as none. */
  readonly address: z.ZodType<Query>;
  /** The parameter that chooses a view, and the views' names besides that of all. */
  readonly views: readonly [by: keyof Query & string, names: Readonly<Record<string, string>>];
  readonly search?: { readonly placeholder: string; readonly maxLength: number };
  /** Filters next to the search. */
  readonly filters?: readonly Filter<keyof Query & string>[];
  readonly columns: readonly (Column<Row> & { readonly sort?: Query['sort'] })[];
  /** Whether the first column names the rows. */
  readonly hasNames?: boolean;
  /** Texts of an empty list: where there are no rows at all, and where none matches. */
  readonly empty: readonly [atAll: string, fitting: string];
  /** Whether it can be had for spreadsheets. */
  readonly hasFile?: boolean;
  /** The page of emails' results, next to the title. */
  readonly aside?: () => ComponentChildren;
  /** Reads at most as many rows as asked for, and what is shown above them. */
  readonly read: (
    deps: PageDeps,
    asked: { readonly query: Query; readonly reader: Reader; readonly limit: number },
  ) => Promise<{ readonly rows: readonly Row[]; readonly above?: ComponentChildren }>;
  /** The parameters of the page that follows a row. */
  readonly next: (last: Row, query: Query) => ListQuery;
}

type Filter<Name extends string> = InputHTMLAttributes & {
  readonly name: Name;
  readonly label: string;
  /** Whether its value is shown in capitals. */
  readonly isUpper?: boolean;
};

export function listPage<Query extends ListQuery, Row>(list: ListDefinition<Query, Row>): Page {
  return async (deps, { request, reader }) => {
    const query = list.address.parse(request.query);
    await refreshForReader(deps.database);
    // One row more than a page has.
    const found = await list.read(deps, { query, reader, limit: ROWS + 1 });
    const rows = found.rows.slice(0, ROWS);
    const last = found.rows.length > ROWS ? rows.at(-1) : undefined;
    const next = last && list.next(last, query);
    const main = <List {...{ list, query, rows, next, above: found.above }} />;
    return { title: list.title, here: list.here, isLive: true, main };
  };
}

interface ListProps<Query extends ListQuery, Row> {
  readonly list: ListDefinition<Query, Row>;
  readonly query: Query;
  readonly rows: readonly Row[];
  readonly next: ListQuery | undefined;
  readonly above: ComponentChildren;
}

function List<Query extends ListQuery, Row>({ list, query, rows, next, above }: ListProps<Query, Row>) {
  const { title, here, path = here, columns, hasNames, empty, views } = list;
  const address = `${useReader().root}${path}`;
  const link = (changes: ListQuery) => `${address}${addressOf(query, changes)}`;
  const isAll = addressOf(query, { sort: undefined }) === '';
  const sorting = { sort: query.sort, link };
  return (
    <>
      <div class="head">
        <h1>{title}</h1>
        {list.aside?.()}
        {list.hasFile && (
          <a href={`${address}.csv${addressOf(query)}`} download={`${path}.csv`}>
            Export CSV
          </a>
        )}
      </div>
      <Views {...{ query, views, link }} />
      <Filters {...list} query={query} address={address} />
      {above}
      <section class="card flush">
        {rows.length === 0 ? (
          <p class="soft empty">{isAll ? empty[0] : empty[1]}</p>
        ) : (
          <WideTable label={title} isStacked {...{ columns, rows, sorting, hasNames }} />
        )}
      </section>
      <Ways {...{ query, next, link }} />
    </>
  );
}

/** The order that lists have without saying so. */
const USUAL = 'sort,failed';

function partsOf(query: ListQuery, changes: ListQuery = {}): [name: string, value: string][] {
  const all: ListQuery = { ...query, after: undefined, before: undefined, ...changes };
  return Object.entries(all).filter(
    (part): part is [string, string] => part[1] !== undefined && part.join() !== USUAL,
  );
}

/** The same list with something else about it, from its first page on. */
export function addressOf(query: ListQuery, changes: ListQuery = {}): string {
  const parts = partsOf(query, changes);
  return parts.length === 0 ? '' : `?${new URLSearchParams(parts)}`;
}

interface Linked {
  readonly query: ListQuery;
  readonly link: (changes: ListQuery) => string;
}

function Views({
  query,
  views: [by, names],
  link,
}: Linked & { readonly views: readonly [string, ListQuery] }) {
  return (
    <nav aria-label="Views" class="tabs">
      {[[undefined, 'All'] as const, ...Object.entries(names)].map(([view, name]) => (
        <a href={link({ [by]: view })} aria-current={query[by] === view ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

type FilterProps = Pick<ListDefinition<ListQuery, never>, 'search' | 'filters'> & {
  readonly query: ListQuery;
  readonly address: string;
};

/** What it does not ask for stays as it is. */
function Filters({ query, search, filters = [], address }: FilterProps) {
  const asked = [...(search ? ['q'] : []), ...filters.map(({ name }) => name)];
  const kept = partsOf(query).filter(([name]) => !asked.includes(name));
  return (
    <search>
      <form class="filters" method="get" action={address}>
        <HiddenFields fields={Object.fromEntries(kept)} />
        {search && (
          <label class="grow">
            Search
            <input name="q" type="search" value={query.q} {...search} />
          </label>
        )}
        {filters.map(({ label, isUpper, ...input }) => (
          <label>
            {label}
            <input {...input} value={isUpper ? query[input.name]?.toUpperCase() : query[input.name]} />
          </label>
        ))}
        <button type="submit">Apply</button>
        <a href={address}>Clear</a>
      </form>
    </search>
  );
}

/** Nothing where there is no other page. */
function Ways({ query, next, link }: Linked & { readonly next: ListQuery | undefined }) {
  const isFirst = query.after === undefined && query.before === undefined;
  if (isFirst && next === undefined) return null;
  return (
    <nav aria-label="Pages of the list" class="pages">
      {!isFirst && <a href={link({})}>First page</a>}
      {next !== undefined && (
        <a href={link(next)} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}

interface SumsProps {
  /** Undefined where they are too many to add up. */
  readonly count: number | undefined;
  /** The most that is counted: there are more where `count` equals this. */
  readonly most: number;
  readonly noun: string;
  /** The meaning of an amount, placed after it. */
  readonly what: string;
  readonly amounts: readonly (Pick<MoneySum, 'currency' | 'amount'> & Partial<MoneySum>)[] | undefined;
}

/** Sums over all matches. */
export function Sums({ count, most, noun, what, amounts = [] }: SumsProps) {
  const { locale } = useReader();
  if (count === undefined)
    return <p class="soft">Thousands have these words: narrow the search for their number and sum.</p>;
  if (count === 0) return null;
  return (
    <ul class="sums" aria-label="All that fit">
      <li>
        {count === most && 'At least '}
        <Count of={count} /> {noun}
        {count === 1 ? '' : 's'}
      </li>
      {amounts.map(({ currency, amount, disputes = 0, disputed = 0 }) => (
        <li>
          <b>
            <Money {...{ amount, currency }} />
          </b>{' '}
          <span class="soft">
            {[what, describeDisputes({ disputes, disputed }, currency, locale) ?? []].flat().join('; ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** A parameter of an address; what does not fit counts as absent. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** A name, an id or an address, without spaces and control characters. */
export const oneWord = lenient(
  z
    .string()
    .trim()
    .regex(/^[\x21-\x7e\u00a1-\uffff]{1,255}$/),
);
export const day = lenient(z.iso.date());

/** Filters by two days. */
export const span = <Prefix extends string = ''>(label: string, prefix: Prefix) =>
  [
    { label: `${label} from`, name: `${prefix}from`, type: 'date' },
    { label: 'before', name: `${prefix}to`, type: 'date' },
  ] as const;

/** When a day begins. */
export function startOf(day: string | undefined, zone: string): string | undefined {
  return day === undefined ? undefined : (DateTime.fromISO(day, { zone }).toISO() ?? undefined);
}

/** Where a page begins: after the row of this key and id. */
export const placeParameter = lenient(z.string().regex(/^[\w:.-]{1,600}~[\x21-\x7e]{1,255}$/));

/** The parameter for the place of a row in a list that is ordered by failures. */
export const after = ({ key, invoiceId }: FailurePlace) => ({ after: `${key}~${invoiceId}` });

/** Reads the place in a list that is ordered by failures. */
export function readKey(sort: FailureSort, place: string | undefined): FailurePlace | undefined {
  const [key = '', invoiceId = ''] = place?.split('~') ?? [];
  return place !== undefined && isPlaceKey(sort, key) ? { key, invoiceId } : undefined;
}

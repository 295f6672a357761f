/** A list with its views, a search, its rows and the ways to its other pages. Every choice is a link or a form, so that the address is a saved view. */

import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { HiddenFields } from '../../../../core/web/page-document.tsx';
import { formatMoney } from '../../../mails/format-money.ts';
import type { MoneySum } from '../../../store/reports/money/sum-failures.ts';
import { describeDisputes } from '../../figures/labels.ts';
import type { Reader } from '../page-reader.ts';
import { type Column, WideTable } from './wide-table.tsx';

/** The address's parameters: `q` is searched for, and a page begins `after` a place, or ends `before` it. */
export type ListQuery = Readonly<Record<string, string | undefined>>;

interface SearchedListProps<Row, Sort extends string> {
  readonly title: string;
  /** The page's path. */
  readonly path: string;
  readonly query: ListQuery;
  /** The parameter that chooses a view, and the views' names besides that of all. */
  readonly views?: readonly [by: string, names: Readonly<Record<string, string>>];
  readonly search?: { readonly placeholder: string; readonly maxLength: number };
  /** Filters next to the search. */
  readonly filters?: readonly (InputHTMLAttributes & { readonly name: string; readonly label: string })[];
  readonly columns: readonly Column<Row, Sort>[];
  readonly rows: readonly Row[];
  /** Whether the first column names the rows. */
  readonly hasNames?: boolean;
  /** Texts of an empty list: where there are no rows at all, and where none matches. */
  readonly empty: readonly [atAll: string, fitting: string];
  /** Whether it can be had for spreadsheets. */
  readonly hasFile?: boolean;
  /** The next page's parameters; undefined where there is none. */
  readonly next: ListQuery | undefined;
  /** Content next to the title. */
  readonly aside?: ComponentChildren;
  readonly reader: Reader;
  /** Content above the rows. */
  readonly children?: ComponentChildren;
}

export function SearchedList<Row, Sort extends string>(props: SearchedListProps<Row, Sort>) {
  const { title, path, query, aside, columns, rows, hasNames, hasFile, empty, reader, children } = props;
  const address = `${reader.root}${path}`;
  const link = (changes: ListQuery) => `${address}${addressOf(query, changes)}`;
  const isAll = addressOf(query, { sort: undefined }) === '';
  const sorting = { sort: query.sort, link };
  return (
    <>
      <div class="head">
        <h1>{title}</h1>
        {aside}
        {hasFile && (
          <a href={`${address}.csv${addressOf(query)}`} download={`${path}.csv`}>
            Export CSV
          </a>
        )}
      </div>
      {props.views && <Views query={query} views={props.views} link={link} />}
      <Filters {...props} address={address} />
      {children}
      <section class="card flush">
        {rows.length === 0 ? (
          <p class="soft empty">{isAll ? empty[0] : empty[1]}</p>
        ) : (
          <WideTable label={title} isStacked {...{ columns, rows, sorting, hasNames }} />
        )}
      </section>
      <Ways {...props} link={link} />
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

type Linked<Part extends keyof SearchedListProps<never, never>> = Pick<
  SearchedListProps<never, never>,
  Part
> & {
  readonly link: (changes: ListQuery) => string;
};

function Views({
  query,
  views: [by, names],
  link,
}: Linked<'query'> & { views: NonNullable<SearchedListProps<never, never>['views']> }) {
  const views = [[undefined, 'All'] as const, ...Object.entries(names)];
  return (
    <nav aria-label="Views" class="tabs">
      {views.map(([view, name]) => (
        <a href={link({ [by]: view })} aria-current={query[by] === view ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

type FilterProps = Pick<SearchedListProps<never, never>, 'query' | 'search' | 'filters'> & {
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
        {filters.map(({ label, ...input }) => (
          <label>
            {label}
            <input {...input} />
          </label>
        ))}
        <button type="submit">Apply</button>
        <a href={address}>Clear</a>
      </form>
    </search>
  );
}

/** Nothing where there is no other page. */
function Ways({ query, next, link }: Linked<'query' | 'next'>) {
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

export interface ListSums {
  readonly count: number;
  /** The most that is counted: there are more where `count` equals this. */
  readonly most: number;
  readonly one: string;
  readonly many: string;
  /** The meaning of an amount, placed after it. */
  readonly what: string;
  readonly amounts: readonly (Pick<MoneySum, 'currency' | 'amount'> & Partial<MoneySum>)[];
}

/** Sums over all matches. Undefined where they are too many to add up. */
export function Sums({ sums, locale }: { sums: ListSums | undefined; locale: string }) {
  if (sums === undefined)
    return <p class="soft">Thousands have these words: narrow the search for their number and sum.</p>;
  const { count, most, one, many, what, amounts } = sums;
  if (count === 0) return null;
  const number = count.toLocaleString(locale);
  return (
    <ul class="sums" aria-label="All that fit">
      <li>{count === most ? `At least ${number} ${many}` : `${number} ${count === 1 ? one : many}`}</li>
      {amounts.map(({ currency, amount, disputes = 0, disputed = 0 }) => (
        <li>
          <b>{formatMoney(amount, currency, locale)}</b>{' '}
          <span class="soft">
            {[what, describeDisputes({ disputes, disputed }, currency, locale) ?? []].flat().join('; ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

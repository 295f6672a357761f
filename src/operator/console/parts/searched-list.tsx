/** A list with its views, a search and a way to its next page. */
import type { ComponentChildren } from 'preact';
import { formatMoney } from '../../../email/format-money.ts';
import type { Reader } from '../page-reader.ts';
import { SavedViews } from './saved-views.tsx';
import type { Sorting } from './wide-table.tsx';

export interface ListQuery {
  readonly q?: string | undefined;
  readonly state?: string | undefined;
  readonly after?: string | undefined;
  readonly sort?: string | undefined;
  readonly order?: 'reversed' | undefined;
}

interface SearchedListProps {
  readonly title: string;
  /** Of the page. */
  readonly path: string;
  readonly query: ListQuery;
  /** The view beside that of all. */
  readonly view: { readonly state: string; readonly name: string };
  readonly search: { readonly placeholder: string; readonly maxLength: number };
  readonly next: string | undefined;
  /** Beside the title. */
  readonly aside?: ComponentChildren;
  /** Of all that fit. Undefined where they are too many to add up. */
  readonly sums: ListSums | undefined;
  readonly reader: Reader;
  readonly children: ComponentChildren;
}

/** The sorts that lists have without saying so. */
const USUAL: ReadonlySet<string> = new Set(['sort,failed', 'sort,when']);

/** Of the page's address. */
export function queryOf(query: ListQuery): string {
  const parts = Object.entries(query).filter(
    (part): part is [string, string] => part[1] !== undefined && !USUAL.has(part.join()),
  );
  return parts.length === 0 ? '' : `?${new URLSearchParams(parts)}`;
}

/** By the heads of the list's columns. */
export function sortingOf<Sort extends string>(
  path: string,
  query: ListQuery & { readonly sort: Sort },
  { root }: Reader,
): Sorting<Sort> {
  return {
    ...{ sort: query.sort, isReversed: query.order === 'reversed' },
    link: (changes) => `${root}${path}${queryOf({ ...query, after: undefined, ...changes })}`,
  };
}

export interface ListSums {
  readonly count: number;
  /** As many as are counted: there are more where `count` is this. */
  readonly most: number;
  readonly one: string;
  readonly many: string;
  /** After an amount: what it is. */
  readonly what: string;
  readonly amounts: readonly { readonly currency: string; readonly amount: number }[];
}

/** Above the rows. */
function Sums({ sums, locale }: { sums: ListSums | undefined; locale: string }) {
  if (sums === undefined)
    return <p class="soft">Thousands have these words: narrow the search for their number and sum.</p>;
  const { count, most, one, many, what, amounts } = sums;
  if (count === 0) return null;
  const number = count.toLocaleString(locale);
  return (
    <ul class="sums" aria-label="All that fit">
      <li>{count === most ? `At least ${number} ${many}` : `${number} ${count === 1 ? one : many}`}</li>
      {amounts.map(({ currency, amount }) => (
        <li>
          <b>{formatMoney(amount, currency, locale)}</b> <span class="soft">{what}</span>
        </li>
      ))}
    </ul>
  );
}

export function SearchedList({
  title,
  path,
  query,
  view,
  search,
  next,
  aside,
  sums,
  reader,
  children,
}: SearchedListProps) {
  const address = `${reader.root}${path}`;
  const link = (changes: ListQuery) => `${address}${queryOf({ ...query, after: undefined, ...changes })}`;
  return (
    <>
      <div class="head">
        <h1>{title}</h1>
        {aside}
        <a href={`${address}.csv${link({}).slice(address.length)}`} download={`${path}.csv`}>
          Export as CSV
        </a>
      </div>
      <nav aria-label="Views" class="tabs">
        {[{ state: undefined, name: 'All' }, view].map(({ state, name }) => (
          <a href={link({ state })} aria-current={query.state === state ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <SavedViews root={reader.root} />
      <search>
        <form class="filters" method="get" action={address}>
          {query.state !== undefined && <input type="hidden" name="state" value={query.state} />}
          {query.sort !== undefined && <input type="hidden" name="sort" value={query.sort} />}
          {query.order !== undefined && <input type="hidden" name="order" value={query.order} />}
          <label class="grow">
            Search
            <input name="q" type="search" value={query.q} {...search} />
          </label>
          <button type="submit">Apply</button>
          <a href={address}>Clear</a>
        </form>
      </search>
      <Sums sums={sums} locale={reader.locale} />
      <section class="card flush">{children}</section>
      <ListPages
        first={query.after === undefined ? undefined : link({})}
        next={next && link({ after: next })}
      />
    </>
  );
}

/** The ways on from a page of a list; nothing where there is none. */
interface Ways {
  readonly first: string | undefined;
  readonly previous?: string | undefined;
  readonly next: string | undefined;
}

export function ListPages({ first, previous, next }: Ways) {
  if (first === undefined && previous === undefined && next === undefined) return null;
  return (
    <nav aria-label="Pages of the list" class="pages">
      {first !== undefined && <a href={first}>First page</a>}
      {previous !== undefined && (
        <a href={previous} rel="prev">
          Previous page
        </a>
      )}
      {next !== undefined && (
        <a href={next} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}

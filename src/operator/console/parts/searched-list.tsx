/** A list with its views, a search and a way to its next page. */
import type { ComponentChildren } from 'preact';
import type { Reader } from '../page-reader.ts';
import { ListPages } from './list-pages.tsx';
import { SavedViews } from './saved-views.tsx';

export interface ListQuery {
  readonly q?: string | undefined;
  readonly state?: string | undefined;
  readonly after?: string | undefined;
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
  readonly reader: Reader;
  readonly children: ComponentChildren;
}

export function SearchedList({
  title,
  path,
  query,
  view,
  search,
  next,
  aside,
  reader,
  children,
}: SearchedListProps) {
  const address = `${reader.root}${path}`;
  const link = (changes: ListQuery) => {
    const parts = Object.entries({ ...query, after: undefined, ...changes }).filter(
      (part): part is [string, string] => part[1] !== undefined,
    );
    return `${address}${parts.length === 0 ? '' : `?${new URLSearchParams(parts)}`}`;
  };
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
          <label class="grow">
            Search
            <input name="q" type="search" value={query.q} {...search} />
          </label>
          <button type="submit">Apply</button>
          <a href={address}>Clear</a>
        </form>
      </search>
      <section class="card flush">{children}</section>
      <ListPages
        first={query.after === undefined ? undefined : link({})}
        next={next && link({ after: next })}
      />
    </>
  );
}

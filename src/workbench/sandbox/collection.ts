/**
 * Objects of one kind in order of creation, with an index per attribute that never changes. Lists walk the index
 * from the cursor on; nothing is sorted or copied, so a page costs the same in a small and in a large account.
 */
export interface Collection<T extends { id: string }, Index extends string = never> {
  readonly size: number;
  add(item: T): T;
  get(id: string): T | undefined;
  /** Removes it from lists; its id still serves as a cursor, as with Stripe. */
  remove(id: string): void;
  newestFirst(within?: Within<Index>): IterableIterator<T>;
  page(query: PageQuery<T, Index>): Page<T>;
}

export interface Within<Index extends string> {
  index: Index;
  key: string;
}

export interface PageQuery<T, Index extends string> {
  within?: Within<Index> | undefined;
  startingAfter?: string | undefined;
  endingBefore?: string | undefined;
  limit: number;
  matches: (item: T) => boolean;
}

export interface Page<T> {
  /** Newest first, with any cursor. */
  data: T[];
  hasMore: boolean;
}

interface Entry<T> {
  position: number;
  item: T;
  isRemoved: boolean;
}

export class UnknownCursorError extends Error {
  readonly cursor: string;

  constructor(cursor: string) {
    super(`No such object: '${cursor}'`);
    this.cursor = cursor;
  }
}

export function createCollection<T extends { id: string }, Index extends string = never>(
  indexes: Record<Index, (item: T) => string | null>,
): Collection<T, Index> {
  const byId = new Map<string, Entry<T>>();
  const all: Entry<T>[] = [];
  const indexed = createBuckets(indexes);
  const bucket = (within: Within<Index> | undefined) => (within === undefined ? all : indexed.find(within));

  function positionOf(cursor: string): number {
    const entry = byId.get(cursor);
    if (entry === undefined) throw new UnknownCursorError(cursor);
    return entry.position;
  }

  return {
    get size() {
      return byId.size;
    },
    add(item) {
      const entry = { position: all.length, item, isRemoved: false };
      byId.set(item.id, entry);
      all.push(entry);
      indexed.add(entry);
      return item;
    },
    get(id) {
      const entry = byId.get(id);
      return entry === undefined || entry.isRemoved ? undefined : entry.item;
    },
    remove(id) {
      const entry = byId.get(id);
      if (entry !== undefined) entry.isRemoved = true;
    },
    *newestFirst(within) {
      const entries = bucket(within);
      for (let i = entries.length - 1; i >= 0; i -= 1) {
        const entry = entries[i];
        if (entry !== undefined && !entry.isRemoved) yield entry.item;
      }
    },
    page({ within, startingAfter, endingBefore, limit, matches }) {
      const entries = bucket(within);
      if (endingBefore !== undefined) {
        const start = firstAtOrAfter(entries, positionOf(endingBefore) + 1);
        const page = collect(entries, { from: start, step: 1, limit, matches });
        return { data: page.data.reverse(), hasMore: page.hasMore };
      }
      const end = startingAfter === undefined ? all.length : positionOf(startingAfter);
      return collect(entries, { from: firstAtOrAfter(entries, end) - 1, step: -1, limit, matches });
    },
  };
}

/** The entries of each value of each index. */
function createBuckets<T, Index extends string>(indexes: Record<Index, (item: T) => string | null>) {
  const buckets = new Map<string, Entry<T>[]>();
  const nameOf = ({ index, key }: Within<Index>) => `${index}\n${key}`;
  return {
    find: (within: Within<Index>): Entry<T>[] => buckets.get(nameOf(within)) ?? [],
    add: (entry: Entry<T>): void => {
      for (const index in indexes) {
        const key = indexes[index](entry.item);
        if (key === null) continue;
        const name = nameOf({ index, key });
        const entries = buckets.get(name);
        if (entries === undefined) buckets.set(name, [entry]);
        else entries.push(entry);
      }
    },
  };
}

function firstAtOrAfter<T>(entries: Entry<T>[], position: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.position ?? position) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function collect<T>(
  entries: Entry<T>[],
  walk: { from: number; step: 1 | -1; limit: number; matches: (item: T) => boolean },
): Page<T> {
  const data: T[] = [];
  for (let i = walk.from; i >= 0 && i < entries.length; i += walk.step) {
    const entry = entries[i];
    if (entry === undefined || entry.isRemoved || !walk.matches(entry.item)) continue;
    if (data.length === walk.limit) return { data, hasMore: true };
    data.push(entry.item);
  }
  return { data, hasMore: false };
}

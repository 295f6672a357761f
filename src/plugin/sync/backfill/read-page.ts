import type { Transaction } from '../../../core/database/database.ts';
import type { PageResult } from '../../store/tables/backfill/backfill-pages.ts';
import type { BackfillRange, PageTally } from '../../store/tables/backfill/backfill-ranges.ts';
import type { BackfillRun } from '../../store/tables/backfill/backfill-runs.ts';

/** A page with everything needed to store it: all reads are done. */
export interface ReadPage {
  /** The last object, if more follow. */
  readonly last: { readonly id: string; readonly created: number } | undefined;
  /** Number of objects. */
  readonly size: number;
  /** Records parts that the run needs later; also in a verification. */
  note?(tx: Transaction): Promise<void>;
  /** Stores the objects and returns their verdicts. Throws ContestedPageError if one must be read again first. */
  store(tx: Transaction): Promise<PageResult[]>;
  /** Reads some objects again, one by one; absent if the page holds all that a new try needs. */
  reread?(ids: readonly string[]): Promise<void>;
}

/** Reads the next page of a range. */
export type PageReader = (run: BackfillRun, range: BackfillRange) => Promise<ReadPage>;

/** The stored versions may be newer than the page: these objects must be read again, one by one. */
export class ContestedPageError extends Error {
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    super(`${ids.join(', ')} changed again and again while a page with them was stored; it is read again.`);
    this.name = 'ContestedPageError';
    this.ids = ids;
  }
}

export function positionOf(page: readonly { id: string; created: number }[]): ReadPage['last'] {
  const last = page.at(-1);
  return last && { id: last.id, created: last.created };
}

/** Position in a list of ids, of which pages have `size`. */
export function positionIn(ids: readonly string[], size: number, { to }: BackfillRange): ReadPage['last'] {
  const id = ids.at(-1);
  return id === undefined || ids.length < size ? undefined : { id, created: to };
}

/** Throws ContestedPageError. */
export function refuseContested(results: readonly PageResult[]): void {
  const contested = results.filter(({ verdict }) => verdict === 'contested');
  if (contested.length > 0) throw new ContestedPageError(contested.map(({ id }) => id));
}

export function tallyPage(read: number, results: readonly PageResult[]): PageTally {
  const count = (verdict: PageResult['verdict']) => results.filter((one) => one.verdict === verdict).length;
  return {
    read,
    added: count('added'),
    repaired: count('repaired'),
    equal: count('equal'),
    silent: results.filter(({ verdict, isNews }) => verdict !== 'equal' && !isNews).length,
    skipped: read - results.length,
  };
}

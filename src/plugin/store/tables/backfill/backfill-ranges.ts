/** Time ranges that a run's readers work through, and their counts. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { BackfillList } from './backfill-runs.ts';

export interface BackfillRange {
  id: number;
  list: BackfillList;
  /** Unix seconds of creation, both inclusive. Objects newer than `to` are read. */
  from: number;
  to: number;
  /** The last object read; later ones of the same second in Stripe's list are still to be read. */
  after: string | null;
}

/** Counts of a page; `read` is the sum of `added`, `repaired`, `equal` and `skipped`. */
export interface PageTally {
  read: number;
  added: number;
  repaired: number;
  equal: number;
  /** Added or repaired without news for the service. */
  silent: number;
  /** Objects that we do not store. */
  skipped: number;
}

const RANGE = `id, list, from_second as from, to_second as to, after_id as after`;

export function listOpenRanges(db: Queryable, run: number, list: BackfillList) {
  return db.query<BackfillRange>(
    `select ${RANGE} from payment_retry.backfill_ranges
     where run = $1 and list = $2 and not is_done order by to_second - from_second desc, id`,
    [run, list],
  );
}

export interface RangeMove {
  tally: PageTally;
  /** The part still to be read; undefined at the end. */
  rest: Pick<BackfillRange, 'from' | 'to' | 'after'> | undefined;
  now: DateTime;
}

/** False, without a change, if another reader has moved the range meanwhile. */
export function moveRange(db: Queryable, range: BackfillRange, { tally, rest, now }: RangeMove) {
  return db.has(
    `update payment_retry.backfill_ranges
     set from_second = $5, to_second = $6, after_id = $7, is_done = $8, moved_at = $9, read = read + $10,
         added = added + $11, repaired = repaired + $12, equal = equal + $13, silent = silent + $14,
         skipped = skipped + $15
     where id = $1 and not is_done and from_second = $2 and to_second = $3 and after_id is not distinct from $4
     returning id`,
    [
      range.id,
      range.from,
      range.to,
      range.after,
      rest?.from ?? range.from,
      rest?.to ?? range.from,
      rest?.after ?? range.after,
      rest === undefined,
      now,
      tally.read,
      tally.added,
      tally.repaired,
      tally.equal,
      tally.silent,
      tally.skipped,
    ],
  );
}

/** Inserts the part of a range that its reader hands over. */
export function insertRange(
  db: Queryable,
  run: number,
  range: Pick<BackfillRange, 'list' | 'from' | 'to'>,
  now: DateTime,
) {
  return db.get<BackfillRange>(
    `insert into payment_retry.backfill_ranges (run, list, from_second, to_second, top_second, moved_at)
     values ($1, $2, $3, $4, $4, $5) returning ${RANGE}`,
    [run, range.list, range.from, range.to, now],
  );
}

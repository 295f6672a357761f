import type { Queryable } from '../../../core/database/database.ts';

/** Seconds by which a clock is ahead, negative if behind. Undefined within a minute. */
export interface ClockDifferences {
  /** The process's clock. */
  readonly aheadOfDatabase?: number | undefined;
  /** The database's clock. */
  readonly aheadOfStripe?: number | undefined;
}

export async function keepClocks(db: Queryable, processId: number, found: ClockDifferences) {
  await db.query(
    'update payment_retry.processes set ahead_of_database = $2, ahead_of_stripe = $3 where id = $1',
    [processId, found.aheadOfDatabase, found.aheadOfStripe],
  );
}

export interface WrongClock {
  process: number;
  aheadOfDatabase: number | null;
  aheadOfStripe: number | null;
}

export function listWrongClocks(db: Queryable) {
  return db.query<WrongClock>(
    `select id as process, ahead_of_database, ahead_of_stripe from payment_retry.processes
     where missing_since is null and (ahead_of_database is not null or ahead_of_stripe is not null) order by id`,
  );
}

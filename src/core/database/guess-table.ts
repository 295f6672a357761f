/** Failed sign-ins and wrong credentials by address: of the plugin, and of the embedded service. */
import type { GuessTable } from '../web/guess-limit.ts';
import type { Queryable } from './database.ts';

/** More than one guess adds, so that they never gather, and few enough to hold nobody up. */
const REMOVED_AT_ONCE = 10;

export function createGuessTable(database: Queryable, schema: 'payment_retry' | 'retry_service'): GuessTable {
  const table = `${schema}.guesses`;
  return {
    add: (key, now, until) =>
      database.get(
        `with gone as (
           delete from ${table} where key in (
             select key from ${table} where until <= $2 and key <> $1 limit ${REMOVED_AT_ONCE} for update skip locked))
         insert into ${table} as known (key, failures, until) values ($1, 1, $3)
         on conflict (key) do update set
           failures = case when known.until <= $2 then 1 else known.failures + 1 end,
           until = case when known.until <= $2 then $3 else known.until end
         returning failures, until`,
        [key, now, until],
      ),
    has: (key, now) =>
      database.has(`select 1 as one from ${table} where key = $1 and until > $2`, [key, now]),
    takeBack: async (key) => {
      await database.query(`update ${table} set failures = greatest(failures - 1, 0) where key = $1`, [key]);
    },
  };
}

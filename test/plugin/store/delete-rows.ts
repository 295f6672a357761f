import type { Database } from '../../../src/core/database/database.ts';

/** Triggers would count what is gone, and the order of tables would matter. */
const DELETE = `
do $$ declare one regclass; begin
  set local session_replication_role = replica;
  for one in select oid from pg_class
    where relnamespace = 'payment_retry'::regnamespace and relkind = 'r' and relname <> 'migrations' loop
    execute format('delete from %s', one);
  end loop;
end $$`;

/**
 * Empties the plugin's tables between two tests that write few rows, and lets ids go on. A table that is truncated gets new
 * files for itself and for each of its indexes: that takes PostgreSQL five times as long.
 */
export const deleteRows = (database: Database): Promise<void> => database.exec(DELETE);

/** What the migrations come to, on both databases, beside the dump that is kept: a change of the schema shows in a review. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Database } from '../../../../src/core/database/database.ts';
import { openDatabase } from '../../../../src/core/database/open-database.ts';
import { EVERY_ENGINE, type TestLocation } from '../../../support/database/databases.ts';

const DUMPS = new URL('../../../fixtures/schemas/', import.meta.url);

/** One line a column, constraint, index, trigger and function. */
const LINES = `
  with ours as (select oid, relname from pg_class where relnamespace = $1::regnamespace and relkind = 'r')
  select 'column ' || relname || '.' || attname || ' ' || format_type(atttypid, atttypmod)
    || case when attnotnull then ' not null' else '' end
    || case attidentity when '' then '' else ' identity ' || attidentity::text end
    || coalesce(' default ' || pg_get_expr(adbin, adrelid), '') as line
  from ours join pg_attribute on attrelid = ours.oid and attnum > 0 and not attisdropped
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  union all select 'constraint ' || relname || ' ' || pg_get_constraintdef(c.oid)
  from ours join pg_constraint c on conrelid = ours.oid where contype in ('p', 'u', 'c', 'f')
  union all select 'index ' || pg_get_indexdef(indexrelid) from ours join pg_index on indrelid = ours.oid
  union all select 'trigger ' || relname || ' ' || pg_get_triggerdef(t.oid)
  from ours join pg_trigger t on tgrelid = ours.oid where not tgisinternal
  union all select 'function ' || proname || '(' || pg_get_function_arguments(p.oid) || ') ' || md5(prosrc)
  from pg_proc p where pronamespace = $1::regnamespace`;

async function dump(database: Database, schema: string): Promise<string> {
  const rows = await database.query<{ line: string }>(LINES, [schema]);
  return `${rows
    .map(({ line }) => line)
    .sort()
    .join('\n')}\n`;
}

describe.each(EVERY_ENGINE)('on $engine', ({ createMigrated }) => {
  let place: TestLocation;
  let database: Database;
  beforeAll(async () => {
    place = await createMigrated();
    database = await openDatabase(place.location);
  });
  afterAll(async () => {
    await database.close();
    await place.remove();
  });

  test.each(['payment_retry', 'retry_service'])('the schema %s is the one that is kept', async (schema) => {
    const kept = new URL(`${schema}.txt`, DUMPS);
    const found = await dump(database, schema);
    if (process.env.UPDATE_SCHEMA || !existsSync(kept)) writeFileSync(kept, found);
    expect(found).toBe(readFileSync(kept, 'utf8'));
  });
});

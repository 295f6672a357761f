/** What stands against two databases with the same work in them: the one that was moved, and the one that is not whole yet. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PluginError } from '../base/errors.ts';
import type { Queryable } from './database.ts';
import { OWNER_ONLY_FILE } from './owner-only.ts';

const MARK = 'moved';
const UNFINISHED = 'payment_retry_move';

/** From then on nobody opens the folder by mistake: everything planned in it would happen twice. */
export function markMoved(directory: string, to: string): void {
  writeFileSync(join(directory, MARK), `${to}\n`, { mode: OWNER_ONLY_FILE });
}

export function refuseMoved(directory: string): void {
  const path = join(resolve(directory), MARK);
  if (!existsSync(path)) return;
  const to = readFileSync(path, 'utf8').trim();
  throw new PluginError('STORE_UNAVAILABLE', `The database in ${resolve(directory)} was moved to ${to}.`, {
    help: 'Set DATABASE_URL. What is planned here is planned there, too, and must not be done twice.',
  });
}

/** From where an unfinished move brings rows; undefined if there is none. */
export async function findUnfinishedMove(database: Queryable): Promise<string | undefined> {
  const [found] = await database.query<{ name: string | null }>(
    `select to_regclass('${UNFINISHED}.source')::text as name`,
  );
  if (!found?.name) return undefined;
  const [row] = await database.query<{ directory: string }>(`select directory from ${UNFINISHED}.source`);
  return row?.directory;
}

export async function beginMove(database: Queryable, source: string): Promise<void> {
  await database.query(`create schema ${UNFINISHED}`);
  await database.query(`create table ${UNFINISHED}.source as select $1::text as directory`, [source]);
}

export async function endMove(database: Queryable): Promise<void> {
  await database.query(`drop schema ${UNFINISHED} cascade`);
}

export async function refuseUnfinishedMove(database: Queryable): Promise<void> {
  const from = await findUnfinishedMove(database);
  if (from === undefined) return;
  throw new PluginError('STORE_UNAVAILABLE', `The move from ${from} to this database is not finished.`, {
    help: 'Run the same `move-database` or `import` again: it goes on where it was. Or start on the old database, and drop the schemas payment_retry…, retry_service… and payment_retry_move here.',
  });
}

/** Whether the database has a row of ours. Tables alone were prepared, and nobody has worked on them. */
export async function hasRows(database: Queryable): Promise<boolean> {
  const tables = await database.query<{ place: string }>(
    `select format('%I.%I', table_schema, table_name) as place from information_schema.tables
     where table_schema in ('payment_retry', 'retry_service') and table_type = 'BASE TABLE' and table_name <> 'migrations'`,
  );
  if (tables.length === 0) return false;
  const some = tables.map(({ place }) => `exists (select 1 from ${place})`).join(' or ');
  const [found] = await database.query<{ isUsed: boolean }>(`select ${some} as is_used`);
  return found?.isUsed ?? false;
}

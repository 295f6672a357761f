/** The mark of a database that an import has not filled yet: nobody may start on it. */
import { PluginError } from '../base/errors.ts';
import type { Queryable } from './database.ts';

const UNFINISHED = 'payment_retry_move';

/** Finds the file of an unfinished import. */
export async function findUnfinishedImport(database: Queryable): Promise<string | undefined> {
  const table = await database.findValue<string>(`select to_regclass('${UNFINISHED}.source')::text`);
  return table && database.findValue<string>(`select file from ${UNFINISHED}.source`);
}

export async function beginImport(database: Queryable, source: string): Promise<void> {
  await database.query(`create schema ${UNFINISHED}`);
  await database.query(`create table ${UNFINISHED}.source as select $1::text as file`, [source]);
}

export async function endImport(database: Queryable): Promise<void> {
  await database.query(`drop schema ${UNFINISHED} cascade`);
}

export async function refuseUnfinishedImport(database: Queryable): Promise<void> {
  const from = await findUnfinishedImport(database);
  if (from === undefined) return;
  throw new PluginError('STORE_UNAVAILABLE', `The import of ${from} into this database is not finished.`, {
    help: 'Run the same `db import` again: it goes on where it was. Or start on the old database, and drop the schemas payment_retry…, retry_service… and payment_retry_move here.',
  });
}

/** Whether the database has a row of ours. Tables alone were prepared, and nobody has worked on them. */
export async function hasRows(database: Queryable): Promise<boolean> {
  const tables = await database.listValues<string>(
    `select format('%I.%I', table_schema, table_name) from information_schema.tables
     where table_schema in ('payment_retry', 'retry_service') and table_type = 'BASE TABLE' and table_name <> 'migrations'`,
  );
  if (tables.length === 0) return false;
  const some = tables.map((place) => `exists (select 1 from ${place})`).join(' or ');
  return database.getValue<boolean>(`select ${some}`);
}

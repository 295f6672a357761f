import { readdir, readFile } from 'node:fs/promises';
import { PluginError } from '../../errors.ts';
import type { Database, Transaction } from './database.ts';

/**
 * Applies the numbered SQL files of a folder that the schema has not seen: each in a transaction of its own, but all of them in one
 * where it has seen none, which is quicker. Safe to run from several processes at once. Returns the names of those applied.
 * Rejects with DATABASE_TOO_OLD where other files began the schema.
 */
export async function migrate(database: Database, schema: string, folder: URL): Promise<string[]> {
  const files = await listFiles(folder);
  const known = await listApplied(database, schema);
  if (known === undefined) await prepare(database, schema);
  refuseOtherBeginning(schema, files, known);
  const missing: MigrationFile[] = [];
  for (const name of files.filter((file) => !known?.has(file)))
    missing.push({ name, sql: await readFile(new URL(name, folder), 'utf8') });
  const applied: string[] = [];
  for (const together of known?.size ? missing.map((file) => [file]) : [missing])
    applied.push(...(await pastDeadlocks(() => apply(database, schema, together))));
  return applied;
}

interface MigrationFile {
  readonly name: string;
  readonly sql: string;
}

async function listFiles(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
}

/** Before 0.1.0 the schema was begun by other files, which are not kept: nothing leads from there to here. */
function refuseOtherBeginning(
  schema: string,
  [first]: readonly string[],
  known: ReadonlySet<string> | undefined,
): void {
  if (first === undefined || !known?.size || known.has(first)) return;
  throw new PluginError('DATABASE_TOO_OLD', `The schema ${schema} was made by a version before 0.1.0.`, {
    help: 'Start with an empty database or another DATA_DIR; `backfill` then reads from Stripe what it has.',
  });
}

/** Undefined before the first start. */
async function listApplied(database: Database, schema: string): Promise<Set<string> | undefined> {
  const table = `${schema}.migrations`;
  const [found] = await database.query<{ name: string | null }>('select to_regclass($1)::text as name', [
    table,
  ]);
  if (!found?.name) return undefined;
  const rows = await database.query<{ name: string }>(`select name from ${table}`);
  return new Set(rows.map(({ name }) => name));
}

/** Under the lock too: `if not exists` does not keep two processes from colliding. */
async function prepare(database: Database, schema: string): Promise<void> {
  await inTurn(database, schema, async (tx) => {
    await tx.query(`create schema if not exists ${schema}`);
    await tx.query(
      `create table if not exists ${schema}.migrations (name text primary key, applied_at timestamptz not null default now())`,
    );
  });
}

/** An index of a large table takes its time, and so does waiting for another process that makes one. */
const PATIENCE = { statementMs: 3_600_000 };

/** One process at a time, until the transaction ends. */
function inTurn<T>(database: Database, name: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(hashtext($1))', [name]);
    return work(tx);
  }, PATIENCE);
}

/** Returns the names of those that no other process has applied meanwhile. */
async function apply(database: Database, schema: string, files: readonly MigrationFile[]): Promise<string[]> {
  return inTurn(database, schema, async (tx) => {
    const applied: string[] = [];
    for (const { name, sql } of files) {
      const done = await tx.query(`select 1 as one from ${schema}.migrations where name = $1`, [name]);
      if (done.length > 0) continue;
      await tx.queue.executeSql(sql);
      await tx.query(`insert into ${schema}.migrations (name) values ($1)`, [name]);
      applied.push(name);
    }
    return applied;
  });
}

const MOST_TRIES = 30;

/**
 * A process of the version before that works meanwhile may lock the same tables in another order. PostgreSQL ends one of the
 * two after a second; nothing of it stays, so that it is done again.
 */
async function pastDeadlocks<T>(work: () => Promise<T>, tries = 1): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isDeadlock = error instanceof Error && 'code' in error && error.code === '40P01';
    if (!isDeadlock || tries === MOST_TRIES) throw error;
    return pastDeadlocks(work, tries + 1);
  }
}

/**
 * Does what prepares the database for a part that brings tables of its own, in one process at a time: two that start
 * together on an empty database must not both create the same things.
 */
export async function prepareInTurn(
  database: Database,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  // The embedded database belongs to one process, and has one connection, which the lock would keep from the work.
  if (database.kind === 'embedded') return work();
  await inTurn(database, name, work);
}

const PLUGIN = { schema: 'payment_retry', folder: new URL('../migrations/', import.meta.url) };

/** Brings the plugin's own tables up to date. */
export function migratePlugin(database: Database): Promise<string[]> {
  return migrate(database, PLUGIN.schema, PLUGIN.folder);
}

export interface MigrationState {
  /** Known here, and not applied. */
  readonly pending: readonly string[];
  /** Applied, and not known here. */
  readonly unknown: readonly string[];
}

/** Of the plugin's own tables; changes nothing. */
export async function compareMigrations(database: Database): Promise<MigrationState> {
  const files = await listFiles(PLUGIN.folder);
  const applied = (await listApplied(database, PLUGIN.schema)) ?? new Set();
  return {
    pending: files.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !files.includes(name)),
  };
}

/** What a newer version has applied and this one does not know, in a rolling upgrade or after going back. */
export async function listNewerMigrations(database: Database): Promise<string[]> {
  return [...(await compareMigrations(database)).unknown].sort();
}

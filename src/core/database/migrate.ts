import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, DatabaseBusyError, messageOf, PluginError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Database, Transaction, TransactionOptions } from './database.ts';
import { type MigrationFile, readMigrations } from './read-migrations.ts';
import { checkRights, ensureSchema } from './schemas.ts';

/** A file that begins, goes on or is through; or a lock that was not to be had, until the next try. */
export type MigrationProgress =
  | { readonly state: 'begins'; readonly name: string }
  | { readonly state: 'runs' | 'done'; readonly name: string; readonly seconds: number }
  | { readonly state: 'waits'; readonly seconds: number; readonly reason: string };

export type TellMigration = (progress: MigrationProgress) => void;

/** Logs the migrations of a starting process. */
export function logMigrations(logger: Pick<Logger, 'info' | 'warn'>): TellMigration {
  return ({ state, ...fields }) => {
    if (state === 'waits')
      logger.warn(fields, 'a migration waits for a lock that another session has; it is tried again');
    else if (state !== 'begins')
      logger.info(fields, state === 'done' ? 'a migration was applied' : 'a migration is still running');
  };
}

/**
 * Applies a folder's numbered SQL files that the schema lacks: each in a transaction of its own, or all in one for an empty
 * schema, which is quicker. Several processes may run it in parallel. Returns the names of the applied files. Rejects with
 * DATABASE_TOO_OLD where other files began the schema.
 */
export async function migrate(
  database: Database,
  { schema, folder }: Migrations,
  tell: TellMigration = () => {},
): Promise<string[]> {
  const files = await readMigrations(folder);
  const patiently = <T>(work: () => Promise<T>) => pastLocks(work, tell);
  await checkRights(database, schema);
  const known = await patiently(() => listApplied(database, schema));
  if (known === undefined) await patiently(() => prepare(database, schema));
  refuseOtherBeginning(schema, files, known);
  const missing = files.filter(({ name }) => !known?.has(name));
  const applied: string[] = [];
  for (const together of known?.size ? missing.map((file) => [file]) : [missing])
    applied.push(...(await patiently(() => apply({ database, schema, tell }, together))));
  return applied;
}

/** The files of a schema. */
export interface Migrations {
  readonly schema: string;
  readonly folder: URL;
}

/** Refuses schemas from before 0.1.0, which other files began: they cannot be migrated. */
function refuseOtherBeginning(
  schema: string,
  [first]: readonly MigrationFile[],
  known: ReadonlySet<string> | undefined,
): void {
  if (first === undefined || !known?.size || known.has(first.name)) return;
  throw new PluginError('DATABASE_TOO_OLD', `The schema ${schema} was made by a version before 0.1.0.`, {
    help: 'Start with an empty database or another DATA_DIR; `backfill` then reads from Stripe what it has.',
  });
}

/** Undefined before the first start. */
async function listApplied(database: Database, schema: string): Promise<Set<string> | undefined> {
  const table = `${schema}.migrations`;
  if (!(await database.findValue(`select to_regclass('${table}')::text`))) return undefined;
  return new Set(await database.listValues<string>(`select name from ${table}`));
}

/** Runs under the lock: `if not exists` does not keep two processes from colliding. */
async function prepare(database: Database, schema: string): Promise<void> {
  await inTurn(database, schema, async (tx) => {
    await ensureSchema(tx, schema);
    await tx.query(
      `create table if not exists ${schema}.migrations (name text primary key, applied_at timestamptz not null default now())`,
    );
  });
}

/** An index of a large table takes its time, and so does waiting for another process that makes one. */
const PATIENCE: TransactionOptions = { statementMs: 3_600_000, opening: ['set local lock_timeout = 0'] };
/** A change that waits for its table makes everybody else wait; it gives up and tries again later. */
const LOCK_MS = 1_000;

/** One process at a time, until the transaction ends. */
function inTurn<T>(database: Database, name: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(hashtext($1))', [name]);
    await tx.query(`set local lock_timeout = ${LOCK_MS}`);
    return work(tx);
  }, PATIENCE);
}

interface Applying {
  readonly database: Database;
  readonly schema: string;
  readonly tell: TellMigration;
}

/** Returns the names of those that no other process has applied meanwhile. */
async function apply(
  { database, schema, tell }: Applying,
  files: readonly MigrationFile[],
): Promise<string[]> {
  return inTurn(database, schema, async (tx) => {
    const applied: string[] = [];
    for (const { name, sql } of files) {
      if (await tx.has(`select 1 as one from ${schema}.migrations where name = $1`, [name])) continue;
      await whileReported(tell, name, () => tx.queue.executeSql(sql));
      await tx.query(`insert into ${schema}.migrations (name) values ($1)`, [name]);
      applied.push(name);
    }
    return applied;
  });
}

const TELL_EVERY_MS = 10_000;

async function whileReported(tell: TellMigration, name: string, work: () => Promise<unknown>): Promise<void> {
  const begunAt = performance.now();
  const seconds = () => (performance.now() - begunAt) / 1000;
  tell({ state: 'begins', name });
  const timer = setInterval(() => tell({ state: 'runs', name, seconds: seconds() }), TELL_EVERY_MS);
  try {
    await work();
    tell({ state: 'done', name, seconds: seconds() });
  } finally {
    clearInterval(timer);
  }
}

/** Tries over about a quarter of an hour, in which a backup of many databases ends. */
const MOST_TRIES = 35;
const PAUSE_MS = { first: 500, longest: 30_000 };

/**
 * A reader, such as pg_dump, keeps a table from being changed; and a process of the version before that works meanwhile may lock the
 * same tables in another order, of which PostgreSQL ends one. Nothing of it stays, so that it is done again.
 */
async function pastLocks<T>(work: () => Promise<T>, tell: TellMigration, tries = 1): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isInTheWay(error) || tries === MOST_TRIES) throw error;
    const pauseMs = Math.min(PAUSE_MS.first * 2 ** (tries - 1), PAUSE_MS.longest);
    tell({ state: 'waits', seconds: pauseMs / 1000, reason: reasonOf(error) });
    await sleep(pauseMs);
    return pastLocks(work, tell, tries + 1);
  }
}

const isInTheWay = (error: unknown): boolean =>
  error instanceof DatabaseBusyError || codeOf(error) === '40P01';

const reasonOf = (error: unknown): string =>
  error instanceof DatabaseBusyError ? error.reason : messageOf(error);

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
  await pastLocks(
    () => inTurn(database, name, (tx) => heldOpen(tx, work)),
    () => {},
  );
}

/** Keeps the transaction alive: an idle one would be ended as that of a stopped process. */
async function heldOpen(tx: Transaction, work: () => Promise<void>): Promise<void> {
  const timer = setInterval(() => void tx.query('select 1').catch(() => {}), SIGN_OF_LIFE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

/** A fraction of what `WAITS` allows. */
const SIGN_OF_LIFE_MS = 4_000;

export interface MigrationState {
  /** Known here, and not applied. */
  readonly pending: readonly string[];
  /** Applied, and not known here. */
  readonly unknown: readonly string[];
}

/** Compares a schema's files with those applied to it; changes nothing. */
export async function compareFiles(
  database: Database,
  { schema, folder }: Migrations,
): Promise<MigrationState> {
  const files = (await readMigrations(folder)).map(({ name }) => name);
  const applied = (await listApplied(database, schema)) ?? new Set();
  return {
    pending: files.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !files.includes(name)),
  };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { accessSync, constants, fsyncSync, mkdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PGlite, type Transaction as PGliteTransaction, types } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { fromPglite } from 'pg-boss';
import { DatabaseDamagedError, PluginError } from '../../errors.ts';
import { type Logger, silentLogger } from '../../logger.ts';
import type { Database, Transaction } from './database.ts';
import { isDamage } from './database-damage.ts';
import { lockDirectory } from './directory-lock.ts';
import { keepToOwner, OWNER_ONLY_FOLDER, ownerOnly } from './owner-only.ts';
import { alone } from './presence.ts';
import { mapRows } from './rows.ts';

/**
 * Opens the embedded database in a directory that no other process has open (DATA_DIR_LOCKED otherwise). In it the
 * database has a folder of its own, for its owner alone; the directory may hold other things and is left as it was.
 * A committed row is on the disk: see `DurableNodeFS`. Throws STORE_UNAVAILABLE if the directory is of no use.
 */
export async function openEmbedded(
  directory: string,
  logger: Pick<Logger, 'warn'> = silentLogger,
): Promise<Database> {
  const unlock = takeDirectory(directory);
  try {
    const folder = join(directory, 'pg');
    const [path] = keepToOwner(folder);
    if (path)
      logger.warn({ path }, 'other users can read the embedded database: its file modes cannot be changed');
    const pglite = await PGlite.create({
      fs: new DurableNodeFS(folder),
      startParams: durableStartParams(),
      parsers: { [types.INT8]: Number },
    });
    await pglite.exec("set timezone = 'UTC'");
    return { ...wrap(pglite, unlock), copyTo: (to) => copyFolder(pglite, folder, to) };
  } catch (error) {
    unlock();
    throw new PluginError(
      'STORE_UNAVAILABLE',
      `The database in ${resolve(directory)} cannot be opened: ${messageOf(error)}`,
      {
        help: 'Put the folder back from a copy that was made while no process had it open, or choose another DATA_DIR.',
        cause: error,
      },
    );
  }
}

/** Inside a transaction nothing else is written, so that the copy is what a crash at that moment would have left, which is fixed. */
async function copyFolder(pglite: PGlite, folder: string, directory: string): Promise<void> {
  await pglite.transaction(async (tx) => {
    await tx.exec('checkpoint');
    mkdirSync(directory, { recursive: true, mode: OWNER_ONLY_FOLDER });
    const copy = join(directory, 'pg');
    await cp(folder, copy, { recursive: true });
    keepToOwner(copy);
  });
}

/** Returns the function that gives it back. */
function takeDirectory(directory: string): () => void {
  try {
    mkdirSync(directory, { recursive: true, mode: OWNER_ONLY_FOLDER });
    for (const folder of [directory, join(directory, 'pg')]) assertWritable(folder);
    return lockDirectory(directory);
  } catch (error) {
    if (error instanceof PluginError) throw error;
    throw new PluginError(
      'STORE_UNAVAILABLE',
      `The folder for the database cannot be used: ${messageOf(error)}`,
      {
        help: 'Choose another DATA_DIR, or set DATABASE_URL.',
        cause: error,
      },
    );
  }
}

/** Before anything is written there. A folder of another user is met after a start as root, one that is read-only in a container. */
function assertWritable(folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') return;
    const user = process.getuid?.() ?? 'this user';
    const path = resolve(folder);
    throw new PluginError('STORE_UNAVAILABLE', `User ${user} cannot write to ${path} (${code}).`, {
      help: `Give the folder to that user (chown -R ${user} ${path}), mount it for writing, or set DATA_DIR to another; or set DATABASE_URL.`,
      cause: error,
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * One connection: a statement outside a running transaction waits for its end. Issued from inside that transaction it
 * would wait for ever, so that is refused.
 */
function wrap(pglite: PGlite, unlock: () => void): Database {
  const inTransaction = new AsyncLocalStorage<true>();
  const damage = createDamageWatch();
  const outside = <T>(run: () => Promise<T>): Promise<T> => {
    if (inTransaction.getStore())
      throw new Error('A statement inside a transaction must go through the transaction.');
    return damage.watch(run).catch(throwWithoutValues);
  };
  const queue = fromPglite(pglite);
  return {
    kind: 'embedded',
    query: <Row extends object>(text: string, params?: readonly unknown[]) =>
      outside(() => select<Row>(pglite, text, params)),
    exec: async (text) => {
      await outside(() => pglite.exec(text));
    },
    transaction: (work) =>
      outside(() =>
        pglite.transaction((tx) => inTransaction.run(true, () => work(wrapTransaction(tx, damage.watch)))),
      ),
    queue: { ...queue, executeSql: (text, values) => outside(() => queue.executeSql(text, values)) },
    damaged: damage.found,
    showPresence: async () => alone,
    close: async () => {
      // Closing writes: a damaged one is left as a crash would leave it, and fixed when it is opened.
      if (!damage.isFound()) await pglite.close();
      unlock();
    },
  };
}

type Watch = <T>(run: () => Promise<T>) => Promise<T>;

/** The first error that tells of damage is what all later calls get. */
function createDamageWatch() {
  let found: DatabaseDamagedError | undefined;
  let tell: (error: DatabaseDamagedError) => void = () => {};
  const watch: Watch = async (run) => {
    if (found) throw found;
    try {
      return await run();
    } catch (error) {
      if (!isDamage(error)) throw error;
      found ??= new DatabaseDamagedError(error);
      tell(found);
      throw found;
    }
  };
  return {
    watch,
    isFound: () => found !== undefined,
    found: new Promise<DatabaseDamagedError>((resolve) => {
      tell = resolve;
    }),
  };
}

async function select<Row extends object>(
  on: Pick<PGlite, 'query'> | PGliteTransaction,
  text: string,
  params: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows, fields } = await on.query<object>(text, [...params]);
  return mapRows<Row>(rows, fields);
}

/** PGlite adds to an error all that its statement was given. Logs must have neither events nor customers' addresses. */
function throwWithoutValues(error: unknown): never {
  if (error instanceof Error) Reflect.deleteProperty(error, 'params');
  throw error;
}

function wrapTransaction(tx: PGliteTransaction, watch: Watch): Transaction {
  const queue = fromPglite(tx);
  return {
    query: <Row extends object>(text: string, params?: readonly unknown[]) =>
      watch(() => select<Row>(tx, text, params)),
    queue: { ...queue, executeSql: (text, values) => watch(() => queue.executeSql(text, values)) },
  };
}

/** It would keep up to a thousand open, which the process's connections need. Beyond that it closes those used least. */
const DATABASE_FILES = 200;

/**
 * PGlite starts PostgreSQL with fsync off (`-F`), which a power cut does not survive (stripe-facts 11.1). Its WASM build
 * answers `fdatasync` without doing anything, so the log must be synced with `fsync`.
 */
function durableStartParams(): string[] {
  return [
    ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
    '-c',
    'fsync=on',
    '-c',
    'wal_sync_method=fsync',
    '-c',
    `max_files_per_process=${DATABASE_FILES}`,
  ];
}

/**
 * PGlite's file system over Node's, whose own `fsync` is missing: here it reaches the disk. What it makes is not for
 * others: PGlite's own modes are those of a file system in memory.
 */
class DurableNodeFS extends NodeFS {
  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...args);
    const mount = emscriptenOpts.preRun ?? [];
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [
          ...(Array.isArray(mount) ? mount : [mount]),
          (module: { NODEFS?: unknown }) => fix(module.NODEFS),
        ],
      },
    };
  }
}

function fix(nodeFs: unknown): void {
  if (!isNodeFs(nodeFs)) throw new Error('This PGlite has no NODEFS; commits would not be durable.');
  nodeFs.stream_ops.fsync = (stream) => {
    fsyncSync(stream.nfd);
    return 0;
  };
  const { mknod } = nodeFs.node_ops;
  nodeFs.node_ops.mknod = (parent, name, mode, device) => mknod(parent, name, ownerOnly(mode), device);
  for (const operations of [nodeFs.node_ops, nodeFs.stream_ops]) {
    const { setattr } = operations;
    operations.setattr = (target, { mode, ...others }) =>
      setattr(target, typeof mode === 'number' ? { ...others, mode: ownerOnly(mode) } : others);
  }
}

interface EmscriptenOperations {
  setattr(target: unknown, attributes: { mode?: number | null }): void;
}

interface EmscriptenNodeFs {
  stream_ops: EmscriptenOperations & { fsync?: (stream: { nfd: number }) => number };
  node_ops: EmscriptenOperations & {
    mknod(parent: unknown, name: string, mode: number, device: unknown): unknown;
  };
}

function isNodeFs(value: unknown): value is EmscriptenNodeFs {
  return typeof value === 'object' && value !== null && 'stream_ops' in value && 'node_ops' in value;
}

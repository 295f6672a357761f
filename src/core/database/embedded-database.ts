import { AsyncLocalStorage } from 'node:async_hooks';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf, DatabaseDamagedError, messageOf, PluginError } from '../base/errors.ts';
import { type Logger, silentLogger } from '../base/logger.ts';
import { type Database, RESULTS, type Transaction } from './database.ts';
import { isEmptyFolder } from './database-folder.ts';
import { lockDirectory } from './directory-lock.ts';
import type { HeldLock } from './lock-file.ts';
import { keepToOwner, OWNER_ONLY_FOLDER } from './owner-only.ts';
import { createTurns, type Send, type Turns } from './pglite/connection-turns.ts';
import { isWithItsFiles, type PgliteThread, startPglite } from './pglite/pglite-thread.ts';
import { readRows, toParameters } from './rows.ts';
import { whereSimulated } from './session-settings.ts';
import { createStatementNames } from './statement-names.ts';
import { createUpkeep, type UpkeepLimits } from './upkeep.ts';

/**
 * Opens the embedded database in a directory that no other process has open (DATA_DIR_LOCKED otherwise). In it the
 * database has a folder of its own, for its owner alone; the directory may hold other things and is left as it was.
 * It works on a thread of its own. A committed row is on the disk: see `pglite-worker.js`. Throws STORE_UNAVAILABLE if the
 * directory is of no use.
 */
export async function openEmbedded(
  directory: string,
  logger: Pick<Logger, 'info' | 'warn'> = silentLogger,
  limits: Partial<UpkeepLimits> = {},
): Promise<Database> {
  const folder = join(directory, 'pg');
  refuseBundle();
  const lock = await takeDirectory(directory, logger);
  try {
    const [path] = keepToOwner(folder);
    if (path)
      logger.warn({ path }, 'other users can read the embedded database: its file modes cannot be changed');
    const isEmpty = isEmptyFolder(directory, folder);
    if (isEmpty)
      logger.info({ directory: resolve(directory) }, 'the folder is empty: an empty database is made in it');
    const thread = await startPglite(folder, { lock: lock.file, isEmpty });
    try {
      await thread.send({ text: "set timezone = 'UTC'" });
      return wrap({ thread, folder, lock, logger, limits });
    } catch (error) {
      await thread.kill();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw unavailable(error, {
      what: `The database in ${resolve(directory)} cannot be opened`,
      help: 'Put the folder back from a copy that was made while no process had it open, or choose another DATA_DIR.',
    });
  }
}

function unavailable(cause: unknown, { what, help }: { what: string; help: string }): PluginError {
  if (cause instanceof PluginError) return cause;
  return new PluginError('STORE_UNAVAILABLE', `${what}: ${messageOf(cause)}`, { help, cause });
}

/** The database's thread and its WebAssembly are files, which a bundle of the host's does not have. */
function refuseBundle(): void {
  if (isWithItsFiles()) return;
  throw new PluginError('STORE_UNAVAILABLE', 'The embedded database cannot start from inside a bundle.', {
    help: 'Leave the package out of the bundle (esbuild: --external:stripe-payment-retry; webpack: externals; rollup: external; Next.js: serverExternalPackages), or set DATABASE_URL.',
  });
}

/** Inside a transaction nothing else is written, so that the copy is what a crash at that moment would have left, which is fixed. */
async function copyFolder(turns: Turns, folder: string, directory: string): Promise<void> {
  await turns.transaction(async (send) => {
    await send({ text: 'checkpoint' });
    mkdirSync(directory, { recursive: true, mode: OWNER_ONLY_FOLDER });
    const copy = join(directory, 'pg');
    await cp(folder, copy, { recursive: true });
    keepToOwner(copy);
  });
}

async function takeDirectory(directory: string, logger: Pick<Logger, 'warn'>): Promise<HeldLock> {
  try {
    mkdirSync(directory, { recursive: true, mode: OWNER_ONLY_FOLDER });
    for (const folder of [directory, join(directory, 'pg')]) assertWritable(folder);
    return await lockDirectory(directory, { logger });
  } catch (error) {
    throw unavailable(error, {
      what: 'The folder for the database cannot be used',
      help: 'Choose another DATA_DIR, or set DATABASE_URL.',
    });
  }
}

/** Checks before anything is written. A folder of another user appears after a start as root, a read-only one in a container. */
function assertWritable(folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'ENOENT') return;
    const user = process.getuid?.() ?? 'this user';
    const path = resolve(folder);
    throw new PluginError('STORE_UNAVAILABLE', `User ${user} cannot write to ${path} (${code}).`, {
      help: `Give the folder to that user (chown -R ${user} ${path}), mount it for writing, or set DATA_DIR to another; or set DATABASE_URL.`,
      cause: error,
    });
  }
}

interface Opened {
  readonly thread: PgliteThread;
  readonly folder: string;
  readonly lock: HeldLock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly limits: Partial<UpkeepLimits>;
}

/**
 * One connection: a statement outside a running transaction waits for its end. Issued from inside that transaction it
 * would wait for ever, so that is refused.
 */
function wrap({ thread, folder, lock, logger, limits }: Opened): Database {
  const inTransaction = new AsyncLocalStorage<true>();
  const damage = createDamageWatch(lock);
  void thread.ended.then(damage.report);
  void lock.lost.then((error) => {
    damage.report(error);
    return thread.kill();
  });
  const turns = createTurns((call) => damage.watch(() => thread.send(call)));
  const upkeep = createUpkeep(turns.send, logger, limits);
  void damage.found.then(upkeep.stop);
  const outside = async <T>(run: () => Promise<T>): Promise<T> => {
    upkeep.noteUse();
    if (inTransaction.getStore())
      throw new Error('A statement inside a transaction must go through the transaction.');
    return run();
  };
  const send: Send = (statement) => outside(() => turns.send(statement));
  const kept = createStatementNames();
  // A kept statement soon has one plan for any values, which would take a common word of a search for a rare one.
  const nameOf = (text: string) => (text.includes('to_tsquery(') ? undefined : kept(text));
  return {
    kind: 'embedded',
    ...throughSend(send, nameOf),
    exec: async (text) => void (await send({ text })),
    transaction: (work) =>
      outside(() =>
        turns.transaction((sendWithin) =>
          inTransaction.run(true, () => work(throughSend(sendWithin, nameOf))),
        ),
      ),
    damaged: damage.found,
    // Who opened the directory lives, and nobody else does.
    showPresence: async () => ({ end: async () => {} }),
    copyTo: (directory) => outside(() => copyFolder(turns, folder, directory)),
    close: async () => {
      upkeep.stop();
      // Closing writes: a damaged one is left as a crash would leave it, and fixed when it is opened.
      await (damage.isFound() ? thread.kill() : thread.close());
      lock.release();
      // One that was used makes every promise of the process slower before Node 24.
      inTransaction.disable();
    },
  };
}

function throughSend(send: Send, nameOf: (text: string) => string | undefined): Transaction {
  return {
    ...RESULTS,
    query: async <Row extends object>(text: string, params: readonly unknown[] = []) =>
      (await send({ text, params: toParameters(params), name: nameOf(text) })).flatMap((result) =>
        readRows<Row>(result),
      ),
    queue: {
      // As the columns are named, for pg-boss; what it gives without values may be several statements.
      executeSql: async (text, values) => {
        const results = await send({
          text,
          ...(values?.length ? { params: values, name: nameOf(text) } : {}),
        });
        return { rows: results.flatMap((result) => readRows(result, 'asStored')) };
      },
      setSessionStatements: async (statements) => {
        for (const text of whereSimulated(statements)) await send({ text });
      },
    },
  };
}

/** The first error that means damage, or that the folder is another's, is what all later calls get. */
function createDamageWatch({ findLoss }: HeldLock) {
  let found: PluginError | undefined;
  let announce: (error: PluginError) => void = () => {};
  const report = (error: unknown): PluginError => {
    found ??= findLoss() ?? new DatabaseDamagedError(error);
    announce(found);
    return found;
  };
  return {
    report,
    watch: async <T>(run: () => Promise<T>): Promise<T> => {
      if (found) throw found;
      try {
        return await run();
      } catch (error) {
        throw found ?? (isDamage(error) ? report(error) : error);
      }
    },
    isFound: () => found !== undefined,
    found: new Promise<PluginError>((resolve) => {
      announce = resolve;
    }),
  };
}

/**
 * Errors after which the database cannot be trusted until it is reopened. Its files: too many are open (53000), one cannot be
 * created or read (class 58), a page or an index is broken (XX001, XX002). A full disk (53100) is none of them: that passes.
 */
const BROKEN_FILES = /^(53000|58\w{3}|XX001|XX002)$/;
/** PostgreSQL gave up. In a process of its own it would start again. */
const ENDED = /^(PANIC|FATAL)$/;
/** Errors of the WebAssembly machine, its file system, its thread, and the folder's lock. */
const MACHINE = /^(RuntimeError|ExitStatus|ErrnoError|ThreadEndedError|LockLostError)$/;

export function isDamage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code, severity }: { name?: unknown; code?: unknown; severity?: unknown } = error;
  return severity === undefined
    ? MACHINE.test(String(name))
    : ENDED.test(String(severity)) || BROKEN_FILES.test(String(code));
}

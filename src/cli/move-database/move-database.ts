/** From the embedded database to PostgreSQL, with all that is planned. Safe to repeat until it is through. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../core/base/clock.ts';
import { PluginError } from '../../core/base/errors.ts';
import { type Logger, silentLogger } from '../../core/base/logger.ts';
import type { Database } from '../../core/database/database.ts';
import { openEmbedded } from '../../core/database/embedded-database.ts';
import {
  beginMove,
  endMove,
  findUnfinishedMove,
  hasRows,
  markMoved,
} from '../../core/database/moved-database.ts';
import { openPostgres } from '../../core/database/postgres-database.ts';
import {
  isSame,
  listMovedTables,
  type MovedTable,
  readContents,
  readSequences,
  readTable,
  type TellCopied,
  tellRows,
  writeSequences,
  writeTable,
} from '../../core/database/row-copies.ts';
import { createJobs } from '../../core/jobs/jobs.ts';
import type { JobsOptions, Payloads } from '../../core/jobs/queue-table.ts';
import type { PluginQueues } from '../../plugin/jobs/queues.ts';
import { JOBS_SCHEMA, QUEUES } from '../../plugin/jobs/queues.ts';
import { migratePlugin } from '../../plugin/store/migrate-plugin.ts';
import { migrateService } from '../../service/migrate-service.ts';
import { type ServicePayloads, serviceQueues } from '../../service/service-queues.ts';

export interface Move {
  readonly directory: string;
  readonly url: string;
  /** Called for each table whose rows are there and the same. */
  readonly onTable: (table: string, count: number) => void;
  readonly onProgress?: TellCopied;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/**
 * Throws DATA_DIR_LOCKED while a process has the folder open, and REQUEST_INVALID where the target has tables that are not
 * this move's own. Once it is through, the folder is closed to every start.
 */
export async function moveDatabase(move: Move): Promise<void> {
  const { directory, url, onTable, onProgress, logger = silentLogger, clock = systemClock } = move;
  if (!existsSync(join(directory, 'pg')))
    throw new PluginError('NOT_FOUND', `There is no embedded database in ${resolve(directory)}.`, {
      help: 'Set DATA_DIR to the folder that the plugin has used.',
    });
  const from = await openEmbedded(directory, logger);
  try {
    const to = await openPostgres(url, logger);
    try {
      await takeTarget(to, resolve(directory));
      for (const database of [from, to]) await prepareTables(database, clock);
      const tables = await listMovedTables(from);
      for (const [index, table] of tables.entries()) {
        const at = { index, of: tables.length };
        onTable(...(await moveTable({ from, to, onProgress }, table, at)));
      }
      await writeSequences(to, await readSequences(from));
      markMoved(directory, describe(url));
      await endMove(to);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** From now on nobody starts on the target until the move is through. `source` is a folder or a file. */
export async function takeTarget(to: Database, source: string): Promise<void> {
  const other = await findUnfinishedMove(to);
  if (other === source) return;
  if (other !== undefined || (await hasRows(to)))
    throw new PluginError('REQUEST_INVALID', describeTaken(other), {
      help: 'Give DATABASE_URL an empty database, or DATA_DIR an empty folder.',
    });
  await to.transaction((tx) => beginMove(tx, source));
}

function describeTaken(source: string | undefined): string {
  return source === undefined
    ? 'The target database has rows of the plugin already.'
    : `The target database has an unfinished move from ${source}.`;
}

/** Tables and queues of this version. */
export async function prepareTables(database: Database, clock: Clock): Promise<void> {
  await migratePlugin(database);
  await migrateService(database);
  await prepareQueues<PluginQueues>({ database, clock, schema: JOBS_SCHEMA, queues: QUEUES });
  await prepareQueues<ServicePayloads>({
    database,
    clock,
    schema: 'retry_service_jobs',
    queues: serviceQueues,
  });
}

async function prepareQueues<Data extends Payloads<Data>>(
  place: Omit<JobsOptions<Data>, 'logger'>,
): Promise<void> {
  const jobs = createJobs<Data>({ ...place, logger: silentLogger });
  await jobs.prepare();
  await jobs.stop();
}

/** What is there and the same is left: a move that was cut off goes on with the table it was at. */
async function moveTable(
  { from, to, onProgress }: { from: Database; to: Database; onProgress: TellCopied | undefined },
  table: MovedTable,
  at: { index: number; of: number },
): Promise<[string, number]> {
  const place = `${table.schema}.${table.name}`;
  const wanted = await readContents(from, table);
  const { count } = wanted;
  const rows = tellRows(readTable(from, table), { place, count, ...at }, onProgress);
  if (!isSame(wanted, await readContents(to, table))) await writeTable(to, table, rows);
  if (!isSame(wanted, await readContents(to, table)))
    throw new PluginError('INTERNAL', `The rows of ${place} are not the same in both databases.`, {
      help: 'Nothing has been switched over: the embedded database is as it was. Please report it with the versions of the plugin and PostgreSQL.',
    });
  return [place, count];
}

/** Without user and password. */
function describe(url: string): string {
  const { hostname, pathname } = new URL(url);
  return `PostgreSQL, ${hostname || 'this machine'}${pathname}`;
}

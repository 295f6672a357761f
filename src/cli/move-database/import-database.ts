/** Reads the file of `db export` into an empty database. Safe to repeat until it is through. */
import { resolve } from 'node:path';
import { type Clock, systemClock } from '../../core/base/clock.ts';
import { PluginError } from '../../core/base/errors.ts';
import type { Database } from '../../core/database/database.ts';
import {
  isSame,
  listMovedTables,
  type MovedTable,
  readContents,
  type TellCopied,
  tellRows,
  writeSequences,
  writeTable,
} from '../../core/database/row-copies.ts';
import {
  beginImport,
  endImport,
  findUnfinishedImport,
  hasRows,
} from '../../core/database/unfinished-import.ts';
import { prepareTables } from '../../plugin/app/migrate-all.ts';
import { readDatabaseFile, type Section, type TableHead } from './database-file.ts';

export interface Import {
  readonly path: string;
  /** Opened although an import into it may have been cut off. */
  readonly database: Database;
  /** Called for each table whose rows are there and the same. */
  readonly onTable: (table: string, count: number) => void;
  readonly onProgress?: TellCopied;
  readonly clock?: Clock;
}

/** Throws REQUEST_INVALID for a file that is not whole, and where the database has tables that are not this import's own. */
export async function importDatabase(given: Import): Promise<void> {
  await takeTarget(given.database, resolve(given.path));
  try {
    await prepareTables(given.database, given.clock ?? systemClock);
    await importFile(given);
  } catch (error) {
    // Nobody has to go on with a file that was refused.
    if (!(await hasRows(given.database).catch(() => true))) await endImport(given.database);
    throw error;
  }
}

async function importFile({ path, database, onTable, onProgress }: Import): Promise<void> {
  const known = new Map((await listMovedTables(database)).map((table) => [placeOf(table), table]));
  let index = 0;
  for await (const section of readDatabaseFile(path)) {
    if (section.kind === 'end') await writeSequences(database, section.sequences);
    else {
      const { table } = section;
      const at = { place: placeOf(table), count: table.count, index, of: known.size };
      const rows = tellRows(section.rows, at, onProgress);
      await importTable(database, known.get(placeOf(table)), { table, rows });
      index += 1;
      onTable(placeOf(table), table.count);
    }
  }
  await endImport(database);
}

const placeOf = ({ schema, name }: Pick<MovedTable, 'schema' | 'name'>) => `${schema}.${name}`;

/** Keeps everybody from starting on the database until the import is through. */
async function takeTarget(to: Database, source: string): Promise<void> {
  const other = await findUnfinishedImport(to);
  if (other === source) return;
  if (other !== undefined || (await hasRows(to)))
    throw new PluginError('REQUEST_INVALID', describeTaken(other), {
      help: 'Give DATABASE_URL an empty database, or DATA_DIR an empty folder.',
    });
  await to.transaction((tx) => beginImport(tx, source));
}

function describeTaken(source: string | undefined): string {
  return source === undefined
    ? 'The target database has rows of the plugin already.'
    : `The target database has an unfinished import of ${source}.`;
}

/** Keeps equal rows: an interrupted import continues with its current table. */
async function importTable(
  database: Database,
  known: MovedTable | undefined,
  { table, rows }: Pick<Extract<Section, { kind: 'table' }>, 'table' | 'rows'>,
): Promise<void> {
  const place = placeOf(table);
  if (!known) throw unknown(place);
  const target = { ...known, columns: knownColumns(known, table) };
  if (!isSame(table, await readContents(database, target))) await writeTable(database, target, rows);
  if (!isSame(table, await readContents(database, target)))
    throw new PluginError(
      'INTERNAL',
      `The rows of ${place} are not the same in the file and in the database.`,
      {
        help: 'Nothing has been switched over: the old database is as it was. Please report it with the versions of the plugin and PostgreSQL.',
      },
    );
}

/** The file's columns, in its order; a column that this version added has its default. The types are this database's own. */
function knownColumns(known: MovedTable, { columns, ...table }: TableHead): MovedTable['columns'] {
  return columns.map(({ name }) => {
    const column = known.columns.find((one) => one.name === name);
    if (!column) throw unknown(`${placeOf(table)}.${name}`);
    return column;
  });
}

function unknown(place: string): PluginError {
  return new PluginError('REQUEST_INVALID', `The file has ${place}, which this version does not know.`, {
    help: 'Import with the version that exported it, or a newer one.',
  });
}

/** Everything that a database of ours has, into a file for `db import`. */
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Clock, systemClock } from '../../core/base/clock.ts';
import { PluginError } from '../../core/base/errors.ts';
import type { Database } from '../../core/database/database.ts';
import { OWNER_ONLY_FILE } from '../../core/database/owner-only.ts';
import { hasOthersAtWork } from '../../core/database/processes.ts';
import {
  listMovedTables,
  readContents,
  readSequences,
  readTable,
  type TellCopied,
  tellRows,
} from '../../core/database/row-copies.ts';
import { prepareTables } from '../../plugin/app/migrate-all.ts';
import { FORMAT } from './database-file.ts';

export interface Export {
  readonly database: Database;
  readonly path: string;
  /** Called for each table that is written. */
  readonly onTable: (table: string, count: number) => void;
  readonly onProgress?: TellCopied;
  readonly clock?: Clock;
}

/**
 * Writes under the file's name only once the file is complete, and leaves nothing otherwise. Throws CONFLICT while a process
 * works on the database: a process on the copy would repeat its work.
 */
export async function exportDatabase({
  database,
  path,
  onTable,
  onProgress,
  clock = systemClock,
}: Export): Promise<void> {
  await prepareTables(database, clock);
  if (await hasOthersAtWork(database))
    throw new PluginError('CONFLICT', 'A process works on this database.', {
      help: 'Stop every process of the plugin, export, and start on the new database alone.',
    });
  const part = `${path}.part`;
  await pipeline(
    lines(database, onTable, onProgress),
    createGzip(),
    createWriteStream(part, { mode: OWNER_ONLY_FILE, flush: true }),
  )
    .then(() => renameSync(part, path))
    .finally(() => rmSync(part, { force: true }));
}

async function* lines(
  database: Database,
  onTable: Export['onTable'],
  onProgress: TellCopied | undefined,
): AsyncGenerator<string> {
  yield toLine({ format: FORMAT });
  const tables = await listMovedTables(database);
  for (const [index, table] of tables.entries()) {
    const contents = await readContents(database, table);
    const { schema, name, columns, condition } = table;
    yield toLine({ table: { schema, name, columns, condition, ...contents } });
    const at = { place: `${schema}.${name}`, count: contents.count, index, of: tables.length };
    const rows = tellRows(readTable(database, table), at, onProgress);
    for await (const portion of rows) yield portion.map((row) => `${row}\n`).join('');
    onTable(at.place, at.count);
  }
  yield toLine({ sequences: await readSequences(database), whole: true });
}

const toLine = (value: object) => `${JSON.stringify(value)}\n`;

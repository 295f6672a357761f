/** Everything that a database of ours has, into a file for `import`. */
import { createWriteStream, renameSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Clock, systemClock } from '../kit/clock.ts';
import { PluginError } from '../kit/errors.ts';
import type { Database } from '../store/engine/database.ts';
import { OWNER_ONLY_FILE } from '../store/engine/owner-only.ts';
import { hasOthersAtWork } from '../store/engine/processes.ts';
import {
  listMovedTables,
  type MovedTable,
  readContents,
  readSequences,
  readTable,
} from '../store/move/row-copies.ts';
import { FORMAT } from './database-file.ts';
import { prepareTables } from './move-database.ts';

export interface Export {
  readonly database: Database;
  readonly path: string;
  /** Called for each table that is written. */
  readonly onTable: (table: string, count: number) => void;
  readonly clock?: Clock;
}

/**
 * The file is there under its name only once it is whole. Throws CONFLICT while a process works on the database: what it would do
 * meanwhile would be done once more by whoever starts on the copy.
 */
export async function exportDatabase({
  database,
  path,
  onTable,
  clock = systemClock,
}: Export): Promise<void> {
  await prepareTables(database, clock);
  if (await hasOthersAtWork(database))
    throw new PluginError('CONFLICT', 'A process works on this database.', {
      help: 'Stop every process of the plugin, export, and start on the new database alone.',
    });
  const part = `${path}.part`;
  await pipeline(
    lines(database, onTable),
    createGzip(),
    createWriteStream(part, { mode: OWNER_ONLY_FILE, flush: true }),
  );
  renameSync(part, path);
}

async function* lines(database: Database, onTable: Export['onTable']): AsyncGenerator<string> {
  yield toLine({ format: FORMAT });
  for (const table of await listMovedTables(database)) {
    const contents = await readContents(database, table);
    const { schema, name, columns, condition } = table;
    yield toLine({ table: { schema, name, columns, condition, ...contents } });
    yield* rowLines(database, table);
    onTable(`${schema}.${name}`, contents.count);
  }
  yield toLine({ sequences: await readSequences(database), whole: true });
}

async function* rowLines(database: Database, table: MovedTable): AsyncGenerator<string> {
  for await (const portion of readTable(database, table)) yield portion.map((row) => `${row}\n`).join('');
}

const toLine = (value: object) => `${JSON.stringify(value)}\n`;

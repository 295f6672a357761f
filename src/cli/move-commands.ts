/** From one database of ours to another. */
import { resolve } from 'node:path';
import { loadDatabaseLocation, loadMove } from '../config/config.ts';
import { exportDatabase } from '../setup/export-database.ts';
import { importDatabase } from '../setup/import-database.ts';
import { moveDatabase } from '../setup/move-database.ts';
import { openDatabase, openTarget } from '../store/engine/open-database.ts';

type Write = (text: string) => unknown;

const toOutput: Write = (text) => process.stdout.write(text);

export async function runMoveDatabase(write: Write = toOutput): Promise<number> {
  const places = loadMove({}, process.env);
  const { rows, onTable } = countRows(write, 'the same on both sides');
  const kept = 'The embedded database still has everything. Run it again to finish.';
  await sayIfStopped(write, kept, () => moveDatabase({ ...places, onTable }));
  write(
    `Moved: ${rows()} rows. Start with DATABASE_URL from now on; ${places.directory} is closed to every start, and may be removed.\n`,
  );
  return 0;
}

export async function runExport([file = '']: readonly string[], write: Write = toOutput): Promise<number> {
  const path = resolve(file);
  const database = await openDatabase(loadDatabaseLocation({}, process.env));
  const { rows, onTable } = countRows(write, 'written');
  try {
    const kept = `${path} was not written, and the database is as it was. Run it again.`;
    await sayIfStopped(write, kept, () => exportDatabase({ database, path, onTable }));
  } finally {
    await database.close();
  }
  write(
    `Exported: ${rows()} rows, in ${path}. Once it is imported, start nothing on this database any more.\n`,
  );
  return 0;
}

export async function runImport([file = '']: readonly string[], write: Write = toOutput): Promise<number> {
  const path = resolve(file);
  const database = await openTarget(loadDatabaseLocation({}, process.env));
  const { rows, onTable } = countRows(write, 'the same as in the file');
  try {
    const kept = 'The database is not complete, and nothing starts on it. Run it again to finish.';
    await sayIfStopped(write, kept, () => importDatabase({ database, path, onTable }));
  } finally {
    await database.close();
  }
  write(`Imported: ${rows()} rows. Start here from now on, and nothing on the old database any more.\n`);
  return 0;
}

/** Ctrl-C ends it at once, as a crash would, which each of them survives. */
async function sayIfStopped(write: Write, kept: string, work: () => Promise<void>): Promise<void> {
  const stop = () => {
    write(`Stopped. ${kept}\n`);
    process.exit(1);
  };
  process.once('SIGINT', stop);
  try {
    await work();
  } finally {
    process.off('SIGINT', stop);
  }
}

function countRows(write: Write, done: string) {
  let rows = 0;
  const onTable = (table: string, count: number) => {
    rows += count;
    if (count > 0) write(`${table}: ${count} rows, ${done}\n`);
  };
  return { rows: () => rows, onTable };
}

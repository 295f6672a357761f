/** `db export` and `db import`: move one database of ours to another. */
import { resolve } from 'node:path';
import { openDatabase, openTarget } from '../core/database/open-database.ts';
import { createProgressLine, drawBar, type ProgressOutput } from '../plugin/operator/text/progress-line.ts';
import { loadDatabaseLocation } from '../plugin/settings/config.ts';
import { exportDatabase } from './move-database/export-database.ts';
import { importDatabase } from './move-database/import-database.ts';

interface FileCopy {
  readonly open: typeof openDatabase;
  readonly copy: typeof exportDatabase;
  /** Sentence for each table, for an interruption, and at the end. */
  readonly each: string;
  readonly kept: (path: string) => string;
  readonly done: (rows: number, path: string) => string;
}

export const runExport = withFile({
  open: openDatabase,
  copy: exportDatabase,
  each: 'written',
  kept: (path) => `${path} was not written, and the database is as it was. Run it again.`,
  done: (rows, path) =>
    `Exported: ${rows} rows, in ${path}. Once it is imported, start nothing on this database any more.`,
});

export const runImport = withFile({
  open: openTarget,
  copy: importDatabase,
  each: 'the same as in the file',
  kept: () => 'The database is not complete, and nothing starts on it. Run it again to finish.',
  done: (rows) => `Imported: ${rows} rows. Start here from now on, and nothing on the old database any more.`,
});

function withFile({ open, copy, each, kept, done }: FileCopy) {
  return async ([file = '']: readonly string[], output: ProgressOutput = process.stdout): Promise<number> => {
    const path = resolve(file);
    const database = await open(loadDatabaseLocation({}, process.env));
    const { rows, end, ...rest } = showCopy(output, each);
    try {
      await warnIfStopped({ output, end }, kept(path), () => copy({ database, path, ...rest }));
    } finally {
      await database.close();
    }
    output.write(`${done(rows(), path)}\n`);
    return 0;
  };
}

/** Ctrl-C ends it like a crash, which each of them survives. */
async function warnIfStopped(
  { output, end }: { output: ProgressOutput; end: () => void },
  kept: string,
  work: () => Promise<void>,
): Promise<void> {
  const stop = () => {
    output.write(`${output.isTTY ? '\n' : ''}Stopped. ${kept}\n`);
    process.exit(1);
  };
  process.once('SIGINT', stop);
  try {
    await work();
    end();
  } finally {
    process.off('SIGINT', stop);
  }
}

/** A bar on a terminal; elsewhere a line for each table that has rows. */
function showCopy(output: ProgressOutput, done: string) {
  let rows = 0;
  let bar: ReturnType<typeof createProgressLine> | undefined;
  const onTable = (table: string, count: number) => {
    rows += count;
    if (count > 0 && !output.isTTY) output.write(`${table}: ${count} rows, ${done}\n`);
  };
  const onProgress = (share: number, table: string) => {
    if (!output.isTTY) return;
    bar ??= createProgressLine(output);
    bar.show(`${drawBar(share)} ${Math.floor(100 * share)} % · ${rows} rows · ${table}`);
  };
  const end = () => {
    bar?.show(`${drawBar(1)} ${rows} rows, ${done}`);
    bar?.end();
    bar = undefined;
  };
  return { rows: () => rows, onTable, onProgress, end };
}

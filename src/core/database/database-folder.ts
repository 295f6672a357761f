/** Reads the contents of the embedded database's folder before it is opened. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PluginError } from '../base/errors.ts';

/** The engine's major version in the installed PGlite. */
export const ENGINE_MAJOR = '18';

/**
 * Throws where the folder holds anything but a database of this engine, or nothing at all: an empty database in its place has
 * forgotten every attempt, pause and email. Returns whether it is empty.
 */
export function isEmptyFolder(directory: string, folder: string): boolean {
  const isEmpty = isToBeFilled(folder);
  if (isEmpty === undefined) throw notRecognized(folder, `it has no ${VERSION_FILE}`);
  if (isEmpty) {
    if (isToBeFilled(directory) === false)
      throw notRecognized(directory, `it has the files that belong into ${resolve(folder)}`);
    return true;
  }
  const major = readFileSync(join(folder, VERSION_FILE), 'utf8').trim();
  if (!/^\d+$/.test(major)) throw notRecognized(folder, `its ${VERSION_FILE} names no version`);
  if (major !== ENGINE_MAJOR)
    throw new PluginError(
      'STORE_UNAVAILABLE',
      `The database in ${resolve(folder)} was made by PostgreSQL ${major}, and this version has PostgreSQL ${ENGINE_MAJOR}.`,
      {
        help: 'Run `db export FILE` with the version of this package that was used last, then `db import FILE` with this one and a new DATA_DIR.',
      },
    );
  return false;
}

const notRecognized = (folder: string, reason: string) =>
  new PluginError(
    'STORE_UNAVAILABLE',
    `${resolve(folder)} is neither empty nor a whole database: ${reason}. Nothing in it was changed.`,
    {
      help: 'Restore the whole folder from a backup (docs/how-to/backup.md). Or move it aside and start with an empty database, which knows no earlier attempt, pause or email.',
    },
  );

const VERSION_FILE = 'PG_VERSION';
/** Mark of an interrupted first start, which begins again (`empty-database.js`). */
const UNFINISHED = 'unfinished';

/** Undefined where there are files that are neither a database nor ours to replace. */
function isToBeFilled(folder: string): boolean | undefined {
  const names = readdirSync(folder);
  if (names.length === 0 || names.includes(UNFINISHED)) return true;
  return names.includes(VERSION_FILE) ? false : undefined;
}

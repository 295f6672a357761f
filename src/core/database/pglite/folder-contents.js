// @ts-check
/** What a database's folder holds, as far as its names tell: the thread looks and the process, before it has loaded the engine. */
import { readdirSync } from 'node:fs';

/** A folder that has this file is a database, of the version that it names. */
export const VERSION_FILE = 'PG_VERSION';

/**
 * The file in a folder that is being filled. On the disk before all others and gone after them, it tells a first start that was cut
 * off, which begins again, from files of somebody else.
 */
export const UNFINISHED = 'unfinished';

/**
 * Whether the folder is to be filled with an empty database. Undefined where it holds files that are neither a database nor ours to
 * replace: laid over them, an empty database would be taken for theirs.
 * @param {string} folder
 */
export function isToBeFilled(folder) {
  const names = readdirSync(folder);
  if (names.length === 0 || names.includes(UNFINISHED)) return true;
  return names.includes(VERSION_FILE) ? false : undefined;
}

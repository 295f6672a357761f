// @ts-check
/**
 * An empty database, as `initdb` makes it; in the image with all tables, without a row. Making it takes seconds in WASM, so the build of a
 * checkout makes it once (scripts/build.js). The npm package leaves it out: it is larger than all code. Its first start makes the file for those that
 * follow. Nothing in it belongs to one installation: there is no password, nobody connects from elsewhere, and the system
 * identifier matters only to servers that replicate each other.
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

/** @typedef {{ name: string, bytes?: Uint8Array }} Entry A folder has no bytes. */

const { resolve } = createRequire(import.meta.url);
const PACKAGE = join(dirname(resolve('@electric-sql/pglite')), '..', 'package.json');

/** PGlite's own name of the folder. */
const FOLDER = '/pglite/data';

/** Where the build puts it, and where it stands beside the sources. Of another version of PGlite there may be none. */
export function preparedFile() {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  return fileURLToPath(new URL(`./empty-database-${version}.br`, import.meta.url));
}

/** Returns the file, which it makes where there is none, or one that is older than this module. */
export async function keepPreparedFile() {
  const file = preparedFile();
  const madeAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (madeAt < statSync(fileURLToPath(import.meta.url)).mtimeMs) await writePreparedFile(file);
  return file;
}

/**
 * Compressed with a window that sees its three databases, which are nearly the same.
 * @param {string} file
 * @param {import('@electric-sql/pglite').PGliteOptions} [options] Of a database that is there already.
 */
export async function writePreparedFile(file, options) {
  writeEntries(file, await makeEntries(options));
}

/**
 * @param {string} file
 * @param {Entry[]} entries
 */
function writeEntries(file, entries) {
  const sizes = JSON.stringify(entries.map(({ name, bytes }) => [name, bytes?.length]));
  const contents = entries.flatMap(({ bytes }) => bytes ?? []);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const part = `${file}.${process.pid}${threadId}`;
  writeFileSync(
    part,
    brotliCompressSync(Buffer.concat([Buffer.from(`${sizes}\n`), ...contents]), { params }),
  );
  renameSync(part, file);
}

/** @returns {Entry[]} */
function readPreparedFile() {
  const packed = brotliDecompressSync(readFileSync(preparedFile()));
  let at = packed.indexOf('\n') + 1;
  /** @type {[name: string, size: number | null][]} */
  const sizes = JSON.parse(packed.toString('utf8', 0, at));
  return sizes.map(([name, size]) => {
    if (size === null) return { name };
    at += size;
    return { name, bytes: packed.subarray(at - size, at) };
  });
}

/**
 * The file in a folder that is being filled. On the disk before all others and gone after them, it tells a first start that was cut
 * off, which begins again, from files of somebody else.
 */
const UNFINISHED = 'unfinished';

/**
 * Makes a database of an empty folder.
 * @param {string} folder
 * @param {WebAssembly.Module} engine
 */
export async function fillFolder(folder, engine) {
  const entries = existsSync(preparedFile()) ? readPreparedFile() : await prepareEntries(engine);
  await lay(folder, [{ name: UNFINISHED, bytes: Buffer.from('An empty database is being made here.\n') }]);
  await lay(folder, entries);
  rmSync(join(folder, UNFINISHED));
  await lay(folder, []);
}

/**
 * Makes the entries, and keeps them for the next first start where the package's folder can be written.
 * @param {WebAssembly.Module} engine
 */
async function prepareEntries(engine) {
  const entries = await makeEntries({ pgliteWasmModule: engine });
  try {
    writeEntries(preparedFile(), entries);
  } catch (error) {
    if (!READ_ONLY.includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) throw error;
  }
  return entries;
}

const READ_ONLY = ['EACCES', 'EPERM', 'EROFS', 'ENOENT'];

/** Far below what a process may have open where little is allowed, such as 256 files on macOS. */
const SYNCED_AT_ONCE = 64;

/**
 * Written first and synced then, many side by side: so the disk takes a thousand files in the time of a few.
 * @param {string} folder
 * @param {Entry[]} entries
 */
async function lay(folder, entries) {
  for (const { name, bytes } of entries) {
    if (bytes) writeFileSync(join(folder, name), bytes, { mode: 0o600 });
    else mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  }
  if (isInMemory(folder)) return;
  // Windows syncs no folders.
  const synced = [{ name: '' }, ...entries].filter(
    (entry) => 'bytes' in entry || process.platform !== 'win32',
  );
  for (let at = 0; at < synced.length; at += SYNCED_AT_ONCE)
    await Promise.all(synced.slice(at, at + SYNCED_AT_ONCE).map(({ name }) => sync(join(folder, name))));
}

/** Of Linux, as `statfs` names it: a folder like `/dev/shm`, which has no disk that it could be synced to. */
const TMPFS = 0x01021994;

const isInMemory = (/** @type {string} */ folder) => statfsSync(folder).type === TMPFS;

/** @param {string} path */
async function sync(path) {
  // Windows syncs what may be written alone; a folder opens for reading only.
  const handle = await open(path, statSync(path).isDirectory() ? 'r' : 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Of a database that was shut down: nothing has to be recovered when it is opened.
 * @param {import('@electric-sql/pglite').PGliteOptions} [options]
 */
async function makeEntries(options) {
  const pglite = await PGlite.create(options);
  const { FS } = pglite.Module;
  // The log of what initdb did is most of the size, and is needed no more.
  await pglite.exec('set wal_recycle = off; select pg_switch_wal(); checkpoint');
  await pglite.close();
  return [...listEntries(FS, '')];
}

/**
 * @param {typeof PGlite.prototype.Module.FS} FS
 * @param {string} folder
 * @returns {Generator<Entry>}
 */
function* listEntries(FS, folder) {
  for (const child of FS.readdir(`${FOLDER}/${folder}`)) {
    if (child === '.' || child === '..') continue;
    const name = posix.join(folder, child);
    const path = `${FOLDER}/${name}`;
    const isFolder = FS.isDir(FS.stat(path).mode);
    yield isFolder ? { name } : { name, bytes: FS.readFile(path) };
    if (isFolder) yield* listEntries(FS, name);
  }
}

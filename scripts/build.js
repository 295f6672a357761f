/**
 * Compiles src into dist, where it is not done yet. Nobody ever runs what is half written: it is compiled beside dist and
 * moved into its place, by one process at a time, and a dist that is of these sources stays as it is.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { bundle, ENTRIES } from './bundle.js';

const DIST = 'dist';
const STAMP = join(DIST, '.sources');
const LOCK = '.build-lock';
const LOOK_MS = 100;
const FORGOTTEN_MS = 10_000;
/** Beside the sources, of them. */
const MADE = /\.br(\.\d+)?$/;
/** What tsc leaves behind. */
const ASSETS = ['plugin/store/migrations', 'service/migrations'];

function fingerprint() {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => !MADE.test(path))
    .map((path) => join('src', path));
  const hash = createHash('sha256');
  for (const path of [
    ...sources.sort(),
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/build.js',
    'scripts/bundle.js',
    'scripts/declarations.js',
    'scripts/line-map.js',
    'scripts/other-packages.js',
  ]) {
    const stats = statSync(path);
    if (stats.isFile()) hash.update(`${path} ${stats.size} ${stats.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function isBuilt(sources) {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources;
}

/** A lock whose process is gone is nobody's. */
function takeLock() {
  for (;;) {
    try {
      mkdirSync(LOCK);
      writeFileSync(join(LOCK, String(process.pid)), '');
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const [holder] = existsSync(LOCK) ? readdirSync(LOCK) : [];
    if (holder === undefined ? isForgotten() : !isAlive(Number(holder)))
      rmSync(LOCK, { recursive: true, force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
}

/** Taken by one that died before it wrote its number. */
function isForgotten() {
  const stats = statSync(LOCK, { throwIfNoEntry: false });
  return stats !== undefined && stats.mtimeMs < Date.now() - FORGOTTEN_MS;
}

function isAlive(processId) {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

const EMPTY_DATABASE = join('core', 'database', 'pglite', 'empty-database.js');

/** A database without rows, so that no first start has to make one. The compressed file stays beside the sources, for the next build. */
async function prepareDatabase(folder) {
  // A program without a database has none to prepare.
  if (!existsSync(join('src', 'core', 'database'))) return;
  const path = join('src', EMPTY_DATABASE);
  if (!existsSync(path)) throw new Error(`There is no ${path}, which prepares the empty database.`);
  const { preparedFile } = await import(pathToFileURL(path));
  const beside = dirname(preparedFile());
  const whole = join(beside, `all-tables-${tablesKey()}.br`);
  const place = join(folder, dirname(EMPTY_DATABASE), basename(preparedFile()));
  if (!existsSync(whole)) {
    const made = join(folder, basename(whole));
    execFileSync(process.execPath, ['--import', STEADY, 'scripts/build.js', folder, place, made], {
      stdio: 'inherit',
    });
    for (const name of readdirSync(beside)) if (name.startsWith('all-tables-')) rmSync(join(beside, name));
    renameSync(made, whole);
  }
  cpSync(whole, place);
}

/** Two builds of the same sources are the same, byte by byte: a database stores when it was made, and random bytes. */
const STEADY = `data:text/javascript,${encodeURIComponent(`
  import crypto from 'node:crypto';
  import { syncBuiltinESMExports } from 'node:module';
  import threads from 'node:worker_threads';
  Date.now = () => Date.UTC(2026, 0, 1);
  crypto.randomFillSync = globalThis.crypto.getRandomValues = (bytes) => bytes.fill(7);
  threads.Worker = class extends threads.Worker {
    constructor(file, options) {
      super(file, { ...options, execArgv: process.execArgv });
    }
  };
  syncBuiltinESMExports();
`)}`;

async function writeDatabase([folder, place, made]) {
  // As the program has it: to optimize the engine takes longer than what it does here. A flag of the process its threads would refuse.
  setFlagsFromString('--wasm-tiering-budget=500000000');
  const { preparedFile, writePreparedFile } = await import(pathToFileURL(join('src', EMPTY_DATABASE)));
  await writePreparedFile(preparedFile());
  cpSync(preparedFile(), place);
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-build-'));
  try {
    const { migrateAll } = await import(pathToFileURL(join(folder, 'plugin', 'app', 'migrate-all.js')));
    await migrateAll({ kind: 'embedded', directory });
    await writePreparedFile(made, { dataDir: join(directory, 'pg') });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Of all that makes a table or a queue. */
function tablesKey() {
  const folders = [
    'src/plugin/store/migrations',
    'src/service/migrations',
    'src/core/database/pglite',
    'src/core/jobs',
    'src/plugin/jobs',
    'src/service',
    'src/plugin/app',
  ];
  const hash = createHash('sha256').update(readFileSync('package-lock.json')).update(STEADY);
  for (const folder of folders)
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isFile() && !MADE.test(entry.name)) hash.update(readFileSync(join(folder, entry.name)));
  return hash.digest('hex').slice(0, 16);
}

async function build(sources) {
  const [fresh, old] = [`${DIST}.new-${process.pid}`, `${DIST}.old-${process.pid}`];
  const { bin } = createRequire(import.meta.url)('typescript/package.json');
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), bin.tsc);
  try {
    // Whether the types are right is what `npm run check` says; to ask it here, too, takes three times as long.
    // In one thread: otherwise the order of a union's members differs from run to run.
    const options = ['--noCheck', '--singleThreaded', '--outDir', fresh];
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', ...options], { stdio: 'inherit' });
    for (const folder of ASSETS)
      if (existsSync(`src/${folder}`)) cpSync(`src/${folder}`, `${fresh}/${folder}`, { recursive: true });
    await Promise.all([declareTypes(fresh), prepareDatabase(fresh).then(() => bundle(resolve(fresh)))]);
    writeFileSync(join(fresh, '.sources'), sources);
    if (existsSync(DIST)) renameSync(DIST, old);
    renameSync(fresh, DIST);
  } finally {
    for (const left of [fresh, old]) rmSync(left, { recursive: true, force: true });
  }
}

async function declareTypes(folder) {
  const entries = ENTRIES.filter((name) => existsSync(`src/${name}.ts`));
  // A third of its time would be spent on collecting what is new and soon gone.
  const flags = ['--max-semi-space-size=64'];
  if (entries.length > 0)
    await promisify(execFile)(process.execPath, [...flags, 'scripts/declarations.js', folder, ...entries]);
}

const database = process.argv.slice(2);
if (database.length > 0) await writeDatabase(database);
else await buildOnce();

async function buildOnce() {
  takeLock();
  try {
    const sources = fingerprint();
    if (!isBuilt(sources)) await build(sources);
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

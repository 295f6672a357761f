/** Prepares what test files of a run share. Test workers inherit the variables. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { compileTests, importCompiled } from './compiled-tests.js';
import { startCoverage } from './v8-coverage.js';

// As `node-environment.js` has it, for the empty database that is made here.
setFlagsFromString('--wasm-tiering-budget=500000000');

export default async function setUp(options) {
  const { rootDir, testPathPatterns, findRelatedTests, collectCoverage, coverageProvider } = options;
  if (collectCoverage && coverageProvider === 'v8')
    throw new Error('Leave coverageProvider out: V8 counts in any case, and coverage-reporter.js converts.');
  const before = { ...process.env };
  const removeFolder = useMemoryForFiles();
  const shared = mkdtempSync(join(tmpdir(), 'payment-retry-shared-'));
  // A test starts a program as a user who may do nothing.
  chmodSync(shared, 0o755);
  const played = testPathPatterns.toExecutor({ rootDir });
  const isPlayed = (path) => findRelatedTests || played.isMatch(path);
  const { needsDatabase } = await compileTests(isPlayed, collectCoverage);
  process.env.RUN_DIR = shared;
  if (collectCoverage) startCoverage();
  await removeSettings();
  const { variables, stop } = needsDatabase ? await prepareDatabases() : NONE;
  Object.assign(process.env, variables);
  globalThis.endTestRun = async () => {
    await stop();
    rmSync(shared, { recursive: true, force: true });
    removeFolder();
    // In watch mode another run follows.
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  };
  if (needsDatabase && !variables.DATABASE_URL_TEST)
    process.stderr.write('PostgreSQL tests skipped: no DATABASE_URL_TEST and no postgres binary found\n');
}

/** For suites of pure code, which start in a second. */
const NONE = { variables: {}, stop: async () => {} };

/** A test sets what it needs. The names are kept: the schema of the settings takes a third of a second to load. */
async function removeSettings() {
  const file = join(process.env.COMPILED_TESTS, 'setting-names.json');
  if (!existsSync(file)) {
    const { SETTING_NAMES } = await importCompiled('test/support/runner/setting-names.ts');
    writeFileSync(file, JSON.stringify(SETTING_NAMES));
  }
  for (const name of JSON.parse(readFileSync(file, 'utf8'))) delete process.env[name];
}

async function prepareDatabases() {
  const { prepareRun } = await importCompiled('test/support/runner/prepare-run.ts');
  return prepareRun();
}

/** Linux keeps files here in memory. */
const MEMORY = '/dev/shm';
const FOLDER = /^payment-retry-run-(\d+)$/;
/** Bytes. A run has some hundred million there at one time. */
const ROOM = 2 * 1024 ** 3;

/**
 * Temporary files in memory, where there is room: the databases of the tests sync to the disk as those of merchants do, and
 * the tests would wait for it. No power is cut here. TMPDIR, if it is set, stays.
 */
function useMemoryForFiles() {
  if (process.env.TMPDIR || !hasRoom()) return () => {};
  removeLeftovers();
  const folder = join(MEMORY, `payment-retry-run-${process.pid}`);
  mkdirSync(folder);
  // PostgreSQL is another user where this one is root.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, process.availableMemory?.() ?? freemem()) > ROOM;
  } catch {
    return false;
  }
}

/** Of runs that were killed. */
function removeLeftovers() {
  for (const name of readdirSync(MEMORY)) {
    const id = FOLDER.exec(name)?.[1];
    if (id && !isAlive(Number(id))) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

function isAlive(processId) {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

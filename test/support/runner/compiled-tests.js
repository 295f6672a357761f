/**
 * The tests and all that they import, compiled once: that takes three seconds, and tsx took as long in each worker and in each process of
 * ours that a test starts. What is compiled stays in `node_modules/.cache`, for runs of the same files.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'payment-retry-tests');
const KEPT_MS = 3_600_000;

/** Loaded by their names, beside the test files. */
const OTHERS = ['test/support/runner/setting-names.ts', 'test/support/runner/property-seed.ts'];
const OTHERS_WITH_DATABASE = [
  'src/core/database/embedded-database.ts',
  'test/core/database/commit-with-fsync.ts',
  'test/support/runner/prepare-part.ts',
  'test/support/runner/prepare-run.ts',
];

/**
 * Compiles the suites that are to be played, chosen by their whole paths, into a folder that the test processes know by COMPILED_TESTS.
 * Returns whether one of them uses a database.
 */
export async function compileTests(isPlayed = (_path) => true, isForCoverage = false) {
  const tests = readdirSync(join(ROOT, 'test'), { recursive: true })
    .filter((path) => /\.test\.tsx?$/.test(path) && isPlayed(join(ROOT, 'test', path)))
    .map((path) => join('test', path));
  const needsDatabase = isReached(tests, DATABASE);
  const entryPoints = [
    ...OTHERS,
    ...(needsDatabase ? OTHERS_WITH_DATABASE : []),
    ...(isForCoverage ? listForCoverage() : []),
    ...tests,
  ];
  const folder = join(CACHE, keyOf(entryPoints));
  if (!existsSync(folder)) await compile(entryPoints, folder, isForCoverage);
  utimesSync(folder, new Date(), new Date());
  process.env.COMPILED_TESTS = folder;
  return { needsDatabase };
}

/** All sources, also those that no test imports. */
const listForCoverage = () => [
  ...readdirSync(join(ROOT, 'src'), { recursive: true })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join('src', path)),
  'test/support/process/plugin-process.ts',
];

async function compile(entryPoints, folder, isForCoverage) {
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE))
    if (statSync(join(CACHE, name)).mtimeMs < Date.now() - KEPT_MS)
      rmSync(join(CACHE, name), { recursive: true, force: true });
  const fresh = `${folder}.${process.pid}`;
  await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: fresh,
    outbase: '.',
    chunkNames: 'shared/[name]-[hash]',
    bundle: true,
    // Every module once in each process, as Node has it.
    splitting: true,
    // The report counts functions that no test uses.
    treeShaking: !isForCoverage,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [ownAddresses, packages],
    logLevel: 'error',
  });
  // Another run may have been faster.
  if (existsSync(folder)) rmSync(fresh, { recursive: true });
  else renameSync(fresh, folder);
}

/** Of everything that is compiled, and of this file. */
function keyOf(entryPoints) {
  const hash = createHash('sha256').update(JSON.stringify(entryPoints));
  for (const door of ['src', 'test', 'scripts', 'manifest', 'package-lock.json'])
    for (const path of listFiles(door)) {
      const { size, mtimeMs } = statSync(path);
      hash.update(`${path} ${size} ${mtimeMs}\n`);
    }
  return hash.digest('hex').slice(0, 16);
}

function listFiles(door) {
  const path = join(ROOT, door);
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    return entry.isDirectory() ? listFiles(join(door, entry.name)) : [join(path, entry.name)];
  });
}

/** Opens one, or starts a process that does; the rest of their folders builds rows and counts them. */
const DATABASE =
  /^test\/support\/(database\/(databases|data-directory|postgres-server)|process|runner\/prepared)/;
const IMPORTED = /\b(?:from|import|import\()\s*['"](\.[^'"]+)['"]/g;

/** Whether one of the files, or what it imports, has a path like that. */
function isReached(paths, target, seen = new Set()) {
  return paths.some((path) => {
    if (target.test(path)) return true;
    if (seen.has(path) || !existsSync(join(ROOT, path))) return false;
    seen.add(path);
    const imported = readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORTED);
    return isReached(
      Array.from(imported, ([, name]) => join(dirname(path), name)),
      target,
      seen,
    );
  });
}

/** Where a test file, or one of the others, is when it is compiled. The path may begin at the project's folder. */
export function compiledPath(path) {
  const name = relative(ROOT, resolve(ROOT, path));
  return join(process.env.COMPILED_TESTS, `${name.slice(0, -extname(name).length)}.js`);
}

export const importCompiled = (path, times = 0) =>
  import(pathToFileURL(compiledPath(path)).href + (times > 0 ? `?${times}` : ''));

/** A module finds files from where it stands in the source, and what it imports by such an address is compiled with it. */
export const ownAddresses = {
  name: 'own-addresses',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/](src|test|scripts|manifest)[\\/].*\.(ts|tsx|js)$/ }, ({ path }) => {
      if (/[\\/]node_modules[\\/]/.test(path)) return undefined;
      const contents = readFileSync(path, 'utf8')
        .replaceAll(/\bimport\(new URL\(('[^']+'), import\.meta\.url\)\.href\)/g, 'import($1)')
        .replaceAll(/import\.meta\.url/g, JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: extname(path).slice(1) };
    });
  },
};

/** Node finds them from `node_modules`. One is for bundlers only: it leaves the ends of its files' names out. */
const packages = {
  name: 'packages',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path }) =>
      path.startsWith('@stripe/ui-extension-sdk/') ? undefined : { path, external: true },
    );
  },
};

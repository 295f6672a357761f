/**
 * The tests and all that they import, compiled once in a run: that takes three seconds, and tsx took as long in each worker and in each
 * process of ours that a test starts.
 */
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { extname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Loaded by their names, beside the test files. */
const OTHERS = [
  'src/core/database/embedded-database.ts',
  'test/core/database/commit-with-fsync.ts',
  'test/support/runner/no-settings.ts',
  'test/support/runner/prepare-part.ts',
  'test/support/runner/prepare-run.ts',
  'test/support/runner/property-seed.ts',
];

/** Into a folder that the test processes know by COMPILED_TESTS: the suites that are to be played, by their whole paths. */
export async function compileTests(folder, isPlayed = (_path) => true) {
  const tests = readdirSync(join(ROOT, 'test'), { recursive: true })
    .filter((path) => /\.test\.tsx?$/.test(path) && isPlayed(join(ROOT, 'test', path)))
    .map((path) => join('test', path));
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...OTHERS, ...tests],
    outdir: folder,
    outbase: '.',
    chunkNames: 'shared/[name]-[hash]',
    bundle: true,
    // Every module once in each process, as Node has it.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [ownAddresses, packages],
    logLevel: 'error',
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  process.env.COMPILED_TESTS = folder;
}

/** Where a test file, or one of the others, is when it is compiled. The path may begin at the project's folder. */
export function compiledPath(path) {
  const name = relative(ROOT, resolve(ROOT, path));
  return join(process.env.COMPILED_TESTS, `${name.slice(0, -extname(name).length)}.js`);
}

export const importCompiled = (path) => import(pathToFileURL(compiledPath(path)).href);

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

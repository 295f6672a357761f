/** What `npm pack` takes along: few files, code that can be read, no documentation but what an agent needs. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLES = ['bundle', 'bundle-start', 'bundle-command', 'bundle-demand'];
const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

const packed = z.tuple([
  z.object({ size: z.number(), files: z.array(z.object({ path: z.string(), size: z.number() })) }),
]);
/** The goal is 1,000,000. */
const MOST_BYTES = 1_300_000;

let pack: z.output<typeof packed>[0];
beforeAll(async () => {
  await run(process.execPath, ['scripts/build.js'], { cwd: ROOT });
  const { stdout } = await run('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: ROOT });
  [pack] = packed.parse(JSON.parse(stdout));
});

test('the package has under 60 files, and its size does not grow', () => {
  expect(pack.files.length).toBeLessThan(60);
  expect(pack.size).toBeLessThanOrEqual(MOST_BYTES);
});

test('documentation, pictures and the empty database stay out', () => {
  const paths = pack.files.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'LICENSE']));
  const others = paths.filter((path) => /\.br$|pictures/.test(path) || path.startsWith('docs/'));
  expect(others.filter((path) => path !== 'docs/how-to/AGENTS.md')).toEqual([]);
});

test.each(BUNDLES)(
  '%s can be read, and its map names a source of ours for nearly each of our lines',
  (name) => {
    const lines = read(`dist/${name}.cjs`).split('\n');
    expect(lines.filter((line) => line.length > 500).length).toBeLessThan(lines.length / 100);
    const { sources, mappings } = z
      .object({ sources: z.array(z.string()), mappings: z.string() })
      .parse(JSON.parse(read(`dist/${name}.cjs.map`)));
    expect(sources.filter((path) => !existsSync(`${ROOT}src/${path}`))).toEqual([]);
    expect(mappings.split(';').length).toBe(lines.length);
  },
);

test('a stack names the file of the source', async () => {
  const code = `try { require('./dist/index.cjs').createPlugin({}) } catch (error) { console.log(error.stack) }`;
  const { stdout } = await run(process.execPath, ['--enable-source-maps', '-e', code], { cwd: ROOT });
  expect(stdout).toMatch(/at loadConfig \(.*\/src\/plugin\/settings\/config\.ts:\d+:\d+\)/);
});

test('luxon, zod and preact are in it once, and are installed with nothing', () => {
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')));
  const text = BUNDLES.map((name) => read(`dist/${name}.cjs`)).join('\n');
  const starts = { luxon: 'build/', zod: 'v4/core/core.js', preact: 'dist/' };
  for (const [name, path] of Object.entries(starts)) {
    expect(Object.keys(dependencies)).not.toContain(name);
    const found = text.match(new RegExp(`^ *// \\.\\./node_modules/${name}/${path}`, 'gm'));
    expect([name, found?.length]).toEqual([name, 1]);
  }
});

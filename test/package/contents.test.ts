/** What `npm pack` takes along: few files, code that can be read, no documentation but what an agent needs. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type InstalledPackage, installPackage, ROOT } from '../support/process/installed-package.ts';

const BUNDLES = ['bundle', 'bundle-start', 'bundle-command', 'bundle-demand'];
/** The goal is 1,000,000. */
const MOST_BYTES = 1_185_000;

let host: InstalledPackage;
let place: string;
let files: string[];
beforeAll(async () => {
  host = await installPackage();
  place = join(host.folder, 'node_modules', 'stripe-payment-retry');
  files = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(place, path)).isFile(),
  );
});
afterAll(() => host.remove());

const read = (path: string) => readFileSync(join(place, path), 'utf8');

test('the package has under 60 files, and its size does not grow', () => {
  expect(files.length).toBeLessThan(60);
  expect(statSync(host.tarball).size).toBeLessThanOrEqual(MOST_BYTES);
});

test('the program can be executed as it is unpacked', () => {
  expect(statSync(join(place, 'dist/cli.js')).mode & 0o111).toBe(0o111);
});

test('documentation, pictures and the empty database stay out', () => {
  expect(files).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'LICENSE']));
  const others = files.filter((path) => /\.br$|pictures/.test(path) || path.startsWith('docs/'));
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
    expect(sources.filter((path) => !existsSync(join(ROOT, 'src', path)))).toEqual([]);
    expect(mappings.split(';').length).toBe(lines.length);
  },
);

test('a stack names the file of the source', async () => {
  const code = `try { require('stripe-payment-retry').createPlugin({}) } catch (error) { console.log(error.stack) }`;
  expect(await host.node(['--enable-source-maps', '-e', code])).toMatch(
    /at loadConfig \(.*\/src\/plugin\/settings\/config\.ts:\d+:\d+\)/,
  );
});

test('comments of other packages stay out, and of the schemas all that nobody uses', () => {
  const text = BUNDLES.map((name) => read(`dist/${name}.cjs`)).join('\n');
  expect(text.match(/^ *\* @(param|returns|deprecated) /gm)).toBeNull();
  expect(text).not.toContain('zod/v4/locales/de.js');
  expect(text).not.toContain('zod/v4/classic/from-json-schema.js');
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

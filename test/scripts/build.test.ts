/** `npm start` and its siblings compile first. Beside each other, and beside a process that runs. One project for all, compiled seldom. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'payment-retry-build-'));
  for (const file of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/build.js',
    'scripts/bundle.js',
    'scripts/declarations.js',
    'scripts/line-map.js',
    'scripts/other-packages.js',
  ])
    cpSync(join(ROOT, file), join(project, file));
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'), 'dir');
  mkdirSync(join(project, 'src/plugin/store/migrations'), { recursive: true });
  mkdirSync(join(project, 'src/service/migrations'), { recursive: true });
  writeFileSync(join(project, 'src/plugin/store/migrations/0001_x.sql'), 'select 1;');
  writeFileSync(join(project, 'src/gone.ts'), 'export {};\n');
  write('one');
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const write = (word: string) => writeFileSync(join(project, 'src/cli.ts'), `console.log('${word}');\n`);
const compile = () => run(process.execPath, ['scripts/build.js'], { cwd: project });
const play = async () => (await run(process.execPath, ['dist/cli.js'], { cwd: project })).stdout.trim();
const start = () => compile().then(play);
const inodeOf = (path: string) => statSync(join(project, path)).ino;
const left = () => readdirSync(project).filter((name) => /^dist|^\.build-lock/.test(name));

test('two that start at once compile once, and both run', async () => {
  expect(await Promise.all([start(), start()])).toEqual(['one', 'one']);
  expect(left()).toEqual(['dist']);
  expect(readFileSync(join(project, 'dist/plugin/store/migrations/0001_x.sql'), 'utf8')).toBe('select 1;');
});

test('what is compiled already stays as it is, file by file, for the process that runs it', async () => {
  await compile();
  const before = inodeOf('dist/cli.js');
  writeFileSync(join(project, 'dist/mine'), '');
  expect(await start()).toBe('one');
  expect([inodeOf('dist/cli.js'), statSync(join(project, 'dist/mine')).size]).toEqual([before, 0]);
});

test('the lock of a process that died is taken over', async () => {
  mkdirSync(join(project, '.build-lock'));
  writeFileSync(join(project, '.build-lock', '999999999'), '');
  expect(await start()).toBe('one');
  expect(left()).toEqual(['dist']);
});

test('a changed source is compiled, without what is left of one that is gone', async () => {
  await compile();
  rmSync(join(project, 'src/gone.ts'));
  write('another');
  expect(await start()).toBe('another');
  expect(readdirSync(join(project, 'dist')).filter((name) => name.startsWith('gone'))).toEqual([]);
});

test('a source that does not compile leaves what runs in its place, and no lock', async () => {
  await compile();
  const before = await play();
  writeFileSync(join(project, 'src/cli.ts'), 'const number: = 1;\n');
  await expect(compile()).rejects.toThrow();
  expect(await play()).toBe(before);
  expect(left()).toEqual(['dist']);
});

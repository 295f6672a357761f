/**
 * Programs of ours that tests start as processes of their own, a hundred in a run: bundled, because to find and load a
 * thousand modules is two thirds of what a start costs, and as much again where tsx compiles them.
 */
import { symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { compiledPath, ownAddresses } from '../runner/compiled-tests.js';
import { findPrepared, TSX } from '../runner/prepared.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAMS = ['src/cli.ts', 'test/support/process/plugin-process.ts'] as const;

export interface Program {
  /** For Node, before the file. */
  readonly flags: readonly string[];
  readonly file: string;
}

export function programOf(path: (typeof PROGRAMS)[number]): Program {
  // Counted by sources, which the bundle would mix.
  if (process.env.NODE_V8_COVERAGE) return { flags: [], file: compiledPath(path) };
  const compiled = findPrepared('programs');
  if (compiled) return { flags: [], file: join(compiled, `${basename(path, '.ts')}.js`) };
  return { flags: ['--import', TSX], file: join(ROOT, path) };
}

/** Passes on where Node writes what ran, if jest collects coverage. */
export function coverageVariables(): Readonly<Record<string, string>> {
  const { NODE_V8_COVERAGE } = process.env;
  return NODE_V8_COVERAGE ? { NODE_V8_COVERAGE } : {};
}

export async function compilePrograms(folder: string, programs: readonly string[] = PROGRAMS): Promise<void> {
  await build({
    entryPoints: programs.map((path) => join(ROOT, path)),
    outdir: folder,
    entryNames: '[name]',
    bundle: true,
    // Half of what Node reads at each start is comments and space.
    minifyWhitespace: true,
    legalComments: 'none',
    lineLimit: 160,
    // What is loaded only when it is needed stays so.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // They look for files beside their own; of OpenTelemetry's API there must be one copy.
    external: ['@electric-sql/pglite', 'pino', 'pino-pretty', 'pg-native', '@opentelemetry/*'],
    // For packages in CommonJS.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
    plugins: [ownAddresses],
    logLevel: 'error',
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
}

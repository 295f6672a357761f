import { readFileSync } from 'node:fs';
import { z } from 'zod';

const manifest = z.object({ version: z.string() });

/** This package's version. The bundle contains the text: a host's own bundle has no file of ours. */
export function ownVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return manifest.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}

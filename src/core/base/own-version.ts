import { readFileSync } from 'node:fs';
import { z } from 'zod';

const manifest = z.object({ version: z.string() });

/** Of this package. The bundle has it as a text: in a host's own bundle there is no file of ours. */
export function ownVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return manifest.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}

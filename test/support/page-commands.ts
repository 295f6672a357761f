/** The blocks of shell commands of a page in docs/operations. */
import { readFileSync } from 'node:fs';

export interface Block {
  readonly lines: readonly string[];
}

export function commandsOf(page: string): Block[] {
  return [...page.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(([, text = '']) => ({ lines: text.split('\n') }));
}

/** The block that begins with this line, as a script. */
export function blockOf(page: string, first: string): string {
  const text = readFileSync(new URL(`../../docs/operations/${page}`, import.meta.url), 'utf8');
  const block = commandsOf(text).find(({ lines }) => lines[0] === first);
  if (block === undefined) throw new Error(`docs/operations/${page} has no block that begins with ${first}`);
  return ['set -eu', ...block.lines].join('\n');
}

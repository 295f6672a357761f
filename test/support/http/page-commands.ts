/** The blocks of shell commands of a page in docs/how-to. */
import { readFileSync } from 'node:fs';

export interface Block {
  readonly lines: readonly string[];
}

export function commandsOf(page: string): Block[] {
  return [...page.matchAll(/^( *)```sh\n([\s\S]*?)\n\1```$/gm)].map(([, indent = '', text = '']) => ({
    lines: text.split('\n').map((line) => line.slice(indent.length)),
  }));
}

/** The block that begins with this line, as a script. */
export function blockOf(page: string, first: string): string {
  const text = readFileSync(new URL(`../../../docs/how-to/${page}`, import.meta.url), 'utf8');
  const block = commandsOf(text).find(({ lines }) => lines[0] === first);
  if (block === undefined) throw new Error(`docs/how-to/${page} has no block that begins with ${first}`);
  return ['set -eu', ...block.lines].join('\n');
}

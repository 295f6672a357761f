/** Writes the table of docs/reference/commands.md from the rows of commands. */
import { readFileSync, writeFileSync } from 'node:fs';
import { listCommands } from '../../src/cli/commands.ts';

const page = new URL('../../docs/reference/commands.md', import.meta.url);
const rows = (await listCommands())
  .filter(({ isHidden }) => !isHidden)
  .map(({ name, description }) => `| \`${name}\` | ${description} |`);
const table = ['| Command | |', '|---|---|', ...rows, ''].join('\n');

writeFileSync(
  page,
  readFileSync(page, 'utf8').replace(/\| Command \| \|\n(\|.*\n)*/, () => table),
);

/** Writes the table of docs/reference/commands.md anew, of what the command line offers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { COMMANDS } from '../../src/cli/commands.ts';
import { OPERATION_COMMANDS } from '../../src/cli/operation-commands.ts';

const page = new URL('../../docs/reference/commands.md', import.meta.url);
const rows = [...COMMANDS, ...OPERATION_COMMANDS].map(
  ({ name, description }) => `| \`${name}\` | ${description} |`,
);
const table = ['| Command | |', '|---|---|', ...rows, ''].join('\n');

writeFileSync(
  page,
  readFileSync(page, 'utf8').replace(/\| Command \| \|\n(\|.*\n)*/, () => table),
);

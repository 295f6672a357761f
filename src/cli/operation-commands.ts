/** The commands of the operations, made of their rows. Loading it loads the operations. */
import { z } from 'zod';
import type { CommandSpec, Operation } from '../plugin/operator/operations/operation.ts';
import { OPERATION_NAMES, operationOf } from '../plugin/operator/operations/operations.ts';
import type { CommandEntry } from './command-entry.ts';
import { serve } from './process/serve.ts';

const CHECK = [
  '--check',
  'do nothing; say what it would do now, and what would prevent it (exit code 1)',
] as const;
const PERSON = [
  ['--reason <text>', 'why; kept in the history'],
  ['--by <name>', "your name for the audit (this system's user)"],
  ['--json', 'print the result as JSON'],
] as const;

const described = z.object({ description: z.string() });

export const OPERATION_COMMANDS: readonly CommandEntry[] = OPERATION_NAMES.flatMap((name) => {
  const operation = operationOf(name);
  return operation.command ? [toEntry(operation, operation.command)] : [];
});

function toEntry(
  operation: Pick<Operation, 'description' | 'parameters' | 'canForesee'>,
  { use, values = {}, needs, examples }: CommandSpec,
): CommandEntry {
  const [name = '', argument = ''] = use.split(' ');
  const options = Object.entries(operation.parameters.shape)
    .filter(([parameter]) => !argument.includes(parameter))
    .map(([parameter, schema]) => [toFlag(parameter, values), toHelp(schema)] as const);
  return {
    name: use,
    group: 'Operate',
    description: toHelp(operation),
    options: [...(operation.canForesee ? [CHECK] : []), ...options, ...PERSON],
    environment: needs,
    examples,
    exitCodes: {
      0: 'it was done',
      1: 'it was refused, or a part is left',
      3: 'nothing had to be done: nothing changed',
    },
    run: serve(name),
  };
}

function toFlag(parameter: string, values: NonNullable<CommandSpec['values']>): string {
  const flag = parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${flag} ${values[parameter] ?? '<id>'}`;
}

/** A sentence as commander's lists have them. */
function toHelp(of: unknown): string {
  const { description } = described.parse(of);
  return `${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`;
}

import { z } from 'zod';
import { wordsOf } from '../../../core/base/command-options.ts';
import type { CommandSpec, Outcome } from '../../operator/operations/operation.ts';
import { type AnyResult, type OperationName, operationOf } from '../../operator/operations/operations.ts';
import type { CommandResult } from '../../operator/text/command-result.ts';
import { warnOfControlGroup } from '../../operator/text/describe-experiment.ts';
import { describeOperation, describePreview, showPreview } from '../../operator/text/describe-operation.ts';
import { findControlGroup } from '../../store/tables/retry/lots.ts';
import { type CommandContext, print, type StoreCommandRow } from './store-command.ts';

const given = z.record(z.string(), z.unknown());
const person = z.object({
  reason: z.string().optional(),
  by: z.string().optional(),
  json: z.boolean().default(false),
  check: z.boolean().default(false),
});

const CHECK = ['--check', 'preview only: what it would do now, or what prevents it (exit code 1)'] as const;
const PERSON = [
  ['--reason <text>', 'the reason, kept in the history'],
  ['--by <name>', "your name for the audit (this system's user)"],
  ['--json', 'print the result as JSON'],
] as const;

const described = z.object({ description: z.string() });

/** The command of an operation, generated from its row for the person at the terminal; options are parameters, too. */
export function operateBy(operationName: OperationName): StoreCommandRow[] {
  const { command, parameters, hasPreview, ...operation } = operationOf(operationName);
  if (!command) return [];
  const { use, values = {}, needs, examples } = command;
  const argument = use.slice(wordsOf(use).length);
  const options = Object.entries(parameters.shape)
    .filter(([parameter]) => !argument.includes(parameter))
    .map(([parameter, schema]) => [toFlag(parameter, values), toHelp(schema)] as const);
  return [
    {
      name: use,
      group: 'Operate',
      description: toHelp(operation),
      options: [...(hasPreview ? [CHECK] : []), ...options, ...PERSON],
      environment: needs,
      examples,
      exitCodes: {
        0: 'done',
        1: 'refused, or a part is left',
        3: 'nothing to do; nothing changed',
      },
      run: (context, args, options) =>
        operate(context, operationName, { arguments: readArguments(argument, args), options }),
    },
  ];
}

function toFlag(parameter: string, values: NonNullable<CommandSpec['values']>): string {
  const flag = parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${flag} ${values[parameter] ?? '<id>'}`.trim();
}

/** A sentence as commander's lists have them. */
function toHelp(of: unknown): string {
  const { description } = described.parse(of);
  return `${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`;
}

interface Typed {
  /** Parameters that stand without a flag. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly options: unknown;
}

async function operate(context: CommandContext, name: OperationName, typed: Typed): Promise<number> {
  const { reason, by = context.user, json, check } = person.parse(typed.options);
  const parameters = { ...given.parse(typed.options), ...typed.arguments };
  if (check) return print(context, await checkOperation(context, name, parameters));
  const result = await context.withStore(async (operations) => {
    const group = await findControlGroup(operations.database, parameters);
    if (group && !json) context.output.write(`${warnOfControlGroup(group.against)}.\n`);
    return operationOf(name).carryOut(operations, { who: { name: by, via: 'command' }, reason }, parameters);
  });
  const { code, text } = toCommandResult(name, result);
  return print(context, { code, text: json ? JSON.stringify(result, null, 2) : text });
}

/** `<invoice>` is one word, `[invoices...]` are as many as there are: none leaves the parameter out. */
function readArguments(argument: string, args: readonly string[]): Typed['arguments'] {
  const parameter = /\w+/.exec(argument)?.[0];
  if (parameter === undefined || args.length === 0) return {};
  return { [parameter]: argument.includes('...') ? args : args[0] };
}

/** Exit code 1 if something opposes it. */
async function checkOperation(
  context: CommandContext,
  name: OperationName,
  parameters: Record<string, unknown>,
): Promise<CommandResult> {
  const preview = showPreview(
    await context.withStore((operations) => operationOf(name).preview(operations, parameters)),
  );
  return { code: preview.objection ? 1 : 0, text: describePreview(preview) };
}

/** Nothing changed has an exit code of its own. */
const EXIT_CODES: Readonly<Record<Outcome, number>> = {
  changed: 0,
  unchanged: 3,
  refused: 1,
  not_found: 1,
};

/** 1 also where only a part was done. */
export function toCommandResult(name: OperationName, result: AnyResult): CommandResult {
  const code = operationOf(name).isPartial(result) ? 1 : EXIT_CODES[result.outcome];
  return { code, text: describeOperation(name, result) };
}

import { z } from 'zod';
import type { Outcome } from '../../operator/operations/operation.ts';
import { type AnyResult, type OperationName, operationOf } from '../../operator/operations/operations.ts';
import type { CommandResult } from '../../operator/text/command-result.ts';
import {
  describeForesight,
  describeOperation,
  viewForesight,
} from '../../operator/text/describe-operation.ts';
import { type CommandContext, print, type StoreCommand } from './store-command.ts';

const given = z.record(z.string(), z.unknown());
const person = z.object({
  reason: z.string().optional(),
  by: z.string().optional(),
  json: z.boolean().default(false),
  check: z.boolean().default(false),
});

/** The command of an operation, for whoever is at the terminal; options are parameters, too. */
export function operateBy(name: OperationName): [command: string, run: StoreCommand][] {
  const { command } = operationOf(name);
  if (!command) return [];
  const [word = '', argument = ''] = command.use.split(' ');
  return [
    [
      word,
      (context, args, options) =>
        operate(context, name, { arguments: readArguments(argument, args), options }),
    ],
  ];
}

interface Typed {
  /** Parameters that stand without a flag. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly options: unknown;
}

async function operate(context: CommandContext, name: OperationName, typed: Typed): Promise<number> {
  const { reason: why, by = context.user, json, check } = person.parse(typed.options);
  const parameters = { ...given.parse(typed.options), ...typed.arguments };
  if (check) return print(context, await checkOperation(context, name, parameters));
  const result = await context.withStore((operations) =>
    operationOf(name).carryOut(operations, { who: { name: by, via: 'command' }, why }, parameters),
  );
  const { code, text } = toCommandResult(name, result);
  return print(context, { code, text: json ? JSON.stringify(result, null, 2) : text });
}

/** `<invoice>` is one word, `[invoices...]` are as many as there are: none leaves the parameter out. */
function readArguments(argument: string, args: readonly string[]): Typed['arguments'] {
  const parameter = /\w+/.exec(argument)?.[0];
  if (parameter === undefined || args.length === 0) return {};
  return { [parameter]: argument.includes('...') ? args : args[0] };
}

/** Exit code 1 if something stands against it. */
async function checkOperation(
  context: CommandContext,
  name: OperationName,
  parameters: Record<string, unknown>,
): Promise<CommandResult> {
  const told = viewForesight(
    await context.withStore((operations) => operationOf(name).foresee(operations, parameters)),
  );
  return { code: told.objection ? 1 : 0, text: describeForesight(told) };
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
  const text = describeOperation(name, result);
  return {
    code,
    text:
      'undo' in result ? `${text}\n\`undo ${result.undo}\` takes it back while nothing else changes.` : text,
  };
}

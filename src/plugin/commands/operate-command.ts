import { z } from 'zod';
import { type AnyResult, type OperationName, operationOf } from '../../operator/operations/operations.ts';
import type { CommandResult } from '../../operator/text/command-result.ts';
import { describeOperation, exitCodeOf } from '../../operator/text/describe-operation.ts';
import { describeReason } from '../../operator/text/describe-reason.ts';
import { exactMoment } from '../../operator/text/exact-moment.ts';
import { type CommandContext, print, type ServedCommand } from './served-command.ts';

const given = z.record(z.string(), z.unknown());
const person = z.object({
  reason: z.string().optional(),
  by: z.string().optional(),
  json: z.boolean().default(false),
  check: z.boolean().default(false),
});

/** An operation for whoever is at the terminal. `toParameters` makes them of the command's arguments; options are parameters, too. */
export function operateBy(
  name: OperationName,
  toParameters: (args: readonly string[]) => Record<string, unknown> = () => ({}),
): ServedCommand {
  return async (context, args, options) => {
    const { reason: why, by = context.user, json, check } = person.parse(options);
    const parameters = { ...given.parse(options), ...toParameters(args) };
    if (check) return print(context, await checkOperation(context, name, parameters));
    const result = await context.withStore((operations) =>
      operationOf(name).carryOut(operations, { who: { name: by, via: 'command' }, why }, parameters),
    );
    return print(
      context,
      json ? { ...toCommandResult(result), text: JSON.stringify(result, null, 2) } : toCommandResult(result),
    );
  };
}

/** Exit code 1 if something stands against it. */
async function checkOperation(
  context: CommandContext,
  name: OperationName,
  parameters: Record<string, unknown>,
): Promise<CommandResult> {
  const objection = await context.withStore((operations) =>
    operationOf(name).foresee(operations, parameters),
  );
  if (!objection) return { code: 0, text: 'Nothing prevents it now.' };
  const until = objection.until?.toUTC().toJSDate();
  const when = until === undefined ? '' : `; possible from ${exactMoment(until)}`;
  return { code: 1, text: `${describeReason(objection.reason)} (guard ${objection.guard})${when}` };
}

export function toCommandResult(result: AnyResult): CommandResult {
  return { code: exitCodeOf(result), text: describeOperation(result) };
}

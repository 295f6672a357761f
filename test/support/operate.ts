/** What a person does, by name, as a command says it. */

import { ConfigError } from '../../src/core/base/errors.ts';
import { silentLogger } from '../../src/core/base/logger.ts';
import { toCommandResult } from '../../src/plugin/app/commands/operate-command.ts';
import type { OperationDeps } from '../../src/plugin/operator/operations/operation.ts';
import {
  type AnyResult,
  type OperationName,
  operationOf,
} from '../../src/plugin/operator/operations/operations.ts';
import type { CommandResult } from '../../src/plugin/operator/text/command-result.ts';
import type { World } from './world.ts';

export const ADA = { name: 'ada', via: 'command' } as const;

export function carryOut(
  deps: OperationDeps,
  name: OperationName,
  given: object = {},
  reason = 'wrong prices',
): Promise<AnyResult> {
  return operationOf(name).carryOut(deps, { who: ADA, reason }, given);
}

export function operate(
  world: Pick<World, 'plugin'>,
  name: OperationName,
  given: object = {},
  why?: string,
): Promise<AnyResult> {
  return carryOut(world.plugin.parts.operations, name, given, why);
}

/** With the exit code and the words of the command. */
export async function say(
  world: Pick<World, 'plugin'>,
  name: OperationName,
  given: object = {},
  why?: string,
): Promise<CommandResult> {
  return toCommandResult(name, await operate(world, name, given, why));
}

/** For a database beside a plugin that works on it. */
export function operationsOn({ database, clock }: Pick<OperationDeps, 'database' | 'clock'>): OperationDeps {
  const none = () => {
    throw new ConfigError(['There are no settings and nothing is read at Stripe here.']);
  };
  return { database, clock, logger: silentLogger, enqueue: async () => {}, retry: none, config: none };
}

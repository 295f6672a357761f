import { userInfo } from 'node:os';
import { z } from 'zod';
import { loadDatabaseLocation } from '../config/config.ts';
import { PluginError } from '../errors.ts';
import type { Asking } from '../operator/operations/operation.ts';
import { type AnyResult, type OperationName, operationOf } from '../operator/operations/operations.ts';
import { askRunningProcess } from '../operator/operations/operator-socket.ts';
import {
  type CommandResult,
  printResult,
  type Write,
  writeToTerminal,
} from '../operator/text/command-result.ts';
import { describeOperation, exitCodeOf } from '../operator/text/describe-operation.ts';
import { openOperationDeps } from './process/open-operation-deps.ts';
import { withDatabase } from './process/with-database.ts';

const personOptions = z.object({ reason: z.string().optional(), by: z.string().optional() });

/** Carries out an operation for whoever is at the terminal. Exit code 0 if something changed, 3 if nothing had to, else 1. */
export async function runOperation(
  name: OperationName,
  given: Record<string, unknown>,
  options: unknown,
  write: Write = writeToTerminal,
): Promise<number> {
  const { reason: why, by = userInfo().username } = personOptions.parse(options);
  const result = await carryOut(name, { who: { name: by, via: 'command' }, why }, given);
  return printResult(tellResult(result), write);
}

export function tellResult(result: AnyResult): CommandResult {
  return { code: exitCodeOf(result), text: describeOperation(result) };
}

/** The embedded database is open in one process: if that runs, it is asked to do it. */
async function carryOut(
  name: OperationName,
  asking: Asking,
  given: Record<string, unknown>,
): Promise<AnyResult> {
  try {
    return await withDatabase((database) =>
      operationOf(name).carryOut(openOperationDeps(database), asking, given),
    );
  } catch (error) {
    if (!(error instanceof PluginError) || error.code !== 'DATA_DIR_LOCKED') throw error;
    const location = loadDatabaseLocation();
    const answer =
      location.kind === 'embedded' && (await askRunningProcess(location.directory, { name, asking, given }));
    if (answer) return answer;
    throw new PluginError('DATA_DIR_LOCKED', `${error.message} It does not answer.`, {
      help: 'Stop that process: with it every payment and mail stops at once. Run this command, then start it again.',
      cause: error,
    });
  }
}

/** A command that reads or acts, in its own process or in the one that has the embedded database open. */

import type { ServiceClient } from '../../clients/service-client.ts';
import type { PluginDeps } from '../../jobs/queues.ts';
import type { OperationDeps } from '../../operator/operations/operation.ts';
import type { CommandResult } from '../../operator/text/command-result.ts';
import type { ProgressOutput } from '../../operator/text/progress-line.ts';
import type { Accounts } from '../../settings/accounts.ts';
import type { Config } from '../../settings/config.ts';
import type { CommandRow } from './command-row.ts';

export interface CommandOutput extends ProgressOutput {
  readonly hasColors?: boolean;
}

/** What reading the service's listing takes. */
export interface ListingParts extends PluginDeps {
  readonly config: Config;
  readonly accounts: Accounts;
  readonly serviceOf: (account: string) => ServiceClient;
}

export interface PluginParts extends Pick<OperationDeps, 'database'> {
  readonly config: Config;
  requestBackfill(months: number, account: string): Promise<void>;
  requestVerification(months: number, account: string): Promise<void>;
}

export interface CommandContext {
  /** The system's name of the person at the terminal. */
  readonly user: string;
  readonly output: CommandOutput;
  /** Resolves when the person presses Ctrl-C. */
  interrupted(): Promise<void>;
  /** Opens the needed resources for the duration of `work`. Rejects with DATA_DIR_LOCKED where another process has them. */
  withStore<Result>(work: (operations: OperationDeps) => Promise<Result>): Promise<Result>;
  withListings<Result>(work: (parts: ListingParts) => Promise<Result>): Promise<Result>;
  withPlugin<Result>(work: (parts: PluginParts) => Promise<Result>): Promise<Result>;
}

/** Returns the exit code. */
export type StoreCommand = (
  context: CommandContext,
  args: readonly string[],
  options: unknown,
) => Promise<number>;

export interface StoreCommandRow extends CommandRow {
  /** It reads large accounts: where its process is its own, that collects garbage early. */
  readonly isInLittleMemory?: true;
  /** Arguments resolved in the terminal's folder and environment, which the running process may not share. */
  readonly readArguments?: (args: readonly string[]) => readonly string[];
  readonly run: StoreCommand;
}

/** The columns of a terminal, where lines are folded; a file or another program gets them whole. */
export function columnsOf({ isTTY, columns }: CommandOutput): number | undefined {
  return isTTY ? columns || 80 : undefined;
}

/** Prints the result of a command, and returns its exit code: 0 for a text alone. */
export function print({ output }: Pick<CommandContext, 'output'>, said: CommandResult | string): number {
  const { code, text } = typeof said === 'string' ? { code: 0, text: said } : said;
  output.write(`${text}\n`);
  return code;
}

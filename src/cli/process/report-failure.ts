import { ConfigError, DatabaseAwayError, PluginError } from '../../errors.ts';

/** Says on standard error what happened and what to do; returns the exit code: 2 for settings, 1 for the rest. */
export function reportFailure(error: unknown): number {
  process.stderr.write(`${describe(error)}\n`);
  return error instanceof ConfigError ? 2 : 1;
}

/** For a process of our own: whoever supervises it starts it again, and that mends what it could not. */
export function exitOnFailure(failed: Promise<PluginError>): void {
  void failed.then((error) => process.exit(reportFailure(error)));
}

function describe(error: unknown): string {
  if (error instanceof DatabaseAwayError)
    return `The database cannot be reached: ${error.reason}\n${error.help}`;
  if (error instanceof PluginError) return [error.message, error.help].filter(Boolean).join('\n');
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

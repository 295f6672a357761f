import { ConfigError, PluginError } from '../../errors.ts';
import { explainUnreachable, isUnreachable } from '../../store/engine/unreachable.ts';

/** Says on standard error what happened and what to do; returns the exit code: 2 for settings, 1 for the rest. */
export function reportFailure(failure: unknown): number {
  const error = isUnreachable(failure) ? explainUnreachable(failure) : failure;
  process.stderr.write(`${describe(error)}\n`);
  return error instanceof ConfigError ? 2 : 1;
}

function describe(error: unknown): string {
  if (error instanceof PluginError) return [error.message, error.help].filter(Boolean).join('\n');
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

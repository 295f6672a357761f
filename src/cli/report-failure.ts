import { ConfigError, PluginError } from '../errors.ts';

/** Says on standard error what happened and what to do; returns the exit code: 2 for settings, 1 for the rest. */
export function reportFailure(error: unknown): number {
  if (error instanceof PluginError) {
    process.stderr.write(`${error.message}\n${error.help ? `${error.help}\n` : ''}`);
    return error instanceof ConfigError ? 2 : 1;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
  return 1;
}

import { DatabaseAwayError, type ErrorCode, PluginError } from '../../core/base/errors.ts';
import { describeError } from '../../core/base/logged-text.ts';

/** The exit code for settings, and for what was given. */
export const WRONG_USE = 2;

/** What whoever calls has to fix. */
const BY_CALLER: ReadonlySet<ErrorCode> = new Set(['CONFIG_INVALID', 'REQUEST_INVALID']);

/** Says on standard error what happened and what to do; returns the exit code: 2 for settings and what was given, 1 for the rest. */
export function reportFailure(error: unknown): number {
  process.stderr.write(`${describe(error)}\n`);
  return error instanceof PluginError && BY_CALLER.has(error.code) ? WRONG_USE : 1;
}

/** For a process of our own: whoever supervises it starts it again, and that fixes what it could not. */
export function exitOnFailure(failed: Promise<PluginError>): void {
  void failed.then((error) => process.exit(reportFailure(error)));
}

function describe(error: unknown): string {
  if (error instanceof DatabaseAwayError)
    return `${error.message.replace(/\.$/, '')}: ${error.reason}\n${error.help}`;
  if (error instanceof PluginError) return [error.message, error.help].filter(Boolean).join('\n');
  const { type, reason, stack } = describeError(error);
  return [`${type}: ${reason}`, stack].filter(Boolean).join('\n');
}

import { DatabaseAwayError, type ErrorCode, PluginError } from '../../core/base/errors.ts';
import { describeError } from '../../core/base/logged-text.ts';

/** The exit code for wrong settings and arguments. */
export const WRONG_USE = 2;

/** Errors that the caller has to fix. */
const BY_CALLER: ReadonlySet<ErrorCode> = new Set(['CONFIG_INVALID', 'REQUEST_INVALID']);

/** Prints the error and its remedy on standard error; returns the exit code: 2 for settings and arguments, 1 for the rest. */
export function reportFailure(error: unknown): number {
  process.stderr.write(`${describe(error)}\n`);
  return error instanceof PluginError && BY_CALLER.has(error.code) ? WRONG_USE : 1;
}

/** Ends a process of our own: its supervisor restarts it, which repairs the failure. */
export function exitOnFailure(failed: Promise<PluginError>): void {
  void failed.then((error) => process.exit(reportFailure(error)));
}

function describe(error: unknown): string {
  if (error instanceof DatabaseAwayError)
    return `${error.message.replace(/\.$/, '')}: ${error.reason}\n${error.help}`;
  if (error instanceof PluginError) return [error.message, error.help].filter(Boolean).join('\n');
  const { type, reason, stack, syscall, code } = describeError(error);
  // Of the system, such as a full disk: the reason says where. 42P07: a migration that was never recorded here.
  if (syscall !== undefined) return `${reason}`;
  if (code === '42P07') return `${reason}. Another program has this schema: set DATABASE_SCHEMA.`;
  return [`${type}: ${reason}`, stack].filter(Boolean).join('\n');
}

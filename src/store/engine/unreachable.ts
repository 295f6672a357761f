/** What `pg` raises when there is no way to the database. */
import { PluginError } from '../../errors.ts';

/** Codes of the system, and of PostgreSQL for its user, password and database. */
const CODES: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['28P01', '28000', '3D000'],
]);

/** Whether the database was away, or refused us, in the middle of something else. */
export function isUnreachable(error: unknown): boolean {
  return CODES.has(codeOf(error));
}

export function explainUnreachable(error: unknown): PluginError {
  // Where a name has several addresses, each in vain, there is a code and no message.
  const reason = (error instanceof Error && error.message) || codeOf(error) || String(error);
  return new PluginError('STORE_UNAVAILABLE', `The database cannot be reached: ${reason}`, {
    help: 'See that it runs and takes connections from here, and that DATABASE_URL names it.',
    cause: error,
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

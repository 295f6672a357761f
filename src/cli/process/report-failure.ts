import { ConfigError, PluginError } from '../../errors.ts';

/** Says on standard error what happened and what to do; returns the exit code: 2 for settings, 1 for the rest. */
export function reportFailure(error: unknown): number {
  if (error instanceof PluginError) {
    process.stderr.write(`${error.message}\n${error.help ? `${error.help}\n` : ''}`);
    return error instanceof ConfigError ? 2 : 1;
  }
  process.stderr.write(`${describe(error)}\n`);
  return 1;
}

/** What `pg` raises while it connects: codes of the system, and of PostgreSQL for its user, password and database. */
const NO_DATABASE: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['28P01', '28000', '3D000'],
]);

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') {
    const port = 'port' in error ? String(error.port) : '';
    return `Port ${port} is in use by another process.\nEnd that process, or choose another PORT or SERVICE_PORT.`;
  }
  if (NO_DATABASE.has(code))
    return `The database cannot be reached: ${error.message || code}\nSee that it runs and takes connections from here, and that DATABASE_URL names it.`;
  if ('syscall' in error && error.syscall === 'mkdir')
    return `The folder for the database cannot be made: ${error.message}\nChoose another DATA_DIR, or set DATABASE_URL.`;
  return error.stack ?? error.message;
}

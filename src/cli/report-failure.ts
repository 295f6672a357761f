import { ConfigError, PluginError } from '../errors.ts';

/** Says on standard error what happened and what to do; returns the exit code: 2 for settings, 1 for the rest. */
export function reportFailure(error: unknown): number {
  if (error instanceof PluginError) {
    process.stderr.write(`${error.message}\n${error.help ? `${error.help}\n` : ''}`);
    return error instanceof ConfigError ? 2 : 1;
  }
  process.stderr.write(`${describe(error)}\n`);
  return 1;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!('code' in error) || error.code !== 'EADDRINUSE') return error.stack ?? error.message;
  const port = 'port' in error ? String(error.port) : '';
  return `Port ${port} is in use by another process.\nEnd that process, or choose another PORT or SERVICE_PORT.`;
}

/** Supervisors wait ten seconds before they kill (Docker's own figure). */
const STOP_WITHIN_MS = 9_000;

/** Windows cannot send SIGTERM; a supervisor there has Ctrl-Break or closes the console. */
const SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGTERM', 'SIGINT'];

/**
 * Stops everything in order on a signal and ends the process. Calls that still wait for Stripe, a mail server or the database
 * are left as by a crash; the next start or another process repairs them. A second signal ends the process immediately.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      setTimeout(() => {
        process.stderr.write('Some work did not end in time; the next start continues it.\n');
        process.exit(0);
      }, STOP_WITHIN_MS);
      void stop().then(() => process.exit(0));
    });
  }
}

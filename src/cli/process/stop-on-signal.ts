/** Supervisors wait ten seconds before they kill (Docker's own figure). */
const STOP_WITHIN_MS = 9_000;

/** On Windows nobody can send SIGTERM; a console that is closed, or Ctrl-Break, is what a supervisor has. */
const SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGTERM', 'SIGINT'];

/**
 * On a signal everything is stopped in order, and the process ends: what then still waits for Stripe, a mail server or
 * the database is left as a crash would leave it, which the next start or another process puts right. A second signal ends
 * the process at once.
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

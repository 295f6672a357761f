/** Supervisors wait ten seconds before they kill (Docker's own figure). */
const STOP_WITHIN_MS = 9_000;

/**
 * On SIGTERM or SIGINT everything is stopped in order, and the process ends: what then still waits for Stripe, a mail server or
 * the database is left as a crash would leave it, which the next start or another process puts right. A second signal ends
 * the process at once.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
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

import { startServer } from '../server.ts';
import { offerBackfill } from './offer-backfill.ts';

/** Runs until SIGTERM or SIGINT; a second signal ends the process at once. */
export async function runStart(): Promise<undefined> {
  const server = await startServer();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      void server.stop();
    });
  }
  await offerBackfill(server.plugin);
}

import { startServer } from '../plugin/server.ts';
import { offerBackfill } from './offer-backfill.ts';
import { exitOnFailure } from './process/report-failure.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';

export async function runStart(): Promise<undefined> {
  const server = await startServer();
  stopOnSignal(server.stop);
  exitOnFailure(server.failed);
  try {
    await offerBackfill(server.plugin);
  } catch (error) {
    // A start that is told to have failed leaves nothing running.
    await server.stop();
    throw error;
  }
}

import { startServer } from '../plugin/server.ts';
import { offerBackfill } from './offer-backfill.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';

export async function runStart(): Promise<undefined> {
  const server = await startServer();
  stopOnSignal(server.stop);
  await offerBackfill(server.plugin);
}

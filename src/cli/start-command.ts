import { asksForTraces, loadConfig } from '../config/config.ts';
import { createLogger } from '../kit/logger.ts';
import { startServer } from '../plugin/server.ts';
import { startTracing } from '../telemetry/start-tracing.ts';
import { offerBackfill } from './offer-backfill.ts';
import { exitOnFailure } from './process/report-failure.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';

export async function runStart(): Promise<undefined> {
  const logger = createLogger(loadConfig().logLevel);
  const endTracing = asksForTraces() ? await startTracing(logger) : async () => {};
  const starting = startServer({ logger });
  // From the beginning: in a container nobody else ends a process that has no ear for it.
  stopOnSignal(async () => {
    await (await starting).stop();
    await endTracing();
  });
  const server = await starting;
  exitOnFailure(server.failed);
  try {
    await offerBackfill(server.plugin);
  } catch (error) {
    // A start that failed leaves nothing running.
    await server.stop();
    throw error;
  }
}

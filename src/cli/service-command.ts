import { asksForTraces, loadServiceConfig } from '../config/config.ts';
import { warnOfUnknownSettings } from '../config/schema/unknown-settings.ts';
import { createLogger } from '../kit/logger.ts';
import { startStandAloneService } from '../plugin/stand-alone-service.ts';
import { startTracing } from '../telemetry/start-tracing.ts';
import { exitOnFailure } from './process/report-failure.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';

export async function runService(): Promise<undefined> {
  const config = loadServiceConfig({}, process.env);
  const logger = createLogger(config.logLevel);
  warnOfUnknownSettings(config.unknownSettings, logger);
  const endTracing = asksForTraces(process.env) ? startTracing(logger) : async () => {};
  const service = await startStandAloneService(config, logger);
  stopOnSignal(async () => {
    await service.stop();
    await endTracing();
  });
  exitOnFailure(service.failed);
}

import { loadServiceConfig } from '../config/config.ts';
import { warnOfUnknownSettings } from '../config/schema/unknown-settings.ts';
import { createLogger } from '../logger.ts';
import { startStandAloneService } from '../plugin/stand-alone-service.ts';
import { exitOnFailure } from './process/report-failure.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';

export async function runService(): Promise<undefined> {
  const config = loadServiceConfig();
  const logger = createLogger(config.logLevel);
  warnOfUnknownSettings(config.unknownSettings, logger);
  const service = await startStandAloneService(config, logger);
  stopOnSignal(service.stop);
  exitOnFailure(service.failed);
}

import { loadServiceConfig } from '../config/config.ts';
import { createLogger } from '../logger.ts';
import { startStandAloneService } from '../plugin/stand-alone-service.ts';
import { exitOnFailure } from './process/report-failure.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';

export async function runService(): Promise<undefined> {
  const config = loadServiceConfig();
  const service = await startStandAloneService(config, createLogger(config.logLevel));
  stopOnSignal(service.stop);
  exitOnFailure(service.failed);
}

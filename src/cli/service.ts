import { startStandAloneService } from '../assembly/stand-alone-service.ts';
import { loadServiceConfig } from '../config/config.ts';
import { createLogger } from '../logger.ts';
import { stopOnSignal } from './stop-on-signal.ts';

export async function runService(): Promise<undefined> {
  const config = loadServiceConfig();
  const service = await startStandAloneService(config, createLogger(config.logLevel));
  stopOnSignal(service.stop);
}

/** The retry service in a process of its own: one organization, whose key and callback come from the settings. */

import { systemClock } from '../core/base/clock.ts';
import { createLogger } from '../core/base/logger.ts';
import { createDatabaseClock } from '../core/database/database-clock.ts';
import { openDatabase } from '../core/database/open-database.ts';
import { repeatEvery } from '../core/jobs/repeat-every.ts';
import { startTracing } from '../core/telemetry/start-tracing.ts';
import { tryToListen } from '../core/web/http-server.ts';
import { asksForTraces, loadServiceConfig } from '../plugin/settings/config.ts';
import { warnOfUnknownSettings } from '../plugin/settings/schema/unknown-settings.ts';
import { createRetryService } from '../service/service.ts';
import { exitOnFailure } from './process/report-failure.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';

const CLOCK_MS = 10_000;

/** Listens when it resolves. Throws ConfigError, or the reason why it cannot listen or open its database. */
export async function runService(): Promise<undefined> {
  const config = loadServiceConfig({}, process.env);
  const logger = createLogger(config.logLevel);
  warnOfUnknownSettings(config.unknownSettings, logger);
  const endTracing = asksForTraces(process.env) ? startTracing(logger) : async () => {};
  const { host, port, tls, trustProxy, apiKeys, callback } = config;
  await tryToListen({ ...config, names: { port: 'SERVICE_PORT' } });
  const database = await openDatabase(config.database, logger);
  const { clock, measure } = createDatabaseClock(systemClock);
  try {
    await measure(database);
    const service = createRetryService({
      database,
      clock,
      logger,
      host,
      port,
      tls,
      trustProxy: trustProxy ?? false,
      organizations: [{ name: 'default', apiKeys, callback }],
      defaultTimeZone: config.timeZone,
      holdoutPercent: config.experiment?.against === 'schedule' ? config.experiment.percent : 0,
      attemptLimits: config.attemptLimits,
      reminderDays: config.reminderDays,
      historyDays: config.retention.rows,
      metricsToken: config.metricsToken,
    });
    await service.start();
    // The jobs report an unreachable database.
    const endMeasuring = repeatEvery(CLOCK_MS, () => measure(database).catch(() => {}));
    stopOnSignal(async () => {
      endMeasuring();
      await service.stop();
      await database.close();
      logger.info({}, 'stopped');
      await endTracing();
    });
    // Damaged, or another process has its folder.
    exitOnFailure(database.damaged);
  } catch (error) {
    // A database left open would keep the process alive after its failed start.
    await database.close();
    throw error;
  }
}

import { OWN_ACCOUNT } from '../account.ts';
import { serviceAddress, startService } from '../assemble.ts';
import { createServiceClient } from '../clients/service-client.ts';
import { systemClock } from '../clock.ts';
import { type Config, loadConfig } from '../config.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { type SyncActionsReport, syncActions } from '../retry/poll.ts';
import type { Database } from '../store/database.ts';
import { type CommandResult, printResult, type Write, writeToTerminal } from './command-result.ts';
import { withDatabase } from './with-database.ts';

/** Reads the service's listing now and says what it found. Exit code 1 if it was not read to its end. */
export async function runSyncActions(write: Write = writeToTerminal): Promise<number> {
  const config = loadConfig();
  return printResult(await withDatabase((database) => syncOnce(config, database, silentLogger)), write);
}

/**
 * What is applied gets its job from the sweep of the running process within a minute, else from the next start. An
 * embedded service is started for the time being, on a port of its own.
 */
async function syncOnce(config: Config, database: Database, logger: Logger): Promise<CommandResult> {
  const base = { config: withFreePort(config), logger, clock: systemClock };
  const service = await startService(base, database);
  try {
    const report = await syncActions(
      {
        ...base,
        database,
        service: createServiceClient(() => serviceAddress(config, service)),
        enqueue: async () => {},
      },
      OWN_ACCOUNT,
    );
    return { code: report.incomplete === undefined ? 0 : 1, text: describeReport(report) };
  } finally {
    await service?.stop();
  }
}

function withFreePort(config: Config): Config {
  return config.service.kind === 'embedded' ? { ...config, service: { ...config.service, port: 0 } } : config;
}

export function describeReport(report: SyncActionsReport): string {
  const { listed, fresh, applied, known, unreadable, incomplete } = report;
  return [
    `Recovery actions listed: ${listed}`,
    `  new to the history: ${fresh}`,
    `  instructions applied, whose callbacks never came: ${applied}`,
    `  instructions known already: ${known}`,
    `  not understood, kept as they came: ${unreadable}`,
    ...(incomplete === undefined
      ? []
      : [
          `Incomplete: the service did not list everything (${incomplete}). Run it again; it goes on from there.`,
        ]),
  ].join('\n');
}

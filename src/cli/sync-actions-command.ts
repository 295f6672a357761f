import { createServiceClients } from '../clients/service-client.ts';
import { systemClock } from '../clock.ts';
import { OWN_ACCOUNT } from '../config/account.ts';
import { createAccounts } from '../config/accounts.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { type Logger, silentLogger } from '../logger.ts';
import {
  type CommandResult,
  printResult,
  type Write,
  writeToTerminal,
} from '../operator/text/command-result.ts';
import { describeReason } from '../operator/text/describe-reason.ts';
import { serviceAddress, startEmbeddedService } from '../plugin/embedded-service.ts';
import { readServiceReports } from '../plugin/keep-service-reports.ts';
import { type SyncActionsReport, syncActions } from '../retry/instructions/poll.ts';
import type { Database } from '../store/engine/database.ts';
import { listActiveAccounts } from '../store/tables/stored-accounts.ts';
import { withDatabase } from './process/with-database.ts';

/** Reads the service's listing of every account now and says what it found. Exit code 1 if one was not read to its end. */
export async function runSyncActions(write: Write = writeToTerminal): Promise<number> {
  const config = loadConfig();
  return printResult(await withDatabase((database) => syncAll(config, database, silentLogger)), write);
}

/**
 * What is applied gets its job from the sweep of the running process within a minute, else from the next start. An
 * embedded service is started for the time being, on a port of its own.
 */
async function syncAll(config: Config, database: Database, logger: Logger): Promise<CommandResult> {
  const accounts = createAccounts(config);
  const enqueue = async () => {};
  const base = { config: withFreePort(config), logger, clock: systemClock, database, enqueue };
  const service = await startEmbeddedService({ ...base, accounts });
  const serviceOf = createServiceClients((account) => serviceAddress(accounts, service, account));
  try {
    const results: CommandResult[] = [];
    for (const account of await listActiveAccounts(database)) {
      if (!accounts.find(account)) continue;
      const deps = { ...base, service: serviceOf(account) };
      results.push(describeReport(account, await syncActions(deps, account)));
      if (service) await readServiceReports({ ...base, serviceOf }, account);
    }
    return {
      code: Math.max(0, ...results.map(({ code }) => code)),
      text: results.map(({ text }) => text).join('\n'),
    };
  } finally {
    await service?.stop();
  }
}

function withFreePort(config: Config): Config {
  return config.service.kind === 'embedded' ? { ...config, service: { ...config.service, port: 0 } } : config;
}

function describeReport(account: string, report: SyncActionsReport): CommandResult {
  const { listed, fresh, applied, known, unreadable, incomplete } = report;
  const whose = account === OWN_ACCOUNT ? '' : ` for account ${account}`;
  const lines = [
    `Recovery actions listed${whose}: ${listed}`,
    `  new to the history: ${fresh}`,
    `  instructions applied, whose callbacks never came: ${applied}`,
    `  instructions known already: ${known}`,
    `  not understood, kept as they came: ${unreadable}`,
  ];
  if (incomplete !== undefined)
    lines.push(
      `Incomplete: the service did not list everything: ${describeReason(incomplete)}. Run it again to go on from there.`,
    );
  return { code: incomplete === undefined ? 0 : 1, text: lines.join('\n') };
}

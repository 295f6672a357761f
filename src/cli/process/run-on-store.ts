/** Runs a command here, or, where another process has the embedded database open, there. */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type Clock, systemClock } from '../../core/base/clock.ts';
import { PluginError } from '../../core/base/errors.ts';
import { createLogger, silentLogger } from '../../core/base/logger.ts';
import type { Database } from '../../core/database/database.ts';
import { createDatabaseClock } from '../../core/database/database-clock.ts';
import { isLocked } from '../../core/database/directory-lock.ts';
import { openDatabase } from '../../core/database/open-database.ts';
import { createProducer } from '../../core/jobs/producer.ts';
import { createMeasures } from '../../core/telemetry/measures.ts';
import { createAccessReader } from '../../plugin/app/account-access.ts';
import { askRunningProcess } from '../../plugin/app/commands/operator-socket.ts';
import type {
  CommandContext,
  CommandOutput,
  ListingParts,
  PluginParts,
} from '../../plugin/app/commands/store-command.ts';
import { findStoreCommand } from '../../plugin/app/commands/store-commands.ts';
import { openStripe } from '../../plugin/app/open-stripe.ts';
import { createOwnPlugin, type OwnOptions } from '../../plugin/app/own-plugin.ts';
import { serviceAddress, startEmbeddedService } from '../../plugin/app/parts/embedded-service.ts';
import { createServiceTurns } from '../../plugin/app/service-turns.ts';
import type { Mailer } from '../../plugin/clients/mailer.ts';
import { createServiceClients } from '../../plugin/clients/service-client.ts';
import { JOBS_SCHEMA, type PluginDeps, QUEUES } from '../../plugin/jobs/queues.ts';
import type { OperationDeps } from '../../plugin/operator/operations/operation.ts';
import { createAccounts } from '../../plugin/settings/accounts.ts';
import { loadConfig, loadDatabaseLocation } from '../../plugin/settings/config.ts';
import { withoutServicePort } from '../../plugin/settings/service-settings.ts';
import { migratePlugin } from '../../plugin/store/migrate-plugin.ts';
import { interruption } from './interruption.ts';

export interface Terminal {
  readonly output: CommandOutput;
  interrupted(): Promise<void>;
}

export async function runOnStore(
  name: string,
  args: readonly string[],
  options: unknown,
  terminal: Terminal = systemTerminal(),
  settings: OwnOptions = {},
): Promise<number> {
  const context = createLocalContext(terminal, settings);
  const command = findStoreCommand(name);
  if (!command) throw new PluginError('INTERNAL', `There is no command ${name}.`);
  const directory = settings.dataDir ?? findDirectory(settings);
  if (directory === undefined || !(await isLocked(directory))) return command(context, args, options);
  const { isTTY, hasColors, columns } = terminal.output;
  const asked = { name, args: [...args], options: readOptions(options), user: context.user };
  const code = await askRunningProcess(
    directory,
    { ...asked, terminal: { isTTY, hasColors, columns } },
    terminal,
  );
  // Where it has not answered and lives, the folder is not opened, which says what to do.
  return code ?? command(context, args, options);
}

const readOptions = z.record(z.string(), z.unknown()).parse;

/** The folder of the embedded database, if that is used. */
function findDirectory({ databaseUrl }: OwnOptions): string | undefined {
  const location = loadDatabaseLocation({}, process.env);
  return location.kind === 'embedded' && databaseUrl === undefined ? location.directory : undefined;
}

function createLocalContext(terminal: Terminal, settings: OwnOptions): CommandContext {
  return {
    user: userInfo().username,
    ...terminal,
    withStore: (work) => withProducer((base) => work(openOperationDeps(base))),
    withListings: (work) => withListings(work),
    withPlugin: (work) => withPlugin(work, settings),
  };
}

/** Notifies the database's processes of added jobs; otherwise their next start finds the planned work. */
function withProducer<Result>(work: (base: PluginDeps) => Promise<Result>): Promise<Result> {
  return withDatabase(async (database, clock) => {
    const queues = { schema: JOBS_SCHEMA, queues: QUEUES };
    const base = { database, clock, logger: silentLogger };
    const producer = createProducer({ ...base, ...queues });
    try {
      return await work({ ...base, enqueue: producer.enqueue });
    } finally {
      await producer.close();
    }
  });
}

/** Opens the database of the settings, brings it up to date, and closes it after `work`. Needs no other setting. */
async function withDatabase<Result>(
  work: (database: Database, clock: Clock) => Promise<Result>,
): Promise<Result> {
  const location = loadDatabaseLocation({}, process.env);
  if (location.kind === 'embedded' && !existsSync(location.directory)) {
    throw new PluginError('NOT_FOUND', `There is no database in ${resolve(location.directory)}.`, {
      help: 'Run the command where the plugin runs, or set DATA_DIR or DATABASE_URL as it has them.',
    });
  }
  const database = await openDatabase(location);
  try {
    await migratePlugin(database);
    const { clock, measure } = createDatabaseClock(systemClock);
    await measure(database);
    return await work(database, clock);
  } finally {
    await database.close();
  }
}

/** An embedded service is started for the time being, without a port. */
function withListings<Result>(work: (parts: ListingParts) => Promise<Result>): Promise<Result> {
  const config = loadConfig({}, process.env);
  return withProducer(async (base) => {
    const { database, clock } = base;
    const accounts = createAccounts(config);
    const accessOf = createAccessReader({ config, accounts, database });
    const embedded = await startEmbeddedService({
      config: withoutServicePort(config),
      accounts,
      accessOf,
      ...base,
      measures: createMeasures(),
    });
    const serviceOf = createServiceClients((account) => serviceAddress(accessOf, embedded, account), {
      takeTurn: createServiceTurns(database, clock),
    });
    try {
      return await work({ ...base, config, accounts, serviceOf });
    } finally {
      await embedded?.stop();
    }
  });
}

/** All but its HTTP receiver. Another process on the same database may do some of the work. */
async function withPlugin<Result>(
  work: (parts: PluginParts) => Promise<Result>,
  settings: OwnOptions,
): Promise<Result> {
  const given = { environment: process.env, logger: createLogger('error'), ...settings };
  const plugin = createOwnPlugin(given, 'command');
  await plugin.start({ wait: false });
  try {
    return await work({ config: plugin.config, ...plugin.parts });
  } finally {
    await plugin.stop();
  }
}

export function systemTerminal(): Terminal {
  const { stdout } = process;
  return {
    output: {
      write: (text) => stdout.write(text),
      isTTY: stdout.isTTY ?? false,
      hasColors: stdout.hasColors?.() ?? false,
      columns: stdout.columns ?? 80,
    },
    interrupted: () => interruption().interrupted,
  };
}

const NOT_HERE = 'Nothing is emailed from here.';
const ELSEWHERE: Mailer = {
  send: async () => ({ kind: 'failed', reason: NOT_HERE }),
  close: () => {},
};

/** Dependencies for a process that works through no queue. */
function openOperationDeps(base: PluginDeps): OperationDeps {
  return {
    ...base,
    config: () => loadConfig({}, process.env),
    retry: () => {
      const config = loadConfig({}, process.env);
      return {
        ...base,
        config,
        stripe: openStripe(config, base),
        // Whether one can go out is found by the process that sends it: the application around may do that.
        mailer: ELSEWHERE,
        writeEmail: async () => Promise.reject(new Error(NOT_HERE)),
        serviceCan: async () => false,
        serviceKnows: () => undefined,
        processId: () => undefined,
        merchantName: async () => '',
        brandColor: async () => undefined,
      };
    },
  };
}

/** A merchant's whole world on loopback: Stripe's sandbox, a mail server, a retry service and the plugin. */
import { createServer, type RequestListener } from 'node:http';
import express from 'express';
import { DateTime, type DurationLike } from 'luxon';
import { createSimulatedClock, type SimulatedClock } from '../../src/core/base/clock.ts';
import { silentLogger } from '../../src/core/base/logger.ts';
import type { Database, DatabaseLocation } from '../../src/core/database/database.ts';
import { createOwnPlugin, type OwnOptions, type OwnPlugin } from '../../src/plugin/app/own-plugin.ts';
import { EVENT_HANDLERS } from '../../src/plugin/sync/events/handlers.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { type Engine, MAIN, optionsOf } from './database/databases.ts';
import { emptyTables } from './database/empty-tables.ts';
import { type EmailCatcher, startEmailCatcher } from './http/email-catcher.ts';
import { closeServer, listenOnLoopback } from './http/loopback-server.ts';
import { type RecordingService, SERVICE_KEY, startRecordingService } from './http/recording-service.ts';

export interface World {
  readonly clock: SimulatedClock;
  readonly sandbox: Sandbox;
  readonly email: EmailCatcher;
  /** In use only with the option `isRemote`. */
  readonly service: RecordingService;
  /** The running one. */
  readonly plugin: OwnPlugin;
  readonly url: string;
  /** Lets everything that is due now happen, on every side, until nothing is. */
  settle(): Promise<void>;
  /** Moves time forward, stopping wherever something falls due. */
  advance(duration: DurationLike): Promise<void>;
  /** Rows of the plugin's database, for assertions. */
  query<Row extends object>(sql: string, params?: unknown[]): Promise<Row[]>;
  /** Nobody answers Stripe, the service and customers any more. The plugin goes on, for the caller to end: given back. */
  abandon(): OwnPlugin;
  /** Another plugin on the same database takes the place of the one that was abandoned. */
  restart(): Promise<void>;
  /** Ends every subscription and forgets everything, for the next test. Time and the account's ids go on. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Where a plugin finds what it talks to. */
export interface Outside {
  readonly database: DatabaseLocation;
  readonly stripe: string;
  readonly service: string;
  readonly email: string;
}

export interface WorldOptions {
  start?: string;
  sandbox?: Partial<SandboxOptions>;
  plugin?: OwnOptions;
  /** Settings that are known only once the sandbox is there. */
  arrange?: (sandbox: Sandbox, clock: SimulatedClock) => Promise<OwnOptions>;
  /** The service is the recording one, behind its address; else the embedded one. */
  isRemote?: boolean;
  engine?: Pick<Engine, 'createMigrated'>;
  /** What each plugin is told instead, such as addresses of wires that can be cut. */
  through?: (outside: Outside) => Promise<Outside>;
}

export const LINK_SECRET = 'a-link-secret-for-tests-only-0123456789';
export const CALLBACK_TOKEN = 'callback-token-for-tests';

/** What a remote service is offered beyond the contract has tests of its own. */
export const CONTRACT_ALONE = { forwardInvoices: false, forwardTransactions: false };
/** As a host mounts it, so that every link, callback and page proves itself there. */
const PREFIX = '/payment-retry';
/** More rounds than this at one instant are a loop without end. */
const MAX_ROUNDS = 200;
/** Enough for the events of one moment to be written together, as they are when Stripe sends them. */
const WEBHOOK_CONCURRENCY = 8;

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const clock = createSimulatedClock(
    DateTime.fromISO(options.start ?? '2026-03-02T10:00:00Z', { zone: 'utc' }),
  );
  const sandbox = await startSandbox({ clock, ...options.sandbox });
  const email = await startEmailCatcher();
  const service = await startRecordingService(clock);
  const { location, remove } = await (options.engine ?? MAIN).createMigrated();
  let answer: RequestListener = hangUp;
  const server = createServer((req, res) => answer(req, res));
  const url = `${await listenOnLoopback(server)}${PREFIX}`;
  const plain = { database: location, stripe: sandbox.url, service: service.url, email: email.url };
  const arranged = await options.arrange?.(sandbox, clock);
  const start = async () => {
    const outside = (await options.through?.(plain)) ?? plain;
    const started = createOwnPlugin({
      retryMode: 'advisory',
      stripeSecretKey: sandbox.secretKey,
      stripeWebhookSecret: sandbox.webhookSecret,
      stripeApiBase: outside.stripe,
      publicUrl: url,
      ...optionsOf(outside.database),
      recoveryCallbackToken: CALLBACK_TOKEN,
      smtpUrl: outside.email,
      emailFrom: 'billing@merchant.example',
      linkSecret: LINK_SECRET,
      logger: silentLogger,
      clock,
      environment: {},
      ...(options.isRemote
        ? { retryServiceUrl: outside.service, retryServiceApiKey: SERVICE_KEY, ...CONTRACT_ALONE }
        : {}),
      ...options.plugin,
      ...arranged,
    });
    plugin = started;
    answer = express().use(PREFIX, started.router);
    await started.start();
    // A power cut is not among the scenarios, and waiting for the disk is most of their time.
    await started.parts.database.exec('set synchronous_commit = off');
  };
  let plugin: OwnPlugin | undefined;
  const running = (): OwnPlugin => {
    if (!plugin) throw new Error('The plugin does not run.');
    return plugin;
  };
  await start();
  // As `connect` makes it: for what is handled. Others are delivered in the story of the faults.
  const endpoint = sandbox.addWebhookEndpoint(`${url}/webhooks/stripe`, Object.keys(EVENT_HANDLERS));

  const settle = async () => {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const sent = await sandbox.run({ concurrency: WEBHOOK_CONCURRENCY });
      if (sent + (await running().runOnce()) === 0) return;
    }
    throw new Error(`Something is due for ever at ${clock.now().toISO()}.`);
  };
  const nextDueAt = async (): Promise<DateTime | undefined> => {
    const due = await running().nextDueAt();
    const times = [
      sandbox.nextDueAt(),
      due === undefined ? undefined : DateTime.fromISO(due, { zone: 'utc' }),
    ];
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : DateTime.min(...known);
  };
  const query: World['query'] = (sql, params) => running().parts.database.query(sql, params);

  return {
    clock,
    sandbox,
    email,
    service,
    get plugin() {
      return running();
    },
    url,
    settle,
    advance: async (duration) => {
      const end = clock.now().plus(duration);
      await settle();
      let rounds = 0;
      for (let next = await nextDueAt(); next && next <= end; next = await nextDueAt()) {
        rounds = next > clock.now() ? 0 : rounds + 1;
        if (rounds > MAX_ROUNDS) throw new Error(`Something due at ${next.toISO()} is never done.`);
        await clock.set(DateTime.max(next, clock.now()));
        await settle();
      }
      await clock.set(end);
      await settle();
    },
    query,
    abandon: () => {
      answer = hangUp;
      server.closeAllConnections();
      return running();
    },
    restart: start,
    reset: async () => {
      sandbox.faults.clear();
      Object.assign(sandbox.webhookFaults, { duplicate: 0, shuffle: false, drop: 0, delayMs: 0 });
      service.reset();
      // Nobody is told: what would come of it is forgotten at once.
      endpoint.status = 'disabled';
      endEverything(sandbox);
      await sandbox.run();
      endpoint.status = 'enabled';
      await forgetEverything(running().parts.database);
      email.emails.length = 0;
      service.reset();
    },
    stop: async () => {
      await running().stop();
      await Promise.all([sandbox.stop(), email.stop(), service.stop(), closeServer(server)]);
      await remove();
    },
  };
}

const hangUp: RequestListener = (req) => req.socket.destroy();

function endEverything(sandbox: Sandbox): void {
  for (const { id, status } of sandbox.state.subscriptions.newestFirst()) {
    if (status !== 'canceled' && status !== 'incomplete_expired') sandbox.cancelSubscription(id);
  }
  for (const { id, status } of sandbox.state.invoices.newestFirst()) {
    if (status === 'open') sandbox.voidInvoice(id);
  }
}

async function forgetEverything(database: Database): Promise<void> {
  const { query } = database;
  const tables = await query<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables
     where schemaname in ('payment_retry', 'retry_service')
       and tablename not in ('migrations', 'api_keys', 'settings')`,
  );
  await emptyTables(
    database,
    tables.map(({ name }) => name),
  );
  for (const schema of ['payment_retry_jobs', 'retry_service_jobs']) {
    const [known] = await query(`select 1 as one from pg_namespace where nspname = $1`, [schema]);
    if (known) await query(`delete from ${schema}.job`);
  }
}

/** Opens and joins the parts of one running plugin. The only place that sees them all. */
import type { RequestHandler, Router } from 'express';
import type { DateTime } from 'luxon';
import type { Clock } from '../../core/base/clock.ts';
import type { Logger } from '../../core/base/logger.ts';
import type { Database } from '../../core/database/database.ts';
import { logMigrations } from '../../core/database/migrate.ts';
import { openDatabase } from '../../core/database/open-database.ts';
import { createJobs } from '../../core/jobs/jobs.ts';
import { createMeasures } from '../../core/telemetry/measures.ts';
import type { RetryService } from '../../service/service.ts';
import type { ListRecipients, SendEmail } from '../clients/mailer.ts';
import { createServiceClients } from '../clients/service-client.ts';
import { type ClockWatch, createClockWatch } from '../jobs/clock-watch.ts';
import { createForgetJob } from '../jobs/forget-job.ts';
import { type ProcessWatch, watchProcesses } from '../jobs/process-watch.ts';
import { createPruneJob } from '../jobs/prune-job.ts';
import { JOBS_SCHEMA, type PluginQueues, QUEUES } from '../jobs/queues.ts';
import type { RenderEmail } from '../mails/email-writer.ts';
import { createChecks } from '../operator/checks/run-checks.ts';
import { lookForAlerts } from '../operator/host-events/deliver-alerts.tsx';
import { createHostEventDelivery } from '../operator/host-events/deliver-host-events.ts';
import type { HostHandlers } from '../operator/host-events/host-event.ts';
import { createCustomerAccess } from '../operator/lists/customer-access.ts';
import type { OperationDeps } from '../operator/operations/operation.ts';
import type { RetryDeps } from '../retry/actions/retry-deps.ts';
import { OWN_ACCOUNT } from '../settings/account.ts';
import { createAccounts } from '../settings/accounts.ts';
import type { Config } from '../settings/config.ts';
import { migratePlugin, warnOfNewerMigrations } from '../store/migrate-plugin.ts';
import { createBackfill } from '../sync/backfill/backfill.ts';
import type { SyncDeps } from '../sync/events/event-step.ts';
import { isHandled } from '../sync/events/handlers.ts';
import { createInbox } from '../sync/receive/inbox.ts';
import { createWebhookReceiver } from '../sync/receive/webhook.ts';
import { createAccessReader, createNameReader, renewCredentials } from './account-access.ts';
import { gateHandlers } from './account-gate.ts';
import { rememberProfiles } from './account-profiles.ts';
import { beginAccount, createAdmission } from './admit-account.ts';
import { beginWork } from './begin-work.ts';
import { createRouter } from './create-router.ts';
import { createReadiness, type Ready } from './health.ts';
import { createHostApi, type HostApi } from './host-api.ts';
import { createLifeCycle, type Part } from './life-cycle.ts';
import { openStripe, type Transports, tryStripeKey } from './open-stripe.ts';
import { createHandlers, createSweep } from './parts/create-handlers.ts';
import { createRequests, type Requests } from './parts/create-requests.ts';
import { createDueRunner, drainAll, earliest } from './parts/drain-all.ts';
import { serviceAddress, startEmbeddedService, tryServicePort } from './parts/embedded-service.ts';
import { type Emails, openEmails } from './parts/open-emails.ts';
import { createSocketPart } from './parts/operator-socket-part.ts';
import { watchPauses } from './pause-watch.ts';
import { createServiceTurns } from './service-turns.ts';

export interface Assembly extends Requests {
  readonly receive: RequestHandler;
  readonly router: Router;
  readonly database: Database;
  readonly operations: OperationDeps;
  readonly host: HostApi;
  /** The embedded retry service, if it runs in this process. */
  readonly service: RetryService | undefined;
  readiness(): Promise<Ready>;
  runOnce(): Promise<number>;
  nextDueAt(): Promise<DateTime<true> | undefined>;
  stop(): Promise<void>;
}

export interface Foundations {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly on?: HostHandlers | undefined;
  readonly sendEmail?: SendEmail | undefined;
  readonly renderEmail?: RenderEmail | undefined;
  readonly listRecipients?: ListRecipients | undefined;
  /** A command's process lacks the application's email sender, texts and event handlers. */
  readonly isCommand?: boolean | undefined;
  readonly transports?: Transports;
}

const LEFT_BY_COMMANDS = ['execute-action', 'host-events'] as const;

/** Work that should have begun this long ago and has not lost its job. */
const OVERDUE_MINUTES = 1;

/** What can be refused comes first: the mail server's address, the port, the database. Rejected, it leaves nothing open. */
export async function assemble(base: Foundations): Promise<Assembly> {
  const emails = await openEmails(base);
  await tryServicePort(base.config);
  const database = await (base.transports?.openDatabase ?? openDatabase)(base.config.database, base.logger);
  const clocks = createClockWatch(base.clock);
  const timed = { ...base, ...emails, clocks, clock: clocks.clock };
  const assembled = await join(timed, database).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  // Rejected, it has stopped all that had begun, the database as well.
  await assembled.life.start();
  return assembled.plugin;
}

type Timed = Foundations & Emails & { readonly clocks: ClockWatch };

async function join(base: Timed, database: Database) {
  const { config, clock, logger } = base;
  await base.clocks.measure(database);
  await migratePlugin(database, logMigrations(logger));
  await warnOfNewerMigrations(database, logger);
  await beginAccount(database, OWN_ACCOUNT, clock.now());
  const core = await openCore(base, database);
  const work = createWork(base, core);
  const life = createLifeCycle(listParts(base, core, work));

  const { embedded, retry, operations } = core;
  const { webhook, pauses, requests } = work;
  const readiness = createReadiness(core.shared);
  const asked = { config, operations, readiness, checks: createChecks({ config, database, clock }) };
  const plugin: Assembly = {
    receive: webhook.receive,
    router: await createRouter({ ...retry, ...core.routed, ...asked }, webhook.receive),
    database,
    operations,
    host: createHostApi(operations, core.access),
    service: embedded?.service,
    readiness,
    runOnce: async () => {
      await webhook.settled();
      await pauses.look();
      return work.runDue();
    },
    ...requests,
    nextDueAt: () => earliest(core.sides),
    stop: life.stop,
  };
  return { life, plugin };
}

type Core = Awaited<ReturnType<typeof openCore>>;

/** What all work rests on. The key, which Stripe may refuse, is tried first. */
async function openCore(base: Timed, database: Database) {
  const { config, logger, clock, clocks, mailer, writeEmail, listRecipients, transports } = base;
  const measures = createMeasures();
  const jobs = createJobs<PluginQueues>({
    database,
    clock,
    logger,
    schema: JOBS_SCHEMA,
    queues: QUEUES,
    measures,
  });
  const { enqueue } = jobs;
  const accounts = createAccounts(config);
  const http = transports && { http: transports.stripe };
  const stripe = openStripe(config, { database, clock }, { measures, hearDate: clocks.hearStripe, ...http });
  await tryStripeKey(stripe, logger);
  await renewCredentials({ config, database, logger });
  const access = { config, accounts, database };
  const accessOf = createAccessReader(access);
  const businessEntityOf = createNameReader(access);
  const { nameOf, idOf, colorOf, isOwn } = rememberProfiles({ businessEntityOf, stripe, logger, config });
  const embedded = await startEmbeddedService({ ...base, accounts, accessOf, database, enqueue, measures });
  const service = embedded?.service;
  const running: { watch?: ProcessWatch } = {};
  const processId = () => running.watch?.processId;
  const shared = { config, accounts, database, stripe, clock, logger, enqueue, processId, measures, isOwn };
  const admit = createAdmission({ ...shared, embedded });
  const sync: SyncDeps = { ...shared, admit, businessEntity: nameOf };
  const serviceOf = createServiceClients((account) => serviceAddress(accessOf, embedded, account), {
    measures,
    clock,
    fetch: transports?.fetch,
    takeTurn: createServiceTurns(database, clock),
  });
  const named = { mailer, writeEmail, listRecipients, merchantName: nameOf, brandColor: colorOf };
  const retry: RetryDeps = {
    ...shared,
    ...named,
    serviceCan: async (account, what) => !!(await serviceOf(account).can(what)),
    serviceKnows: (account, what) => serviceOf(account).knows(what),
  };
  const operations: OperationDeps = {
    database,
    clock,
    logger,
    enqueue,
    retry: () => retry,
    config: () => config,
  };
  return {
    jobs,
    access: createCustomerAccess(operations),
    /** Work of one makes work for the other. */
    sides: [jobs, ...(service ? [service] : [])],
    embedded,
    shared,
    sync,
    retry,
    operations,
    serviceOf,
    running,
    routed: { accounts, accessOf, admit, service, idOf, measures },
  };
}

type Work = ReturnType<typeof createWork>;

/** What does the work, once it has begun. */
function createWork(base: Timed, { sides, shared, sync, retry, serviceOf, running, routed }: Core) {
  const { config, database, clock, logger, enqueue, measures } = shared;
  const inbox = createInbox({ ...sync, processId: shared.processId });
  const webhook = createWebhookReceiver({
    ...shared,
    inbox,
    webhookSecrets: config.stripe.webhookSecrets,
    isOfUse: isHandled,
  });
  const hostEvents = createHostEventDelivery({ ...shared, on: base.on, mailer: base.mailer });
  const alerts = { database, clock, config, mailer: base.mailer };
  const sweep = createSweep(retry, hostEvents);
  const pauses = watchPauses({ database, clock, logger, onResume: (occasion) => sweep(0, occasion) });
  const backfill = createBackfill({ ...sync, random: Math.random });
  const handlers = createHandlers({
    sync,
    inbox,
    retry,
    listing: { ...retry, serviceOf, accessOf: routed.accessOf },
    delivery: { ...shared, serviceOf, random: Math.random },
    backfill,
    sweep: async () => {
      await lookForAlerts(alerts);
      await sweep(OVERDUE_MINUTES);
    },
    prune: createPruneJob(shared),
    forget: createForgetJob({ ...shared, serviceOf }),
    hostEvents,
    measures,
  });
  const runDue = createDueRunner({
    clock,
    look: async () => {
      await running.watch?.look();
      if (config.alerts) await lookForAlerts(alerts);
      await sweep(OVERDUE_MINUTES);
    },
    drain: () => drainAll(sides, webhook.settled),
  });
  return {
    inbox,
    webhook,
    hostEvents,
    sweep,
    pauses,
    backfill,
    handlers,
    runDue,
    requests: createRequests(clock, enqueue),
  };
}

/** Parts in their starting order. */
function listParts(base: Timed, core: Core, work: Work): Part[] {
  const { jobs, access, embedded, shared, operations, serviceOf, running } = core;
  const { webhook, inbox, backfill, hostEvents, sweep, pauses, handlers, requests } = work;
  const { config, database, clock, logger } = shared;
  const onDeath = (dead: readonly number[]) => sweep(0, `after the death of ${dead.join(', ')}: `);
  return [
    { stop: database.close },
    { stop: () => base.mailer?.close() },
    { start: hostEvents.start },
    {
      start: async () => {
        running.watch = await watchProcesses({ database, clock, logger, onDeath });
      },
      stop: () => running.watch?.stop(),
    },
    base.clocks.watch(shared),
    { stop: () => embedded?.stop() },
    {
      start: async () => {
        await jobs.start(gateHandlers(shared, handlers), base.isCommand ? LEFT_BY_COMMANDS : []);
        await running.watch?.look();
      },
      stop: jobs.stop,
    },
    { start: pauses.look, stop: pauses.stop },
    createSocketPart(config.database, {
      logger,
      withStore: (use) => use(operations),
      withListings: (use) => use({ ...shared, serviceOf }),
      withPlugin: (use) => use({ config, database, ...requests }),
    }),
    { stop: access.stop },
    { stop: backfill.stop },
    { stop: inbox.stop },
    { stop: webhook.stop },
    { start: () => beginWork({ ...base, ...shared, ...requests, sweep, admit: core.routed.admit }) },
  ];
}

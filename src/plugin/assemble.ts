/** Opens and joins the parts of one running plugin. The only place that sees them all. */
import type { Router } from 'express';
import type { SendMail } from '../clients/mailer.ts';
import { createServiceClients, type ServiceClient } from '../clients/service-client.ts';
import type { Clock } from '../clock.ts';
import { OWN_ACCOUNT } from '../config/account.ts';
import { createAccounts } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import type { RenderMail } from '../email/mail-writer.ts';
import { createEachAccount } from '../jobs/each-account.ts';
import { createForgetJob } from '../jobs/forget-job.ts';
import { createJobs, type HandlerTable, type JobHandler } from '../jobs/jobs.ts';
import type { AccountQueue, PluginQueues } from '../jobs/plugin-queues.ts';
import { type ProcessWatch, watchProcesses } from '../jobs/process-watch.ts';
import { createPruneJob } from '../jobs/prune-job.ts';
import { QUEUES } from '../jobs/queues.ts';
import type { Logger } from '../logger.ts';
import { createChecks } from '../operator/checks/run-checks.ts';
import type { OperationDeps } from '../operator/operations/operation.ts';
import { createExecutor } from '../retry/actions/execute.ts';
import type { RetryDeps } from '../retry/actions/retry-deps.ts';
import { createHandBackHandler } from '../retry/exclusive/hand-back-invoice.ts';
import { createTakeOverHandler } from '../retry/exclusive/take-over-invoice.ts';
import { createInstructionHandler } from '../retry/instructions/handle-instruction.ts';
import { createActionsSync } from '../retry/instructions/poll.ts';
import { createCardChangeHandler } from '../retry/payment/pay-open-invoices.ts';
import type { RetryService } from '../service/service.ts';
import { type Database, openDatabase } from '../store/engine/database.ts';
import { listNewerMigrations, migratePlugin } from '../store/engine/migrate.ts';
import { isNeverFilled } from '../store/tables/backfill/backfill-runs.ts';
import { type Backfill, createBackfill } from '../sync/backfill/backfill.ts';
import { BACKFILL_MONTHS, createReconciler, toBackfillJob } from '../sync/backfill/backfill-request.ts';
import { createCatchUp } from '../sync/catch-up/catch-up.ts';
import { createDeliverer } from '../sync/deliver/deliver.ts';
import { createRereader } from '../sync/events/reread.ts';
import type { SyncDeps } from '../sync/receive/event-step.ts';
import { isHandled } from '../sync/receive/handlers.ts';
import { createInbox, type Inbox } from '../sync/receive/inbox.ts';
import { createEventProcessor } from '../sync/receive/process-event.ts';
import { createWebhookReceiver } from '../sync/receive/webhook.ts';
import { createMeasures, type Measures } from '../telemetry/measures.ts';
import { createAccessReader, createNameReader, renewCredentials } from './account-access.ts';
import { gateHandlers } from './account-gate.ts';
import { rememberProfiles } from './account-profiles.ts';
import { createAdmission } from './admit-account.ts';
import { beginAccount } from './begin-account.ts';
import { type OperatorSocket, openOperatorSocket } from './commands/operator-socket.ts';
import { createRouter } from './create-router.ts';
import { serviceAddress, startEmbeddedService, tryServicePort } from './embedded-service.ts';
import { type AlertDeps, lookForAlerts } from './events/deliver-alerts.ts';
import { createHostEventDelivery, type HostEventDelivery } from './events/deliver-host-events.ts';
import type { HostHandlers } from './events/host-event.ts';
import { withServiceReports } from './keep-service-reports.ts';
import { openStripe } from './open-stripe.ts';
import { watchPauses } from './pause-watch.ts';
import { createSweep } from './running/create-sweep.ts';
import { createDueRunner, drainAll, earliest } from './running/drain-all.ts';
import { type Mails, openMails } from './running/open-mails.ts';
import { stopAll } from './running/stop-all.ts';
import { tryStripeKey } from './try-stripe-key.ts';

export interface Assembly {
  readonly router: Router;
  readonly database: Database;
  /** For whatever a person does, by `operator/operations`. */
  readonly operations: OperationDeps;
  /** The embedded retry service, if it runs in this process. */
  readonly service: RetryService | undefined;
  runOnce(): Promise<number>;
  /** Has everything that Stripe has read, or what is left of a reading that has begun. */
  requestBackfill(months?: number, account?: string): Promise<void>;
  /** Has Stripe's list of events read again soon, for those whose webhooks never came. */
  requestCatchUp(): Promise<void>;
  /** Has the service's listing read soon, for instructions whose callbacks never came. */
  requestActionsSync(): Promise<void>;
  nextDueAt(): Promise<Date | undefined>;
  stop(): Promise<void>;
}

interface Foundations {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly on?: HostHandlers | undefined;
  readonly sendMail?: SendMail | undefined;
  readonly renderMail?: RenderMail | undefined;
  /** A command's process has not what the application around brings along: mail sender, words, handlers of events. */
  readonly isCommand?: boolean | undefined;
}

const LEFT_BY_COMMANDS = ['execute-action', 'host-events'] as const;

/** Work that should have begun this long ago and has not lost its job. */
const OVERDUE_MINUTES = 1;

/** What can be refused comes first: the mail server's address, the port, the database. Rejected, it leaves nothing open. */
export async function assemble(base: Foundations): Promise<Assembly> {
  const { config, clock } = base;
  const mails = openMails(base);
  await tryServicePort(config);
  const database = await openDatabase(config.database, base.logger);
  try {
    await migratePlugin(database);
    await warnOfNewerTables(database, base.logger);
    await beginAccount(database, OWN_ACCOUNT, clock.now());
    return await join({ ...base, ...mails }, database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function warnOfNewerTables(database: Database, logger: Logger): Promise<void> {
  const migrations = await listNewerMigrations(database);
  if (migrations.length > 0)
    logger.warn({ migrations }, 'the database is of a newer version: update this process, too');
}

async function join(base: Foundations & Mails, database: Database): Promise<Assembly> {
  const { config, logger, clock, mailer, writeMail } = base;
  const measures = createMeasures();
  const jobs = createJobs<PluginQueues>({
    database,
    clock,
    logger,
    schema: 'payment_retry_jobs',
    queues: QUEUES,
    measures,
  });
  const { enqueue } = jobs;
  const accounts = createAccounts(config);
  const stripe = openStripe(config, database, clock, measures);
  await tryStripeKey(stripe, logger);
  await renewCredentials({ config, database, logger });
  const access = { config, accounts, database };
  const accessOf = createAccessReader(access);
  const { nameOf, idOf, colorOf } = rememberProfiles({
    businessEntityOf: createNameReader(access),
    stripe,
    logger,
  });
  const embedded = await startEmbeddedService({ ...base, accounts, accessOf, database, enqueue, measures });
  const service = embedded?.service;
  let watch: ProcessWatch | undefined;
  let socket: OperatorSocket | undefined;
  const processId = () => watch?.processId;
  const shared = { config, accounts, database, stripe, clock, logger, enqueue, processId, measures };
  const admit = createAdmission({ ...shared, embedded });
  const sync: SyncDeps = { ...shared, admit, businessEntity: nameOf };
  const retry: RetryDeps = { ...shared, mailer, writeMail, merchantName: nameOf, brandColor: colorOf };
  const operations: OperationDeps = { database, clock, enqueue, retry: () => retry, config: () => config };
  const inbox = createInbox(sync);
  const webhook = createWebhookReceiver({
    ...shared,
    wake: inbox.wake,
    webhookSecrets: config.stripe.webhookSecrets,
    isOfUse: isHandled,
  });

  const hostEvents = createHostEventDelivery({ ...shared, on: base.on, mailer });
  const alerts = { database, clock, config, mailer };
  const sweep = createSweep(retry, hostEvents);
  const pauses = watchPauses({ database, clock, logger, onResume: (occasion) => sweep(0, occasion) });
  const onDeath = (dead: readonly number[]) => sweep(0, `after the death of ${dead.join(', ')}: `);
  const serviceOf = createServiceClients((account) => serviceAddress(accessOf, service, account), measures);
  const isExtended = config.service.kind === 'embedded';
  const delivery = { ...shared, batchSize: config.batchSize, isExtended, serviceOf, random: Math.random };
  const backfill = createBackfill({ ...sync, random: Math.random });
  const prune = createPruneJob(shared);
  const forget = createForgetJob({ ...shared, serviceOf, isEmbedded: isExtended });
  const handlers = createHandlers({
    sync,
    inbox,
    retry,
    delivery,
    serviceOf,
    backfill,
    sweep,
    prune,
    forget,
    hostEvents,
    measures,
    alerts,
  });
  const requestBackfill = (months = BACKFILL_MONTHS, account = OWN_ACCOUNT) =>
    enqueue('backfill', [toBackfillJob({ account, kind: 'backfill', months }, clock.now())]);
  const askEach = (queue: AccountQueue) => enqueue('each-account', [{ data: { queue }, key: queue }]);
  const requestCatchUp = () => askEach('catch-up');
  const requestActionsSync = () => askEach('sync-actions');
  const sides = () => [jobs, ...(service ? [service] : [])];
  const runDue = createDueRunner({
    clock,
    look: async () => {
      await watch?.look();
      if (config.alerts) await lookForAlerts(alerts);
      await sweep(OVERDUE_MINUTES);
    },
    drain: () => drainAll(sides(), webhook.settled),
  });
  try {
    await hostEvents.start();
    watch = await watchProcesses({ database, clock, logger, onDeath });
    await jobs.start(gateHandlers(shared, handlers), base.isCommand ? LEFT_BY_COMMANDS : []);
    await watch.look();
    await pauses.look();
    if (config.database.kind === 'embedded')
      socket = await openOperatorSocket(config.database.directory, {
        logger,
        withStore: (work) => work(operations),
        withListings: (work) => work({ ...shared, serviceOf }),
        withPlugin: (work) => work({ config, database, requestBackfill }),
      });
    for (const { account } of accounts.listed) await admit(account);
    await sweep(0);
    await requestCatchUp();
    await requestActionsSync();
    if (await isNeverFilled(database, OWN_ACCOUNT)) await offerBackfill(base, requestBackfill);
  } catch (error) {
    // A port or a timer left behind would keep the process alive after its failed start.
    pauses.stop();
    await Promise.allSettled([jobs.stop(), embedded?.stop(), watch?.stop(), socket?.stop()]);
    throw error;
  }

  const checks = createChecks({ config, database, clock });
  return {
    router: createRouter(
      { ...retry, config, accounts, accessOf, admit, service, idOf, operations, measures, checks },
      webhook.router,
    ),
    database,
    operations,
    service,
    runOnce: async () => {
      await webhook.settled();
      await pauses.look();
      return runDue();
    },
    requestBackfill,
    requestCatchUp,
    requestActionsSync,
    nextDueAt: () => earliest(sides()),
    stop: () =>
      stopAll({ webhook, inbox, backfill, jobs, embedded, watch, pauses, socket, mailer, database }),
  };
}

/** What existed before the installation is known to nobody until it is read. */
async function offerBackfill(
  { config, logger }: Foundations,
  requestBackfill: () => Promise<void>,
): Promise<void> {
  if (config.backfillOnStart) return requestBackfill();
  logger.warn(
    { account: OWN_ACCOUNT },
    'what Stripe had before is unknown here: run `npx stripe-payment-retry backfill`, or set BACKFILL_ON_START=true',
  );
}

function createHandlers(deps: {
  sync: SyncDeps;
  inbox: Inbox;
  retry: RetryDeps;
  delivery: Parameters<typeof createDeliverer>[0];
  serviceOf: (account: string) => ServiceClient;
  backfill: Backfill;
  sweep: (olderThanMinutes: number) => Promise<void>;
  prune: JobHandler<PluginQueues['prune']>;
  forget: JobHandler<PluginQueues['forget-customer']>;
  hostEvents: HostEventDelivery;
  measures: Measures;
  alerts: AlertDeps;
}): HandlerTable<PluginQueues> {
  const listing = { ...deps.retry, serviceOf: deps.serviceOf, isEmbedded: deps.delivery.isExtended };
  return {
    'take-events': deps.inbox.job,
    'process-event': createEventProcessor(deps.sync),
    deliver: createDeliverer(deps.delivery),
    'schedule-instruction': createInstructionHandler(deps.retry),
    'execute-action': createExecutor(deps.retry, deps.measures),
    'pay-open-invoices': createCardChangeHandler(deps.retry),
    'take-over-invoice': createTakeOverHandler(deps.retry),
    'hand-back-invoice': createHandBackHandler(deps.retry),
    sweep: {
      handle: async () => {
        await lookForAlerts(deps.alerts);
        await deps.sweep(OVERDUE_MINUTES);
      },
    },
    'catch-up': createCatchUp(deps.sync),
    'sync-actions': withServiceReports(listing, createActionsSync(listing)),
    reread: createRereader(deps.sync),
    reconcile: createReconciler(deps.sync),
    backfill: deps.backfill,
    prune: deps.prune,
    'forget-customer': deps.forget,
    'host-events': deps.hostEvents.job,
    'each-account': createEachAccount(deps.sync),
  };
}

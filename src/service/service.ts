/** The payment retry service that ships inside this package. The plugin speaks with it over HTTP alone. */
import type { Server } from 'node:http';
import type { Express } from 'express';
import type { DateTime } from 'luxon';
import type { Clock } from '../core/base/clock.ts';
import { guardLogger, type Logger } from '../core/base/logger.ts';
import type { Database } from '../core/database/database.ts';
import { logMigrations } from '../core/database/migrate.ts';
import { deletePassed } from '../core/database/passed-rows.ts';
import type { Enqueue } from '../core/jobs/enqueue.ts';
import { createJobs, type Jobs } from '../core/jobs/jobs.ts';
import type { HandlerTable } from '../core/jobs/queue-table.ts';
import { ATTEMPT_LIMITS } from '../core/limits/attempt-limits.ts';
import { REMINDER_DAYS } from '../core/limits/reminder-days.ts';
import { createMeasures, type Measures } from '../core/telemetry/measures.ts';
import { SERVICE_METRICS } from '../core/telemetry/metric-table.ts';
import { addressOf, closeServer, createTransport, listen } from '../core/web/http-server.ts';
import { createDecider } from './decide/decide-cases.ts';
import { createHttpApp } from './http/http-app.ts';
import { refuseUnreadable } from './http/refuse.ts';
import { createOrganizations, type Organization, type Organizations } from './keys/organizations.ts';
import { migrateService } from './migrate-service.ts';
import { giveUpSending, resendAsked, sendInstruction } from './send/send-instruction.ts';
import { checkOptions, type RetryServiceOptions } from './service-options.ts';
import { type ServicePayloads, serviceQueues } from './service-queues.ts';
import {
  deleteInvoices,
  listSettledInvoices,
  readKnownTime,
  type SettledInvoice,
} from './store/old-records.ts';
import { listOverdueCases, type OverdueCase } from './store/payment-cases.ts';

export interface RetryService {
  /** Where it listens, once it does. */
  readonly url: string | undefined;
  /** The HTTP side: all that is asked of it may be asked here. */
  readonly router: Express;
  start(): Promise<void>;
  /** Takes requests on that port, too, until it stops. Throws LISTEN_FAILED. Of use once started. */
  listen(port: number): Promise<void>;
  /** Accepts the organization's key from now on and gives it instructions. Useful once started; safe to repeat. */
  addOrganization(organization: Organization): Promise<void>;
  /** Stops listening and working. The database stays open: it is the caller's. */
  stop(): Promise<void>;
  /** Runs every job that is due by the clock; returns how many. */
  drain(): Promise<number>;
  nextDueAt(): Promise<DateTime<true> | undefined>;
}

const DEFAULT_REQUESTS_PER_SECOND = 100;
const DEFAULT_CONCURRENT_REQUESTS = 5;

/** Checks the options (ConfigError); nothing is opened before `start`. */
export async function createRetryService(given: RetryServiceOptions): Promise<RetryService> {
  checkOptions(given);
  const { measures = createMeasures(SERVICE_METRICS) } = given;
  const options = { ...given, measures, logger: guardLogger(given.logger) };
  const { database, clock, logger } = options;
  const jobs = createJobs<ServicePayloads>({
    database,
    clock,
    logger,
    schema: 'retry_service_jobs',
    queues: serviceQueues,
    measures,
  });
  const findElsewhere = options.findOrganization ?? (() => undefined);
  const organizations = createOrganizations({ database, clock, logger, findElsewhere });
  const router = createRouter(options, organizations, jobs);
  let server: Server | undefined;

  async function openPort(port: number): Promise<void> {
    const place = { ...options, port, names: { port: 'SERVICE_PORT' } };
    const opened = createTransport(router, options, logger);
    opened.on('clientError', refuseUnreadable(logger));
    await listen(opened, place);
    server = opened;
    logger.info({ url: addressOf(opened, place) }, 'the retry service is listening');
  }

  return {
    get url() {
      return server && addressOf(server, { ...options, port: 0 });
    },
    router,
    start: async () => {
      await migrateService(database, logMigrations(logger));
      for (const organization of options.organizations) await organizations.add(organization);
      const handlers = createHandlers(options, organizations, jobs);
      try {
        await jobs.start(handlers);
        await handlers.resend.handle({});
        await resumeOverdue(options, jobs);
        if (options.port !== undefined) await openPort(options.port);
      } catch (error) {
        // Its timers would keep the process alive after the failed start.
        await Promise.allSettled([jobs.stop()]);
        throw error;
      }
    },
    listen: openPort,
    addOrganization: organizations.add,
    stop: async () => {
      if (server) await closeServer(server);
      await jobs.stop();
    },
    drain: jobs.drain,
    nextDueAt: jobs.nextDueAt,
  };
}

type Options = RetryServiceOptions & { measures: Measures };

function createRouter(
  options: Options,
  organizations: Organizations,
  { enqueue }: Jobs<ServicePayloads>,
): Express {
  const { database, clock, logger, measures, metricsToken } = options;
  return createHttpApp({
    database,
    clock,
    logger,
    enqueue,
    requestsPerSecond: options.requestsPerSecond ?? DEFAULT_REQUESTS_PER_SECOND,
    concurrentRequests: options.concurrentRequests ?? DEFAULT_CONCURRENT_REQUESTS,
    trustProxy: options.trustProxy ?? false,
    measures,
    metricsToken,
    findByKey: organizations.findByKey,
  });
}

function createHandlers(
  options: Options,
  organizations: Organizations,
  { enqueue }: Jobs<ServicePayloads>,
): HandlerTable<ServicePayloads> {
  const findCallback = (name: string) => organizations.find(name)?.callback;
  const { holdoutPercent = 0, attemptLimits = ATTEMPT_LIMITS, reminderDays = REMINDER_DAYS } = options;
  const { historyDays = FOR_EVER_DAYS } = options;
  const deps = {
    ...options,
    holdoutPercent,
    attemptLimits,
    reminderDays,
    historyDays,
    enqueue,
    findCallback,
  };
  return {
    decide: { handle: createDecider(deps) },
    send: {
      handle: (data) => sendInstruction(deps, data),
      onDead: ({ actionId }) => giveUpSending(deps, actionId),
    },
    resend: { handle: () => resendAsked(deps) },
    prune: { handle: (from) => pruneRecords(deps, from) },
  };
}

const FOR_EVER_DAYS = 36_500;
const OVERDUE_AT_ONCE = 1000;

/** A case whose review job was lost, or outlived by a long stop, is looked at now. */
async function resumeOverdue(
  { database, clock }: RetryServiceOptions,
  { enqueue }: Jobs<ServicePayloads>,
): Promise<void> {
  const now = clock.now();
  let after: OverdueCase | undefined;
  do {
    const overdue = await listOverdueCases(database, now, { after, limit: OVERDUE_AT_ONCE });
    const jobs = overdue.map(({ organization, invoiceId }) => ({ data: { organization, invoiceId } }));
    await enqueue('decide', jobs);
    after = overdue[OVERDUE_AT_ONCE - 1];
  } while (after);
}

/** Removes settled old records in small steps. */
interface PruneDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly enqueue: Enqueue<ServicePayloads>;
  readonly historyDays: number;
}

const INVOICES_IN_A_STEP = 100;
const ROWS_IN_A_STEP = 500;
/** Well inside the time that the job has; it goes on in the next one. */
const STEPS_IN_A_JOB = 300;

export async function pruneRecords(
  { database, clock, logger, enqueue, historyDays }: PruneDeps,
  { after: start }: ServicePayloads['prune'],
): Promise<void> {
  const known = await readKnownTime(database, clock.now());
  if (!known) return;
  while ((await deletePassed(database, 'retry_service', { now: known, limit: ROWS_IN_A_STEP })) > 0);
  const before = known.minus({ days: historyDays });
  let after: SettledInvoice | undefined = start;
  let rows = 0;
  let isDone = false;
  for (let step = 0; step < STEPS_IN_A_JOB && !isDone; step += 1) {
    const page = await listSettledInvoices(database, { before, limit: INVOICES_IN_A_STEP }, after);
    for (const organization of new Set(page.map((one) => one.organization))) {
      const ids = page.filter((one) => one.organization === organization).map(({ id }) => id);
      rows += await database.transaction((tx) => deleteInvoices(tx, organization, ids, before));
    }
    after = page[INVOICES_IN_A_STEP - 1];
    isDone = after === undefined;
  }
  if (rows > 0) logger.info({ rows }, 'took away records that are settled and old');
  if (after) await enqueue('prune', [{ data: { after }, key: 'prune' }]);
}

/** The payment retry service that ships inside this package. The plugin speaks with it over HTTP alone. */
import type { Server } from 'node:http';
import type { Express } from 'express';
import type { DateTime } from 'luxon';
import { guardLogger } from '../core/base/logger.ts';
import { logMigrations } from '../core/database/migrate.ts';
import { deletePassed } from '../core/database/passed-rows.ts';
import { createJobs, type Jobs } from '../core/jobs/jobs.ts';
import type { HandlerTable } from '../core/jobs/queue-table.ts';
import type { BaseDeps, WorkDeps } from '../core/jobs/work-deps.ts';
import { ATTEMPT_LIMITS, type AttemptLimits } from '../core/limits/attempt-limits.ts';
import { REMINDER_DAYS } from '../core/limits/reminder-days.ts';
import { createMeasures, type Measures } from '../core/telemetry/measures.ts';
import { SERVICE_METRICS } from '../core/telemetry/metric-table.ts';
import { addressOf, closeServer, createTransport, listen, type Tls } from '../core/web/http-server.ts';
import { createDecider, type DecideDeps } from './decide/decide-cases.ts';
import { createHttpApp } from './http/http-app.ts';
import { refuseUnreadable } from './http/refuse.ts';
import { createOrganizations, type Organization } from './keys/organizations.ts';
import { migrateService } from './migrate-service.ts';
import { giveUpSending, resendAsked, type SendDeps, sendInstruction } from './send/send-instruction.ts';
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

export interface RetryServiceOptions extends BaseDeps {
  host: string;
  /** The port; 0 takes any free one; undefined opens none. */
  port?: number | undefined;
  /** Those known at the start; others can be added. */
  organizations: readonly Organization[];
  /** Finds organizations that another process on the same database may have added. */
  findOrganization?: (name: string) => Organization | undefined;
  defaultTimeZone: string;
  /** Share of the failed invoices, in percent, that keep a static schedule for comparison. Default: 0. */
  holdoutPercent?: number;
  /** How often the receiver of instructions tries a card at most: the plugin's own limits, unless it is stricter. */
  attemptLimits?: AttemptLimits;
  /** Days on which a customer is asked, from the first request on. */
  reminderDays?: readonly number[];
  /** How long settled records are kept; forever by default. */
  historyDays?: number;
  /** Limit for each key. The contract's limit is 100 (stripe-facts 12.4). */
  requestsPerSecond?: number;
  /** Limit for each key in this process. The contract recommends 5 (stripe-facts 12.4). */
  concurrentRequests?: number;
  /** Believe `X-Forwarded-Proto`: only behind a proxy that sets it. As Express takes it. */
  trustProxy?: boolean | string | number;
  /** When absent, plain HTTP, which other machines cannot use unless a proxy ends TLS. */
  tls?: Tls | undefined;
  /** Its own, unless somebody else reports to monitoring. */
  measures?: Measures;
  /** Opens `/metrics`; without it the path is off. */
  metricsToken?: string | undefined;
}

const FOR_EVER_DAYS = 36_500;

const DEFAULTS = {
  requestsPerSecond: 100,
  concurrentRequests: 5,
  trustProxy: false,
  holdoutPercent: 0,
  attemptLimits: ATTEMPT_LIMITS,
  reminderDays: REMINDER_DAYS,
  historyDays: FOR_EVER_DAYS,
  findOrganization: () => undefined,
};

/** Opens nothing before `start`. The settings are checked where they are read. */
export function createRetryService(given: RetryServiceOptions): RetryService {
  const { measures = createMeasures(SERVICE_METRICS) } = given;
  const options = { ...DEFAULTS, ...given, measures, logger: guardLogger(given.logger) };
  const { database, logger } = options;
  const jobs = createJobs<ServicePayloads>({
    ...options,
    schema: 'retry_service_jobs',
    queues: serviceQueues,
  });
  const { enqueue } = jobs;
  const organizations = createOrganizations({ ...options, findElsewhere: options.findOrganization });
  const router = createHttpApp({ ...options, enqueue, findByKey: organizations.findByKey });
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
      const findCallback = (name: string) => organizations.find(name)?.callback;
      const handlers = createHandlers({ ...options, enqueue, findCallback });
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

type HandlerDeps = DecideDeps & SendDeps & PruneDeps;

function createHandlers(deps: HandlerDeps): HandlerTable<ServicePayloads> {
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
interface PruneDeps extends WorkDeps<ServicePayloads> {
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

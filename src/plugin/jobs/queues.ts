/** The plugin's jobs, one row each: payload and queue options. `create-handlers.ts` adds the handlers. */

import { type PayloadsOf, queue } from '../../core/jobs/queue-table.ts';
import type { WorkDeps } from '../../core/jobs/work-deps.ts';
import type { Reason } from '../reasons/reason.ts';
import type { PrunePosition } from '../store/retention/prune.ts';
import type { BackfillRun } from '../store/tables/backfill/backfill-runs.ts';
import type { MirroredKey } from '../store/tables/sync/mirrors.ts';

const FIVE_MINUTES = 300;
const HOUR = 3600;
const STEADY = {
  concurrency: 5,
  batchSize: 20,
  expireSeconds: FIVE_MINUTES,
  retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
} as const;
/** Retries for work that is requested only once. */
const PATIENT = { retryLimit: 1_000, retryDelay: 5, retryDelayMax: FIVE_MINUTES } as const;

/** Options for runs over all of Stripe's objects, a slice a job. */
const SLICES = {
  // One running and one waiting job an account: a slice enqueues the next before it ends.
  policy: 'short',
  isSerial: true,
  concurrency: 1,
  batchSize: 1,
  // Well beyond a slice at a slow Stripe.
  expireSeconds: HOUR,
  retry: PATIENT,
} as const;

/** Options for jobs whose failed run waits for its own retry, without others in parallel. */
const ALONE = { policy: 'exclusive', concurrency: 1, batchSize: 1, retry: PATIENT } as const;
/** Options for jobs that only enqueue others, an account each. */
const ASKING = { ...ALONE, batchSize: 20, expireSeconds: FIVE_MINUTES } as const;

/** Database schema of the queue. */
export const JOBS_SCHEMA = 'payment_retry_jobs';

export interface BackfillRequest extends Pick<BackfillRun, 'account' | 'kind' | 'months' | 'perSecond'> {
  /** Scheduled: skipped without an earlier run, or within a day of one. */
  isScheduled?: boolean;
  /** ISO 8601. A run finished later has done the request. */
  askedAt?: string;
  /** The run to continue. */
  run?: number;
}

const JOBS = {
  /** Processes an account's inbox, many events together. */
  'take-events': queue<{ account: string }>({
    policy: 'short',
    concurrency: 1,
    batchSize: 5,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 1_000, retryDelay: 2, retryDelayMax: 60 },
  }),
  /** Processes an event that calls Stripe, or failed among others. */
  'process-event': queue<{ account: string; eventId: string }>({
    concurrency: 5,
    batchSize: 50,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 12, retryDelay: 2, retryDelayMax: HOUR },
  }),
  /** Delivers an account's dirty rows. */
  deliver: queue<{ account: string }>({
    policy: 'short',
    isSerial: true,
    concurrency: 1,
    batchSize: 5,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 1_000, retryDelay: 2, retryDelayMax: FIVE_MINUTES },
  }),
  /** Requests, reads or ends Stripe's retry signal for an invoice (RETRY_SIGNAL). */
  'follow-signal': queue<{ account: string; invoiceId: string }>({
    ...STEADY,
    policy: 'short',
    isSerial: true,
  }),
  'schedule-instruction': queue<{ account: string; requestId: string }>({ ...STEADY, batchSize: 50 }),
  'execute-action': queue<{
    actionId: string;
    /** Default: the action's. */
    account?: string;
  }>({
    concurrency: 10,
    batchSize: 20,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 30, retryDelay: 5, retryDelayMax: HOUR },
  }),
  /** Pays open invoices with a customer's new card since `changedAt` (ISO 8601). `customerId` is needed for a source only. */
  'pay-open-invoices': queue<{
    account: string;
    customerId?: string | undefined;
    paymentMethod: string;
    changedAt: string;
  }>(STEADY),
  /** Turns off Stripe's own retries of an invoice: in `exclusive` mode, or at the service's request. */
  'take-over-invoice': queue<{ account: string; invoiceId: string; requestId?: string }>(STEADY),
  /** Resumes Stripe's own retries of a taken-over invoice; `reason` is for the history. */
  'hand-back-invoice': queue<{ account: string; invoiceId: string; reason: Reason }>(STEADY),
  /** Finds work whose job was lost with a process. */
  sweep: queue<Record<string, never>>({
    ...ALONE,
    expireSeconds: FIVE_MINUTES,
    // Another process takes over after a death, without a person.
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: 60 },
    cron: { at: '* * * * *', data: {} },
  }),
  /** Finds Stripe's events without a webhook. */
  'catch-up': queue<{ account: string }>({
    ...ALONE,
    // A month of a large account has many pages.
    expireSeconds: HOUR,
  }),
  /** Reads the service's listing for instructions without a callback. */
  'sync-actions': queue<{ account: string }>({
    ...ALONE,
    // The first run reads the whole history.
    expireSeconds: HOUR,
  }),
  reread: queue<MirroredKey>({ policy: 'exclusive', ...STEADY }),
  reconcile: queue<{ account: string }>(ASKING),
  /** Reads everything at Stripe, a slice a job. */
  backfill: queue<BackfillRequest>(SLICES),
  /** Compares everything at Stripe with the database, a slice a job, in parallel with backfills. */
  verify: queue<BackfillRequest>(SLICES),
  /** Enqueues a verification once the last one is VERIFY_DAYS old. */
  'verify-when-due': queue<{ account: string }>(ASKING),
  /** Erases a customer's data, here and in the embedded service. */
  'forget-customer': queue<{ account: string; customerId: string }>({
    concurrency: 2,
    batchSize: 10,
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: HOUR },
  }),
  /** Delivers events to the host application and EVENTS_URL. */
  'host-events': queue<Record<string, never>>({
    ...ALONE,
    // A hundred of the slowest answers.
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: 60 },
  }),
  /** Deletes old data, a slice a job. */
  prune: queue<{ from?: PrunePosition }>({
    policy: 'short',
    concurrency: 1,
    batchSize: 1,
    expireSeconds: HOUR,
    retry: { retryLimit: 10, retryDelay: 60, retryDelayMax: HOUR },
    cron: { at: '37 2 * * *', data: {}, key: 'prune' },
  }),
};

/** Queues whose jobs carry an account only, so that a schedule can enqueue them. */
export type AccountQueue = {
  [Name in keyof Payloads]: { account: string } extends Payloads[Name]
    ? Payloads[Name] extends { account: string }
      ? Name
      : never
    : never;
}[keyof Payloads];
type Payloads = PayloadsOf<typeof JOBS>;

export const QUEUES = {
  ...JOBS,
  /** Enqueues a job of another queue for each account. */
  'each-account': queue<{ queue: AccountQueue }>({
    ...ASKING,
    batchSize: 5,
    cron: [
      { at: '*/5 * * * *', data: { queue: 'catch-up' }, key: 'catch-up' },
      { at: '*/5 * * * *', data: { queue: 'sync-actions' }, key: 'sync-actions' },
      { at: '41 1 * * *', data: { queue: 'verify-when-due' }, key: 'verify-when-due' },
      // Sunday nights.
      { at: '17 3 * * 0', data: { queue: 'reconcile' }, key: 'reconcile' },
    ],
  }),
};

export interface PluginQueues extends PayloadsOf<typeof QUEUES> {}

export type PluginDeps = WorkDeps<PluginQueues>;

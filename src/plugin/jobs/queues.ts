/** The plugin's jobs, one row each: what it carries, and how its queue behaves. Who does it is joined in `create-handlers.ts`. */

import { type PayloadsOf, queue } from '../../core/jobs/queue-table.ts';
import type { Reason } from '../reasons/reason.ts';
import type { PrunePosition } from '../store/retention/prune.ts';
import type { MirroredKey } from '../store/tables/sync/mirrors.ts';

const FIVE_MINUTES = 300;
const HOUR = 3600;
const STEADY = {
  concurrency: 5,
  batchSize: 20,
  expireSeconds: FIVE_MINUTES,
  retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
} as const;
/** For what nobody would ask for again. */
const PATIENT = { retryLimit: 1_000, retryDelay: 5, retryDelayMax: FIVE_MINUTES } as const;

/** For what goes through all that Stripe has, a slice a job. */
const SLICES = {
  // One that runs and one that waits for an account: a slice asks for the next one before it ends.
  policy: 'short',
  isSerial: true,
  concurrency: 1,
  batchSize: 1,
  // Well beyond a slice, which a slow Stripe makes longer.
  expireSeconds: HOUR,
  retry: PATIENT,
} as const;

/** A run that failed waits for its own next try; the schedule must not put others beside it. */
const ALONE = { policy: 'exclusive', concurrency: 1, batchSize: 1, retry: PATIENT } as const;
/** Asks other queues for something, an account a job. */
const ASKING = { ...ALONE, batchSize: 20, expireSeconds: FIVE_MINUTES } as const;

/** Of the database. */
export const JOBS_SCHEMA = 'payment_retry_jobs';

export interface BackfillRequest {
  account: string;
  kind: 'backfill' | 'reconciliation' | 'verification';
  /** How far back invoices and charges are read. */
  months: number;
  /** Requests to one of Stripe's endpoints. */
  perSecond: number;
  /** Nobody asked for it: done only where something was read before, and not the day before. */
  isScheduled?: boolean;
  /** ISO 8601. A run that was finished after this has done what is asked. */
  askedAt?: string;
  /** The next slice of this run, and of no other. */
  run?: number;
}

const JOBS = {
  /** What waits in an account's inbox becomes rows, many events at once. */
  'take-events': queue<{ account: string }>({
    policy: 'short',
    concurrency: 1,
    batchSize: 5,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 1_000, retryDelay: 2, retryDelayMax: 60 },
  }),
  /** An event that asks Stripe, or that failed among others. */
  'process-event': queue<{ account: string; eventId: string }>({
    concurrency: 5,
    batchSize: 50,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 12, retryDelay: 2, retryDelayMax: HOUR },
  }),
  /** Dirty rows of an account go to the service. */
  deliver: queue<{ account: string }>({
    policy: 'short',
    isSerial: true,
    concurrency: 1,
    batchSize: 5,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 1_000, retryDelay: 2, retryDelayMax: FIVE_MINUTES },
  }),
  /** Stripe's retry signal for an invoice is asked for, looked at or ended (RETRY_SIGNAL). */
  'follow-signal': queue<{ account: string; invoiceId: string }>({
    ...STEADY,
    policy: 'short',
    isSerial: true,
  }),
  /** A recorded instruction becomes an action. */
  'schedule-instruction': queue<{ account: string; requestId: string }>({ ...STEADY, batchSize: 50 }),
  /** A due action is carried out. */
  'execute-action': queue<{
    actionId: string;
    /** Left out, the action has it. */
    account?: string;
  }>({
    concurrency: 10,
    batchSize: 20,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 30, retryDelay: 5, retryDelayMax: HOUR },
  }),
  /** A customer has a new card since `changedAt` (ISO 8601): the open invoices are paid with it. Only of a source is the customer asked for. */
  'pay-open-invoices': queue<{
    account: string;
    customerId?: string | undefined;
    paymentMethod: string;
    changedAt: string;
  }>(STEADY),
  /** Stripe's own retries of an invoice are switched off: in `exclusive` mode, or where the service asks for it by a request. */
  'take-over-invoice': queue<{ account: string; invoiceId: string; requestId?: string }>(STEADY),
  /** Stripe's own retries of an invoice that was taken over go on; `reason` is for the history. */
  'hand-back-invoice': queue<{ account: string; invoiceId: string; reason: Reason }>(STEADY),
  /** Finds work whose job was lost with a process. */
  sweep: queue<Record<string, never>>({
    ...ALONE,
    expireSeconds: FIVE_MINUTES,
    // One that died with its process is taken up by another, and is no matter for a person.
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: 60 },
    cron: { at: '* * * * *', data: {} },
  }),
  /** Finds events that Stripe has and whose webhooks never came. */
  'catch-up': queue<{ account: string }>({
    ...ALONE,
    // A month of a large account is many pages.
    expireSeconds: HOUR,
  }),
  /** Reads the service's listing, for instructions whose callbacks never came. */
  'sync-actions': queue<{ account: string }>({
    ...ALONE,
    // The first run reads the whole history.
    expireSeconds: HOUR,
  }),
  /** A record that could not be mapped is read again. */
  reread: queue<MirroredKey>({ policy: 'exclusive', ...STEADY }),
  /** Asks for a reconciliation that time alone asks for. */
  reconcile: queue<{ account: string }>(ASKING),
  /** Everything that Stripe has is read, a slice a job. */
  backfill: queue<BackfillRequest>(SLICES),
  /** Everything that Stripe has is compared with what is stored, a slice a job, beside the readings that store it. */
  verify: queue<BackfillRequest>(SLICES),
  /** Asks for a verification once the last one is VERIFY_DAYS old. */
  'verify-when-due': queue<{ account: string }>(ASKING),
  /** What names a customer is erased, here and in the embedded service. */
  'forget-customer': queue<{ account: string; customerId: string }>({
    concurrency: 2,
    batchSize: 10,
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: HOUR },
  }),
  /** Events for the host application and for EVENTS_URL. */
  'host-events': queue<Record<string, never>>({
    ...ALONE,
    // A hundred answers, each at its slowest.
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: 60 },
  }),
  /** What is old goes, a slice a job, from where the last slice ended. */
  prune: queue<{ from?: PrunePosition }>({
    policy: 'short',
    concurrency: 1,
    batchSize: 1,
    expireSeconds: HOUR,
    retry: { retryLimit: 10, retryDelay: 60, retryDelayMax: HOUR },
    cron: { at: '37 2 * * *', data: {}, key: 'prune' },
  }),
};

/** Queues whose jobs carry an account and nothing else, so that time alone can ask for them. */
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
  /** Gives each account a job of another queue. */
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

/** What each job carries. */
export interface PluginQueues extends PayloadsOf<typeof QUEUES> {}

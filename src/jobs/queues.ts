/** The plugin's queues: what each job carries and how its queue behaves. Handlers are joined to them in the plugin. */
import type { Reason } from '../store/reasons/reason.ts';
import type { MirroredKey } from '../store/tables/sync/unmapped.ts';
import type { QueueTable } from './jobs.ts';

export interface PluginQueues {
  /** A recorded event becomes rows. */
  'process-event': { account: string; eventId: string };
  /** Dirty rows of an account go to the service. */
  deliver: { account: string };
  /** A recorded instruction becomes an action. */
  'schedule-instruction': { account: string; requestId: string };
  /** A due action is carried out. */
  'execute-action': {
    actionId: string;
    /** Left out, the action tells. */
    account?: string;
  };
  /** A customer has a new card since `changedAt` (ISO 8601): the open invoices are paid with it. */
  'pay-open-invoices': {
    account: string;
    paymentMethod: string;
    changedAt: string;
  };
  /** `exclusive` mode: Stripe's own retries of an invoice are switched off. */
  'take-over-invoice': { account: string; invoiceId: string };
  /** Stripe's own retries of an invoice that was taken over go on; `reason` is for the history. */
  'hand-back-invoice': { account: string; invoiceId: string; reason: Reason };
  /** Finds work whose job was lost with a process. */
  sweep: Record<string, never>;
  /** Finds events that Stripe has and whose webhooks never came. */
  'catch-up': { account: string };
  /** Reads the service's listing, for instructions whose callbacks never came. */
  'sync-actions': { account: string };
  /** A record that could not be mapped is read again. */
  reread: MirroredKey;
  /** Gives each account a job of another queue. */
  'each-account': { queue: AccountQueue };
  /** Asks for a reconciliation that time alone asks for. */
  reconcile: { account: string };
  /** Everything that Stripe has is read, a slice a job. */
  backfill: BackfillRequest;
  /** What tells of a customer goes, here and in the embedded service. */
  'forget-customer': { account: string; customerId: string };
  /** What is old goes, a slice a job. */
  prune: Record<string, never>;
  /** What happened is told to the application around, and to EVENTS_URL. */
  'tell-host': Record<string, never>;
}

/** Queues whose jobs carry an account and nothing else, so that time alone can ask for them. */
export type AccountQueue = {
  [Name in keyof PluginQueues]: { account: string } extends PluginQueues[Name]
    ? PluginQueues[Name] extends { account: string }
      ? Name
      : never
    : never;
}[Exclude<keyof PluginQueues, 'each-account'>];

export interface BackfillRequest {
  account: string;
  kind: 'backfill' | 'reconciliation';
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

const FIVE_MINUTES = 300;
const HOUR = 3600;

export const QUEUES: QueueTable<PluginQueues> = {
  'process-event': {
    concurrency: 5,
    batchSize: 50,
    pollSeconds: 0.5,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 12, retryDelay: 2, retryDelayMax: HOUR },
  },
  deliver: {
    policy: 'stately',
    concurrency: 5,
    batchSize: 5,
    pollSeconds: 0.5,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 1_000, retryDelay: 2, retryDelayMax: FIVE_MINUTES },
  },
  'schedule-instruction': {
    concurrency: 5,
    batchSize: 50,
    pollSeconds: 0.5,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
  },
  'execute-action': {
    concurrency: 10,
    batchSize: 20,
    pollSeconds: 0.5,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 30, retryDelay: 5, retryDelayMax: HOUR },
  },
  'pay-open-invoices': {
    concurrency: 5,
    batchSize: 20,
    pollSeconds: 1,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
  },
  'take-over-invoice': {
    concurrency: 5,
    batchSize: 20,
    pollSeconds: 1,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
  },
  'hand-back-invoice': {
    concurrency: 5,
    batchSize: 20,
    pollSeconds: 1,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
  },
  sweep: {
    policy: 'exclusive',
    concurrency: 1,
    batchSize: 1,
    pollSeconds: 2,
    expireSeconds: FIVE_MINUTES,
    // One that died with its process is taken up by another, and is no matter for a person.
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: 60 },
    cron: { at: '* * * * *', data: {} },
  },
  'catch-up': {
    // A run that failed waits for its own next try; the schedule must not put others beside it.
    policy: 'exclusive',
    concurrency: 1,
    batchSize: 1,
    pollSeconds: 2,
    // A month of a large account is many pages.
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: FIVE_MINUTES },
  },
  'each-account': {
    policy: 'exclusive',
    concurrency: 1,
    batchSize: 5,
    pollSeconds: 2,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: FIVE_MINUTES },
    cron: [
      { at: '*/5 * * * *', data: { queue: 'catch-up' }, key: 'catch-up' },
      { at: '*/5 * * * *', data: { queue: 'sync-actions' }, key: 'sync-actions' },
      // Sunday nights.
      { at: '17 3 * * 0', data: { queue: 'reconcile' }, key: 'reconcile' },
    ],
  },
  'sync-actions': {
    policy: 'exclusive',
    concurrency: 1,
    batchSize: 1,
    pollSeconds: 2,
    // The first run reads the whole history.
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: FIVE_MINUTES },
  },
  reread: {
    policy: 'exclusive',
    concurrency: 5,
    batchSize: 20,
    pollSeconds: 1,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
  },
  reconcile: {
    policy: 'exclusive',
    concurrency: 1,
    batchSize: 20,
    pollSeconds: 2,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: FIVE_MINUTES },
  },
  backfill: {
    // One that runs and one that waits for an account: a slice asks for the next one before it ends.
    policy: 'stately',
    concurrency: 1,
    batchSize: 1,
    pollSeconds: 0.5,
    // Well beyond a slice, which a slow Stripe makes longer.
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: FIVE_MINUTES },
  },
  'forget-customer': {
    concurrency: 2,
    batchSize: 10,
    pollSeconds: 2,
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: HOUR },
  },
  'tell-host': {
    policy: 'exclusive',
    concurrency: 1,
    batchSize: 1,
    pollSeconds: 1,
    // A hundred answers, each at its slowest.
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: 60 },
  },
  prune: {
    policy: 'stately',
    concurrency: 1,
    batchSize: 1,
    pollSeconds: 2,
    expireSeconds: HOUR,
    retry: { retryLimit: 10, retryDelay: 60, retryDelayMax: HOUR },
    cron: { at: '37 2 * * *', data: {}, key: 'prune' },
  },
};

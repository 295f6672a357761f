/** How each of the plugin's queues behaves. Handlers are joined to them in the plugin. */

import type { PluginQueues } from './plugin-queues.ts';
import type { QueueTable } from './queue-table.ts';

const FIVE_MINUTES = 300;
const HOUR = 3600;

/** Of the database. */
export const JOBS_SCHEMA = 'payment_retry_jobs';

export const QUEUES: QueueTable<PluginQueues> = {
  'take-events': {
    policy: 'short',
    concurrency: 1,
    batchSize: 5,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 1_000, retryDelay: 2, retryDelayMax: 60 },
  },
  'process-event': {
    concurrency: 5,
    batchSize: 50,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 12, retryDelay: 2, retryDelayMax: HOUR },
  },
  deliver: {
    policy: 'short',
    isSerial: true,
    concurrency: 1,
    batchSize: 5,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 1_000, retryDelay: 2, retryDelayMax: FIVE_MINUTES },
  },
  'schedule-instruction': {
    concurrency: 5,
    batchSize: 50,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
  },
  'execute-action': {
    concurrency: 10,
    batchSize: 20,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 30, retryDelay: 5, retryDelayMax: HOUR },
  },
  'pay-open-invoices': {
    concurrency: 5,
    batchSize: 20,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
  },
  'take-over-invoice': {
    concurrency: 5,
    batchSize: 20,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
  },
  'hand-back-invoice': {
    concurrency: 5,
    batchSize: 20,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
  },
  sweep: {
    policy: 'exclusive',
    concurrency: 1,
    batchSize: 1,
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
    // A month of a large account is many pages.
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: FIVE_MINUTES },
  },
  'each-account': {
    policy: 'exclusive',
    concurrency: 1,
    batchSize: 5,
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
    // The first run reads the whole history.
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: FIVE_MINUTES },
  },
  reread: {
    policy: 'exclusive',
    concurrency: 5,
    batchSize: 20,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 20, retryDelay: 2, retryDelayMax: HOUR },
  },
  reconcile: {
    policy: 'exclusive',
    concurrency: 1,
    batchSize: 20,
    expireSeconds: FIVE_MINUTES,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: FIVE_MINUTES },
  },
  backfill: {
    // One that runs and one that waits for an account: a slice asks for the next one before it ends.
    policy: 'short',
    isSerial: true,
    concurrency: 1,
    batchSize: 1,
    // Well beyond a slice, which a slow Stripe makes longer.
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: FIVE_MINUTES },
  },
  'forget-customer': {
    concurrency: 2,
    batchSize: 10,
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: HOUR },
  },
  'host-events': {
    policy: 'exclusive',
    concurrency: 1,
    batchSize: 1,
    // A hundred answers, each at its slowest.
    expireSeconds: HOUR,
    retry: { retryLimit: 1_000, retryDelay: 5, retryDelayMax: 60 },
  },
  prune: {
    policy: 'short',
    concurrency: 1,
    batchSize: 1,
    expireSeconds: HOUR,
    retry: { retryLimit: 10, retryDelay: 60, retryDelayMax: HOUR },
    cron: { at: '37 2 * * *', data: {}, key: 'prune' },
  },
};

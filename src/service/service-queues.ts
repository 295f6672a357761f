import type { QueueTable } from '../core/jobs/queue-table.ts';
import type { WorkDeps } from '../core/jobs/work-deps.ts';
import type { Measures } from '../core/telemetry/measures.ts';
import type { SettledInvoice } from './store/old-records.ts';

/** What each queue's jobs carry. */
export interface ServicePayloads {
  /** Looks at one invoice and decides, if there is something new or the time for it has come. */
  decide: {
    organization: string;
    invoiceId: string;
    /** The ingest request that asked for it. */
    requestId?: string;
  };
  /** Sends one instruction to the callback address. */
  send: { organization: string; actionId: string };
  /** Finds instructions that a person asked to be sent again. */
  resend: Record<string, never>;
  /** Removes old records, a slice a job, from the end of the last slice. */
  prune: { after?: SettledInvoice };
}

export interface ServiceDeps extends WorkDeps<ServicePayloads> {
  readonly measures: Measures;
}

/**
 * Cases that are decided in one transaction: many enough to share what it costs, few enough that nothing else in the
 * process waits for long.
 */
export const DECIDED_TOGETHER = 100;

/** Waits double from half a minute to an hour: about three days in all, as `SEND_FOR_HOURS` says. */
export const serviceQueues: QueueTable<ServicePayloads> = {
  decide: {
    // The next cases gather while this many are decided.
    concurrency: 2 * DECIDED_TOGETHER,
    batchSize: DECIDED_TOGETHER,
    retry: { retryLimit: 20, retryDelay: 5, retryDelayMax: 3600 },
    expireSeconds: 60,
  },
  send: {
    concurrency: 5,
    batchSize: 20,
    retry: { retryLimit: 120, retryDelay: 30, retryDelayMax: 3600 },
    expireSeconds: 120,
  },
  resend: {
    concurrency: 1,
    batchSize: 1,
    policy: 'exclusive',
    retry: { retryLimit: 3, retryDelay: 5, retryDelayMax: 60 },
    expireSeconds: 60,
    cron: { at: '* * * * *', data: {} },
  },
  prune: {
    concurrency: 1,
    batchSize: 1,
    policy: 'short',
    retry: { retryLimit: 10, retryDelay: 60, retryDelayMax: 3600 },
    expireSeconds: 3600,
    cron: { at: '7 2 * * *', data: {}, key: 'prune' },
  },
};

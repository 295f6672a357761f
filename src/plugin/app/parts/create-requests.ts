/** Work that a person or a command may request out of turn. A file of its own, since the package declares it. */

import type { Clock } from '../../../core/base/clock.ts';
import type { Enqueue } from '../../../core/jobs/enqueue.ts';
import type { AccountQueue, PluginQueues } from '../../jobs/queues.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { BACKFILL_MONTHS, toBackfillJob } from '../../sync/backfill/backfill-request.ts';

export interface Requests {
  /** Reads everything that Stripe has, or the rest of a begun backfill. */
  requestBackfill(months?: number, account?: string): Promise<void>;
  /** Compares everything that Stripe has with the stored data. */
  requestVerification(months: number, account: string): Promise<void>;
  /** Has Stripe's list of events read again soon, for those whose webhooks never came. */
  requestCatchUp(): Promise<void>;
  /** Has the service's listing read soon, for instructions whose callbacks never came. */
  requestActionsSync(): Promise<void>;
}

export function createRequests(clock: Clock, enqueue: Enqueue<PluginQueues>): Requests {
  const askEach = (queue: AccountQueue) => enqueue('each-account', [{ data: { queue }, key: queue }]);
  return {
    requestBackfill: (months = BACKFILL_MONTHS, account = OWN_ACCOUNT) =>
      enqueue('backfill', [toBackfillJob({ account, kind: 'backfill', months }, clock.now())]),
    requestVerification: (months, account) =>
      enqueue('verify', [toBackfillJob({ account, kind: 'verification', months }, clock.now())]),
    requestCatchUp: () => askEach('catch-up'),
    requestActionsSync: () => askEach('sync-actions'),
  };
}

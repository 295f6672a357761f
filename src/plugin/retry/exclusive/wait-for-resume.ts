import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

const LOOK_AGAIN_MINUTES = 5;

/** Postpones jobs that change something at Stripe during a pause; they read the invoice again afterwards. */
export function waitForResume<Name extends 'take-over-invoice' | 'hand-back-invoice' | 'follow-signal'>(
  { database, clock, enqueue }: Pick<RetryDeps, 'database' | 'clock' | 'enqueue'>,
  queue: Name,
  handle: (data: PluginQueues[Name]) => Promise<void>,
): JobHandler<PluginQueues[Name]> {
  return {
    handle: async (data) => {
      if (!(await findPause(database, data.account))) return handle(data);
      const startAfter = clock.now().plus({ minutes: LOOK_AGAIN_MINUTES });
      await enqueue(queue, [{ data, startAfter }]);
    },
  };
}

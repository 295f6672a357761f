import { isError } from '../../../core/base/errors.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import { isAccessRefused } from '../../clients/stripe-refusals.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { EventResult } from '../../reasons/event-result.ts';
import {
  buryEvent,
  type EventKey,
  findWaitingEvent,
  finishEvents,
  keepWaiting,
  lockWaitingEvent,
  type WaitingEvent,
} from '../../store/tables/sync/events.ts';
import { applyPlans } from '../events/apply-plans.ts';
import { ASKS_STRIPE, ConcurrentUpdateError, type SyncDeps } from '../events/event-step.ts';
import { toEventJob } from '../events/inbox-job.ts';
import { planEvents, type ReadEvent, readCompleted, readEvent } from './plan-events.ts';
import { readThinEvents } from './read-thin.ts';

const TRIES = 3;

/**
 * Processes a single event that asks Stripe or failed among others. All reads come first, then every write in the transaction
 * that marks it processed. Safe to repeat; an event that keeps failing is buried with its error, never dropped.
 */
export function createEventProcessor(deps: SyncDeps): JobHandler<PluginQueues['process-event']> {
  return {
    handle: async ({ account, eventId }) => {
      const key = { account, id: eventId };
      const waiting = await findWaitingEvent(deps.database, key);
      if (!waiting) return;
      try {
        await planAndApply(deps, account, waiting, TRIES);
      } catch (error) {
        if (!isAccessRefused(error)) throw error;
        await waitForAccess(deps, key, error);
      }
    },

    onDead: async ({ account, eventId }, error) => {
      const text = isError(error) ? (error.stack ?? error.message) : String(error);
      await buryEvent(deps.database, { account, id: eventId }, text, deps.clock.now());
    },
  };
}

/** A person has to fix the key; until then it is not dead, however long that takes. */
const ACCESS_RECHECK_MINUTES = 10;

async function waitForAccess(deps: SyncDeps, key: EventKey, error: unknown): Promise<void> {
  const reason: EventResult = { code: 'access_refused', ...deps.stripe.describeRefusal(error) };
  deps.logger.warn({ err: error, ...key, reason }, 'an event waits until Stripe accepts the key');
  const startAfter = deps.clock.now().plus({ minutes: ACCESS_RECHECK_MINUTES });
  await deps.database.transaction(async (tx) => {
    const replays = await keepWaiting(tx, key, reason);
    await deps.enqueue('process-event', [{ ...toEventJob({ ...key, replays }), startAfter }], tx);
  });
}

/** Events of one object arrive together; the second looks again at the first one's result. */
async function planAndApply(
  deps: SyncDeps,
  account: string,
  waiting: WaitingEvent,
  tries: number,
): Promise<void> {
  const [planned] = await planEvents(deps, account, [await readWhole(deps, account, waiting)]);
  if (planned?.status !== 'fulfilled') throw planned?.reason;
  const { value: plans } = planned;
  if (plans === ASKS_STRIPE) throw new Error('A step did not ask Stripe where it could.');
  const { id } = waiting;
  try {
    await deps.database.transaction(async (tx) => {
      if (!(await lockWaitingEvent(tx, { account, id }))) return;
      await applyPlans(deps, tx, account, plans);
      const results = plans.map(({ result }) => result);
      await finishEvents(tx, account, [{ id, results }], deps.clock.now());
    });
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError) || tries <= 1) throw error;
    await planAndApply(deps, account, waiting, tries - 1);
  }
}

async function readWhole(deps: SyncDeps, account: string, waiting: WaitingEvent): Promise<ReadEvent> {
  const snapshot = readEvent(waiting);
  if (snapshot) return snapshot;
  const [read] = await readThinEvents(deps, account, [waiting]);
  if (read?.status !== 'fulfilled') throw read?.reason;
  return readCompleted(read.value);
}

import type Stripe from 'stripe';
import { isAccessRefused } from '../../clients/stripe-refusals.ts';
import { fromUnixSeconds } from '../../clock.ts';
import type { JobHandler } from '../../jobs/jobs.ts';
import type { PluginQueues } from '../../jobs/plugin-queues.ts';
import type { EventResult } from '../../store/reasons/event-result.ts';
import { isForgottenPerson } from '../../store/tables/forgotten.ts';
import { findAccountObjection } from '../../store/tables/stored-accounts.ts';

import {
  buryEvent,
  type EventKey,
  findEvent,
  finishEvent,
  keepWaiting,
} from '../../store/tables/sync/events.ts';
import { ConcurrentUpdateError, type EventPlan, type SyncDeps } from './event-step.ts';
import { EVENT_HANDLERS, LEDGER_STEPS } from './handlers.ts';
import { toIgnored } from './ignored-event.ts';
import { personOf } from './person-of.ts';
import { findUnreadable } from './readable-event.ts';
import { toEventJob } from './webhook.ts';

const TRIES = 3;

const HANDLERS = new Map(Object.entries(EVENT_HANDLERS));

/**
 * Processes one recorded event: all reads first, then every write in the transaction that marks it processed. Safe to
 * repeat; an event that keeps failing is buried with its error, never dropped.
 */
export function createEventProcessor(deps: SyncDeps): JobHandler<PluginQueues['process-event']> {
  return {
    handle: async ({ account, eventId }) => {
      const key = { account, id: eventId };
      const stored = await findEvent(deps.database, key);
      if (!stored || stored.processedAt !== null || stored.payload === null) return;
      const event: Stripe.Event = JSON.parse(stored.payload);
      try {
        await planAndApply(deps, key, event, TRIES);
      } catch (error) {
        if (!isAccessRefused(error)) throw error;
        await waitForAccess(deps, key, error);
      }
    },

    onDead: async ({ account, eventId }, error) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
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

/** Events of one object arrive together; the one that comes second looks again at what the first one stored. */
async function planAndApply(
  deps: SyncDeps,
  key: EventKey,
  event: Stripe.Event,
  tries: number,
): Promise<void> {
  const plans = await planEvent(deps, key.account, event);
  try {
    await deps.database.transaction(async (tx) => {
      for (const plan of plans) await plan.apply?.(tx);
      await finishEvent(
        tx,
        key,
        plans.map(({ result }) => result),
        deps.clock.now(),
      );
    });
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError) || tries <= 1) throw error;
    await planAndApply(deps, key, event, tries - 1);
  }
}

async function planEvent(deps: SyncDeps, account: string, event: Stripe.Event): Promise<EventPlan[]> {
  const objection = await findObjection(deps, account, event);
  if (objection) return [toIgnored(account, objection)];
  await deps.admit(account);
  const handler = HANDLERS.get(event.type);
  if (!handler) return [{ result: { code: 'ignored_type' } }];
  const received = { account, event, createdAt: fromUnixSeconds(event.created) };
  const isForgotten = await isForgottenPerson(deps.database, account, personOf(event));
  const plans: EventPlan[] = isForgotten ? [{ result: { code: 'customer_forgotten' } }] : [];
  const unreadable = findUnreadable(event);
  if (unreadable) return isForgotten ? plans : [{ result: unreadable }];
  for (const step of handler.steps)
    if (!isForgotten || LEDGER_STEPS.has(step)) plans.push(await step(deps, received));
  return plans;
}

/** A live endpoint for connected accounts receives test events too (stripe-facts 1.5). */
async function findObjection(
  { config, database, accounts }: SyncDeps,
  account: string,
  event: Stripe.Event,
): Promise<EventResult | undefined> {
  const isOurMode = config.livemode === undefined || event.livemode === config.livemode;
  if (!isOurMode && typeof event.livemode === 'boolean')
    return { code: 'ignored_mode', isLive: event.livemode };
  const isAboutAccess = event.type.startsWith('account.application.') && accounts.find(account);
  return isAboutAccess ? undefined : findAccountObjection(database, accounts, account);
}

import type { StripeClient } from '../../clients/stripe-client.ts';
import { DatabaseAwayError } from '../../kit/errors.ts';
import type { Transaction } from '../../store/engine/database.ts';
import {
  finishEvents,
  listInbox,
  lockInbox,
  setApart,
  type WaitingEvent,
} from '../../store/tables/sync/events.ts';
import { applyPlans } from '../events/apply-plans.ts';
import type { EventPlan, SyncDeps } from '../events/event-step.ts';
import { isSettledByState } from '../events/handlers.ts';
import { toEventJob } from '../events/inbox-job.ts';
import { isAboutAccess, planEvents, type ReadEvent, readCompleted, readEvent } from './plan-events.ts';
import { readThinEvents } from './read-thin.ts';

/** More need fewer statements each. On the embedded database, which does one thing at a time, webhooks wait for as long. */
const BATCH = { postgres: 250, embedded: 100 } as const;

interface Planned {
  readonly id: string;
  readonly plans: readonly EventPlan[];
}

/**
 * Takes the oldest events of an account's inbox: reads what they need for all at once, and commits what they lead to
 * together. One that asks Stripe, or that fails, is set apart, with a job of its own, and holds up no other. Returns how many
 * events left the inbox.
 */
export async function takeBatch(deps: SyncDeps, account: string): Promise<number> {
  const waiting = await listInbox(deps.database, account, BATCH[deps.database.kind]);
  const snapshots: ReadEvent[] = [];
  const thin: WaitingEvent[] = [];
  for (const one of waiting) {
    const snapshot = readEvent(one);
    if (snapshot) snapshots.push(snapshot);
    else thin.push(one);
  }
  let count = 0;
  for (const events of inTurns(snapshots)) count += await takeTogether(deps, account, events);
  return count + (await takeThin(deps, account, thin));
}

/** Those whose steps ask Stripe for more read their object then; the others share one read. */
async function takeThin(deps: SyncDeps, account: string, waiting: readonly WaitingEvent[]): Promise<number> {
  if (waiting.length === 0) return 0;
  const shared = waiting.filter(({ payload }) => isSettledByState(JSON.parse(payload).type));
  const read = await readThinEvents(deps, account, shared);
  const events = read.flatMap((one) => (one.status === 'fulfilled' ? readCompleted(one.value) : []));
  const ready = new Set(events.map(({ id }) => id));
  const apart = waiting.map(({ id }) => id).filter((id) => !ready.has(id));
  let count = await settle({ deps, account, jobs: collectJobs(deps) }, [], apart);
  for (const turn of inTurns(events)) count += await takeTogether(deps, account, turn);
  return count;
}

/** Events of one object in turns of their own, so that the second looks at what the first one stored. */
function inTurns(events: readonly ReadEvent[]): ReadEvent[][] {
  const turns: ReadEvent[][] = [];
  const seen = new Map<string, number>();
  for (const event of events) {
    const turn = seen.get(event.objectId ?? event.id) ?? 0;
    seen.set(event.objectId ?? event.id, turn + 1);
    turns[turn] = [...(turns[turn] ?? []), event];
  }
  return turns;
}

async function takeTogether(deps: SyncDeps, account: string, events: readonly ReadEvent[]): Promise<number> {
  const jobs = collectJobs(deps);
  // What gives or ends our access decides about the events beside it.
  const common = events.filter(({ event }) => !isAboutAccess(event));
  const outcomes = await planEvents(
    { ...deps, enqueue: jobs.enqueue, stripe: refuseStripe(deps.stripe) },
    account,
    common,
  );
  const planned: Planned[] = [];
  const apart = events.filter(({ event }) => isAboutAccess(event)).map(({ id }) => id);
  for (const [index, { id }] of common.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status === 'fulfilled') planned.push({ id, plans: outcome.value });
    else if (outcome?.reason instanceof DatabaseAwayError) throw outcome.reason;
    else apart.push(id);
  }
  return settle({ deps, account, jobs }, planned, apart);
}

interface Batch {
  readonly deps: SyncDeps;
  readonly account: string;
  readonly jobs: CollectedJobs;
}

/** What fails is done again in halves, until the event at fault stands alone and is set apart. */
async function settle(batch: Batch, planned: readonly Planned[], apart: readonly string[]): Promise<number> {
  try {
    return await batch.deps.database.transaction((tx) => apply(batch, tx, planned, apart));
  } catch (error) {
    const [first, ...others] = planned;
    if (error instanceof DatabaseAwayError || first === undefined) throw error;
    if (others.length === 0) return settle(batch, [], [...apart, first.id]);
    const middle = Math.ceil(planned.length / 2);
    const left = await settle(batch, planned.slice(0, middle), apart);
    return left + (await settle(batch, planned.slice(middle), []));
  }
}

/** Events that another worker has at hand are passed over. */
async function apply(
  { deps, account, jobs }: Batch,
  tx: Transaction,
  planned: readonly Planned[],
  apart: readonly string[],
): Promise<number> {
  jobs.forget();
  const held = await lockInbox(tx, account, [...planned.map(({ id }) => id), ...apart]);
  const ours = planned.filter(({ id }) => held.has(id));
  await applyPlans(
    { ...deps, enqueue: jobs.enqueue },
    tx,
    account,
    ours.flatMap(({ plans }) => plans),
  );
  const finished = ours.map(({ id, plans }) => ({ id, results: plans.map(({ result }) => result) }));
  await finishEvents(tx, account, finished, deps.clock.now());
  const set = await setApart(
    tx,
    account,
    apart.filter((id) => held.has(id)),
  );
  await deps.enqueue('process-event', set.map(toEventJob), tx);
  await jobs.enqueueIn(tx);
  return held.size;
}

interface CollectedJobs {
  readonly enqueue: SyncDeps['enqueue'];
  forget(): void;
  enqueueIn(tx: Transaction): Promise<void>;
}

/** Jobs that the events of a batch ask for, each once. */
function collectJobs(deps: SyncDeps): CollectedJobs {
  const asked = new Map<string, (tx: Transaction) => Promise<void>>();
  return {
    enqueue: async (name, jobs) =>
      void asked.set(`${name} ${JSON.stringify(jobs)}`, (tx) => deps.enqueue(name, jobs, tx)),
    forget: () => asked.clear(),
    enqueueIn: async (tx) => {
      for (const enqueue of asked.values()) await enqueue(tx);
    },
  };
}

/** Who asks Stripe would keep the others waiting. */
function refuseStripe(stripe: StripeClient): StripeClient {
  const refuse = () => Promise.reject(new Error('An event that asks Stripe is processed by itself.'));
  return new Proxy(stripe, { get: () => refuse });
}

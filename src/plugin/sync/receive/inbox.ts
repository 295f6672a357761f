/** The events table is the inbox: recording an event wakes its account's job, which takes waiting events, many together. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseAwayError } from '../../../core/base/errors.ts';
import type { Transaction } from '../../../core/database/database.ts';
import { isAlone } from '../../../core/database/processes.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { Carried } from '../../../core/telemetry/spans.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import {
  finishEvents,
  listInbox,
  listPayloads,
  lockInbox,
  setApart,
  type WaitingEvent,
} from '../../store/tables/sync/events.ts';
import { leaveInboxTurn, takeInboxTurn } from '../../store/tables/sync/inbox-turns.ts';
import { applyPlans } from '../events/apply-plans.ts';
import { ASKS_STRIPE, type EventPlan, type SyncDeps } from '../events/event-step.ts';
import { rowOf } from '../events/handlers.ts';
import { toEventJob, toInboxJob } from '../events/inbox-job.ts';
import { createHandover, type Handover } from './handover.ts';
import { planEvents, type ReadEvent, readCompleted, toReadEvent } from './plan-events.ts';
import { isThin, readThinEvents } from './read-thin.ts';

export interface InboxDeps extends SyncDeps {
  /** The number of this process. */
  readonly processId: () => number | undefined;
}

export type Inbox = ReturnType<typeof createInbox>;

/** A job ends well before it expires; the rest gets a job of its own. */
const JOB_SECONDS = 60;

/** Interval at which a process asks again for another's turn. */
const ASK_AGAIN_MS = 100;
const RENEW_MS = 1_000;

interface Turn {
  isWoken: boolean;
}

export function createInbox(deps: InboxDeps) {
  /** Accounts whose events this process is taking just now, or is about to. They need no job to be woken. */
  const turns = new Map<string, Turn>();
  const handover = createHandover();
  let isStopping = false;

  /** False if events may be left. Its turn ends in the same moment as its last look. */
  async function empty(account: string): Promise<boolean> {
    const end = deps.clock.now().plus({ seconds: JOB_SECONDS });
    const isOver = () => isStopping || deps.clock.now() >= end;
    const turn: Turn = { isWoken: false };
    const claim = claimTurn(deps, account);
    turns.set(account, turn);
    try {
      while (!(await claim.keep())) {
        if (isOver()) return false;
        await sleep(ASK_AGAIN_MS);
      }
      do {
        turn.isWoken = false;
        while ((await takeBatch(deps, handover, account)) > 0)
          if (isOver() || !(await claim.keep())) return false;
      } while (turn.isWoken);
      return true;
    } finally {
      if (turns.get(account) === turn) turns.delete(account);
      await claim.leave();
    }
  }

  return {
    /** Hands over a recorded event, parsed. Call it before `wake`. */
    give: handover.give,
    /** Events of these accounts were recorded, each under the trace given. */
    wake: async (accounts: ReadonlyMap<string, Carried>): Promise<void> => {
      const asleep: ReturnType<typeof toInboxJob>[] = [];
      for (const [account, trace] of accounts) {
        const turn = turns.get(account);
        if (turn) turn.isWoken = true;
        else asleep.push(toInboxJob(account, trace));
      }
      await deps.enqueue('take-events', asleep);
    },
    job: {
      handle: async ({ account }) => {
        if (!(await empty(account))) await deps.enqueue('take-events', [toInboxJob(account)]);
      },
    } satisfies JobHandler<PluginQueues['take-events']>,
    /** Takes no further batch; what waits is left to the next job. */
    stop: (): void => {
      isStopping = true;
    },
  };
}

/** One process at a time takes an account's events: others would read and plan the same ones in vain. */
function claimTurn({ database, clock, processId }: InboxDeps, account: string) {
  const process = processId();
  if (process === undefined || isAlone(database, clock))
    return { keep: async () => true, leave: async () => {} };
  let keptAtMs = Number.NEGATIVE_INFINITY;
  return {
    /** False while it is another process's. */
    keep: async (): Promise<boolean> => {
      const now = clock.now();
      const sinceMs = now.toMillis() - keptAtMs;
      if (sinceMs >= 0 && sinceMs < RENEW_MS) return true;
      const isOurs = await takeInboxTurn(database, { account, process }, now);
      if (isOurs) keptAtMs = now.toMillis();
      return isOurs;
    },
    leave: () => leaveInboxTurn(database, { account, process }),
  };
}

/** More need fewer statements each. On the embedded database, which does one thing at a time, webhooks wait for as long. */
const BATCH = { postgres: 250, embedded: 100 } as const;

interface Planned {
  readonly id: string;
  readonly plans: readonly EventPlan[];
}

/**
 * Reads and commits the oldest events of an account together. One that asks Stripe, or fails, is set apart with a job of its own and
 * delays no other. Returns the number of events that left the inbox.
 */
async function takeBatch(deps: InboxDeps, handover: Handover, account: string): Promise<number> {
  const inbox = await listInbox(deps.database, account, BATCH[deps.database.kind]);
  const received = new Map(inbox.map(({ id }) => [id, handover.take({ account, id })]));
  const unknown = inbox.map(({ id }) => id).filter((id) => !received.get(id));
  const payloads = await listPayloads(deps.database, account, unknown);
  const snapshots: ReadEvent[] = [];
  const thin: WaitingEvent[] = [];
  for (const { id, person } of inbox) {
    const payload = payloads.get(id);
    const event = received.get(id) ?? (payload && JSON.parse(payload));
    if (payload && isThin(event)) thin.push({ id, person, payload });
    else if (event) snapshots.push(toReadEvent({ id, person }, event));
  }
  let count = 0;
  for (const events of inTurns(snapshots)) count += await takeTogether(deps, account, events);
  return count + (await takeThin(deps, account, thin));
}

/** Those whose steps ask Stripe for more read their object then; the others share one read. */
async function takeThin(deps: SyncDeps, account: string, waiting: readonly WaitingEvent[]): Promise<number> {
  if (waiting.length === 0) return 0;
  const shared = waiting.filter(({ payload }) => !rowOf(JSON.parse(payload).type)?.isAlone);
  const read = await readThinEvents(deps, account, shared);
  const events = read.flatMap((one) => (one.status === 'fulfilled' ? readCompleted(one.value) : []));
  const ready = new Set(events.map(({ id }) => id));
  const apart = waiting.map(({ id }) => id).filter((id) => !ready.has(id));
  let count = await settle({ deps, account, jobs: collectJobs(deps) }, [], apart);
  for (const turn of inTurns(events)) count += await takeTogether(deps, account, turn);
  return count;
}

/** Puts events of one object in separate turns, so that the second sees the first one's result. */
function inTurns(events: readonly ReadEvent[]): ReadEvent[][] {
  const turns: ReadEvent[][] = [];
  const seen = new Map<string, number>();
  for (const event of events) {
    const turn = seen.get(event.objectId ?? event.id) ?? 0;
    seen.set(event.objectId ?? event.id, turn + 1);
    turns[turn] ??= [];
    turns[turn].push(event);
  }
  return turns;
}

async function takeTogether(deps: SyncDeps, account: string, events: readonly ReadEvent[]): Promise<number> {
  const jobs = collectJobs(deps);
  // Who asks Stripe would keep the others waiting.
  const together = { ...deps, enqueue: jobs.enqueue, stripe: undefined };
  const outcomes = await planEvents(together, account, events);
  const planned: Planned[] = [];
  const apart: string[] = [];
  for (const [index, { id }] of events.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status === 'rejected' && outcome.reason instanceof DatabaseAwayError) throw outcome.reason;
    if (outcome?.status !== 'fulfilled' || outcome.value === ASKS_STRIPE) apart.push(id);
    else planned.push({ id, plans: outcome.value });
  }
  return settle({ deps, account, jobs }, planned, apart);
}

interface Batch {
  readonly deps: SyncDeps;
  readonly account: string;
  readonly jobs: ReturnType<typeof collectJobs>;
}

/** Repeats failures in halves, until the failing event is alone and is set apart. */
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

/** Jobs that the events of a batch ask for, each once. */
function collectJobs(deps: SyncDeps) {
  const asked = new Map<string, (tx: Transaction) => Promise<void>>();
  const enqueue: SyncDeps['enqueue'] = async (name, jobs) =>
    void asked.set(`${name} ${JSON.stringify(jobs)}`, (tx) => deps.enqueue(name, jobs, tx));
  return {
    enqueue,
    forget: () => asked.clear(),
    enqueueIn: async (tx: Transaction) => {
      for (const enqueueOne of asked.values()) await enqueueOne(tx);
    },
  };
}

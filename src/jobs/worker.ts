/**
 * Takes the due jobs of one queue, in real time. Each account has lanes of its own and a job is settled as soon as it
 * ends, so that accounts whose jobs hang or fail hold up nobody else's: neither a job nor the taking of the next.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { createGroupCommit } from '../store/engine/group-commit.ts';

export interface WorkerOptions {
  readonly boss: PgBoss;
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Jobs of one account that run side by side. */
  readonly concurrency: number;
  /** The most that is taken in one go. */
  readonly batchSize: number;
  readonly pollSeconds: number;
  readonly expireSeconds: number;
  readonly heartbeatSeconds: number;
}

export interface Worker {
  /** Takes nothing more and waits for what it has, for at most so long; what is left then goes to another worker. */
  stop(patienceMs: number): Promise<void>;
}

/** Of so many accounts at once jobs may run; a bound for memory, far above what hangs at one time. */
const ACCOUNTS = 50;

interface Held<Data> {
  readonly job: JobWithMetadata<Data>;
  readonly lane: string;
  readonly takenAtMs: number;
}

export function startWorker<Data>(
  options: WorkerOptions,
  run: (job: JobWithMetadata<Data>) => Promise<JobResult>,
): Worker {
  const { boss, name, logger, concurrency, batchSize } = options;
  const now = () => options.clock.now().toMillis();
  const held = new Map<string, Held<Data>>();
  const lanes = createLanes<Data>(concurrency);
  const wake = createWakeUp();
  const stopping = new AbortController();
  /** Whether the last look may have left due jobs behind. */
  let mayHaveLeft = false;
  const settleSoon = createGroupCommit<{ job: JobWithMetadata<Data>; result: JobResult }>((ended) =>
    settle(boss, name, ended),
  );

  async function carryOut(item: Held<Data>): Promise<void> {
    const { job } = item;
    try {
      // Its time ran out while it waited: the queue has given it to another by now.
      if (now() - item.takenAtMs < options.expireSeconds * 1000)
        await settleSoon({ job, result: await inTime(run(job), job.id, options.expireSeconds) });
    } catch (error) {
      logger.error({ err: error, queue: name, job: job.id }, 'the end of a job could not be recorded');
    } finally {
      held.delete(job.id);
      const next = lanes.leave(item);
      if (next) void carryOut(next);
      if (mayHaveLeft && lanes.hasRoom(item.lane)) wake.now();
    }
  }

  async function take(): Promise<number> {
    const room = Math.min(batchSize, concurrency * ACCOUNTS - held.size);
    if (room <= 0 || !lanes.hasRoom('')) return 0;
    const ignoreGroups = lanes.full();
    const jobs = await boss.fetch<Data>(name, { batchSize: room, includeMetadata: true, ignoreGroups });
    mayHaveLeft = jobs.length === room || ignoreGroups.length > 0;
    for (const job of jobs) {
      const item = { job, lane: job.groupId ?? '', takenAtMs: now() };
      held.set(job.id, item);
      if (lanes.enter(item)) void carryOut(item);
    }
    return jobs.length;
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const woken = wake.next();
      const taken = await take().catch((error: unknown) => {
        logger.error({ err: error, queue: name }, 'the job queue could not be read');
        return 0;
      });
      if (taken < batchSize) await pause(options.pollSeconds * 1000, woken, stopping.signal);
    }
  }

  const heartbeat = setInterval(() => {
    const jobs = [...held.values()].map(({ job }) => job);
    if (jobs.length === 0) return;
    boss
      .touch(name, jobs)
      .catch((error: unknown) => logger.warn({ err: error, queue: name }, 'a heartbeat was missed'));
  }, options.heartbeatSeconds * 500);
  const looping = loop();

  return {
    stop: async (patienceMs) => {
      stopping.abort();
      await looping;
      const deadline = now() + patienceMs;
      while (held.size > 0 && now() < deadline) await sleep(20);
      clearInterval(heartbeat);
      if (held.size > 0)
        await boss.fail(
          name,
          [...held.values()].map(({ job }) => job),
          { message: 'the process stopped' },
        );
    },
  };
}

/** So many of each lane run; the others of the lane wait their turn here. */
function createLanes<Data>(concurrency: number) {
  const running = new Map<string, number>();
  const waiting = new Map<string, Held<Data>[]>();
  const hasRoom = (lane: string) => (running.get(lane) ?? 0) < concurrency;
  return {
    hasRoom,
    full: () => [...running.keys()].filter((lane) => !hasRoom(lane)),
    /** Whether it may run at once. */
    enter: (item: Held<Data>): boolean => {
      const { lane } = item;
      if (hasRoom(lane)) {
        running.set(lane, (running.get(lane) ?? 0) + 1);
        return true;
      }
      waiting.set(lane, [...(waiting.get(lane) ?? []), item]);
      return false;
    },
    /** The one whose turn it is now. */
    leave: ({ lane }: Held<Data>): Held<Data> | undefined => {
      const [next, ...rest] = waiting.get(lane) ?? [];
      if (rest.length > 0) waiting.set(lane, rest);
      else waiting.delete(lane);
      if (next) return next;
      const left = (running.get(lane) ?? 1) - 1;
      if (left > 0) running.set(lane, left);
      else running.delete(lane);
      return undefined;
    },
  };
}

/** Settled together where several end together; only if this claim still stands. */
async function settle<Data>(
  boss: PgBoss,
  name: string,
  ended: readonly { job: JobWithMetadata<Data>; result: JobResult }[],
): Promise<void> {
  const done = ended.filter(({ result }) => result.status === 'completed').map(({ job }) => job);
  if (done.length > 0) await boss.complete(name, done);
  for (const { job, result } of ended)
    if (result.status === 'failed') await boss.fail(name, [job], result.output);
}

/** A handler that hangs gives its lane back. */
async function inTime(run: Promise<JobResult>, id: string, seconds: number): Promise<JobResult> {
  const over = new AbortController();
  const late = sleep(seconds * 1000, undefined, { signal: over.signal }).then((): JobResult => {
    return { id, status: 'failed', output: { message: `it took longer than ${seconds} s` } };
  });
  late.catch(() => {});
  try {
    return await Promise.race([run, late]);
  } finally {
    over.abort();
  }
}

function createWakeUp() {
  let ring = () => {};
  return {
    next: () =>
      new Promise<void>((resolve) => {
        ring = resolve;
      }),
    now: () => ring(),
  };
}

/** Until the time is over, somebody wakes it, or it is to stop. */
async function pause(ms: number, woken: Promise<void>, stop: AbortSignal): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, stop]);
  await Promise.race([sleep(ms, undefined, { signal }).catch(() => {}), woken]);
  over.abort();
}

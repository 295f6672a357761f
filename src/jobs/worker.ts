/**
 * Takes the due jobs of one queue, in real time. Each account has lanes of its own and a job is settled as soon as it
 * ends, so that accounts whose jobs hang or fail hold up nobody else's: neither a job nor the taking of the next.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss';
import type { Clock } from '../clock.ts';
import { DatabaseAwayError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { createGroupCommit } from '../store/engine/group-commit.ts';
import { untilBack } from '../store/engine/until-back.ts';
import { createLanes, type Held } from './lanes.ts';
import { repeatEvery } from './repeat-every.ts';

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

/** How long a job that the database's absence cut off waits before it begins anew; doubled each time. */
const ANEW_MS = { first: 500, longest: 8_000 };

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
    untilBack(() => settle(boss, name, ended)),
  );
  const touch = (jobs: JobWithMetadata<Data>[]) => untilBack(() => boss.touch(name, jobs));
  const isStillOurs = async (job: JobWithMetadata<Data>) => {
    const answer = await touch([job]);
    return 'affected' in answer && answer.affected === 1;
  };

  async function carryOut(item: Held<Data>): Promise<void> {
    const { job } = item;
    try {
      const result = await runToEnd(item);
      if (result) await settleSoon({ job, result });
    } catch (error) {
      logger.error({ err: error, queue: name, job: job.id }, 'the end of a job could not be recorded');
    } finally {
      held.delete(job.id);
      const next = lanes.leave(item);
      if (next) void carryOut(next);
      if (mayHaveLeft && lanes.hasRoom(item.lane)) wake.now();
    }
  }

  /**
   * A run that the database's absence cut off begins anew when that is over, and counts as no failure. Undefined once the
   * queue has given the job to another: its time ran out, or nothing was heard from here for too long.
   */
  async function runToEnd({ job, takenAtMs }: Held<Data>): Promise<JobResult | undefined> {
    let waitMs = ANEW_MS.first;
    while (now() - takenAtMs < options.expireSeconds * 1000) {
      try {
        return await inTime(run(job), job.id, options.expireSeconds);
      } catch (error) {
        if (!(error instanceof DatabaseAwayError)) throw error;
        await sleep(waitMs);
        waitMs = Math.min(2 * waitMs, ANEW_MS.longest);
        if (!(await isStillOurs(job))) return undefined;
      }
    }
    return undefined;
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
        if (!(error instanceof DatabaseAwayError))
          logger.error({ err: error, queue: name }, 'the job queue could not be read');
        return 0;
      });
      if (taken < batchSize) await pause(options.pollSeconds * 1000, woken, stopping.signal);
    }
  }

  const heldJobs = () => [...held.values()].map(({ job }) => job);
  const endHeartbeat = repeatEvery(options.heartbeatSeconds * 500, async () => {
    if (held.size === 0) return;
    await touch(heldJobs()).catch((error: unknown) =>
      logger.warn({ err: error, queue: name }, 'a heartbeat was missed'),
    );
  });
  const looping = loop();

  return {
    stop: async (patienceMs) => {
      stopping.abort();
      await looping;
      const deadline = now() + patienceMs;
      while (held.size > 0 && now() < deadline) await sleep(20);
      endHeartbeat();
      if (held.size > 0)
        await boss.fail(name, heldJobs(), { message: 'the process stopped' }).catch((error) => {
          // Then the heartbeats that are missing say so.
          if (!(error instanceof DatabaseAwayError)) throw error;
        });
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

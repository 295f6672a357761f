/**
 * Takes due jobs of a queue and runs them, each account in a queue of its own, so that hanging or failing accounts delay no others.
 * Used by workers and `drain`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss';
import { DatabaseAwayError, isError } from '../base/errors.ts';
import type { Failure } from '../base/failure-log.ts';
import { createKeyedQueues } from '../base/keyed-queues.ts';
import type { Logger } from '../base/logger.ts';
import { retryWhileDatabaseDown } from '../database/retry-while-database-down.ts';
import type { Measures } from '../telemetry/measures.ts';
import { inSpan, SpanKind, traceOf } from '../telemetry/spans.ts';
import type { JobHandler, QueueSpec } from './queue-table.ts';
import type { BaseDeps } from './work-deps.ts';

export interface RunnerOptions
  extends Pick<BaseDeps, 'clock' | 'logger'>,
    Pick<QueueSpec, 'concurrency' | 'isSerial' | 'batchSize' | 'expireSeconds'> {
  readonly boss: PgBoss;
  readonly name: string;
}

export interface EndedJob<Data> {
  readonly job: JobWithMetadata<Data>;
  readonly result: JobResult;
}

export interface Execution<Data> {
  /** Rejected with `DatabaseAwayError`, the job starts over. */
  readonly run: (job: JobWithMetadata<Data>) => Promise<JobResult>;
  /** The account's next job begins when this resolves. */
  readonly settle: (ended: EndedJob<Data>) => Promise<void>;
  /** Called when there is room for due jobs left behind. */
  readonly onRoom?: () => void;
}

export interface JobRunner<Data> {
  /** Takes and begins due jobs that have room. Returns their number. */
  take(): Promise<number>;
  /** Resolves when all taken jobs have ended. */
  finish(): Promise<void>;
  /** Taken jobs that have not ended. */
  held(): JobWithMetadata<Data>[];
}

/** Accounts with parallel jobs; bounds memory, far above the number that hangs at a time. */
const ACCOUNTS = 50;

/** Wait of a job interrupted by a database outage; doubled each time. */
const ANEW_MS = { first: 500, longest: 8_000 };

export function createRunner<Data>(
  options: RunnerOptions,
  { run, settle, onRoom = () => {} }: Execution<Data>,
): JobRunner<Data> {
  const { boss, name, clock, logger, concurrency, isSerial = false, batchSize } = options;
  const serial = isSerial ? { groupConcurrency: 1 } : {};
  const held = new Map<string, JobWithMetadata<Data>>();
  const running = new Set<Promise<void>>();
  const accounts = createKeyedQueues({ concurrency });
  /** Whether the last take may have left due jobs behind. */
  let mayHaveLeft = false;

  async function runTaken(job: JobWithMetadata<Data>, takenAtMs: number): Promise<void> {
    try {
      const result = await runToEnd(options, run, { job, takenAtMs });
      if (result) await settle({ job, result });
    } catch (error) {
      logger.error({ err: error, queue: name, job: job.id }, 'the end of a job could not be recorded');
    } finally {
      held.delete(job.id);
    }
  }

  function begin(job: JobWithMetadata<Data>): void {
    const account = job.groupId ?? '';
    const takenAtMs = clock.now().toMillis();
    held.set(job.id, job);
    const ending = accounts
      .of(account)
      .add(() => runTaken(job, takenAtMs))
      .then(() => {
        running.delete(ending);
        if (mayHaveLeft && accounts.hasRoom(account)) onRoom();
      });
    running.add(ending);
  }

  return {
    take: async () => {
      const room = Math.min(batchSize, concurrency * ACCOUNTS - held.size);
      if (room <= 0 || !accounts.hasRoom('')) return 0;
      const ignoreGroups = accounts.full();
      const which = { batchSize: room, ignoreGroups, ...serial };
      const jobs = await boss.fetch<Data>(name, { ...which, includeMetadata: true });
      mayHaveLeft = jobs.length === room || ignoreGroups.length > 0;
      // They come unordered.
      for (const job of jobs.toSorted((one, other) => other.priority - one.priority)) begin(job);
      return jobs.length;
    },
    finish: async () => {
      while (running.size > 0) await Promise.all(running);
    },
    held: () => [...held.values()],
  };
}

/**
 * Restarts a run interrupted by a database outage, without counting a failure. Undefined once the queue has given the job to another
 * worker: its time ran out, or no heartbeat arrived.
 */
async function runToEnd<Data>(
  { boss, name, clock, expireSeconds }: RunnerOptions,
  run: Execution<Data>['run'],
  { job, takenAtMs }: { job: JobWithMetadata<Data>; takenAtMs: number },
): Promise<JobResult | undefined> {
  const isStillOurs = async () => {
    const answer = await retryWhileDatabaseDown(() => boss.touch(name, [job]));
    return 'affected' in answer && answer.affected === 1;
  };
  let waitMs = ANEW_MS.first;
  while (clock.now().toMillis() - takenAtMs < expireSeconds * 1000) {
    try {
      return await inTime(run(job), job.id, expireSeconds);
    } catch (error) {
      if (!(error instanceof DatabaseAwayError)) return failedBy(job, error);
      await sleep(waitMs);
      waitMs = Math.min(2 * waitMs, ANEW_MS.longest);
      if (!(await isStillOurs())) return undefined;
    }
  }
  return undefined;
}

/** Settles several jobs, only while this claim on them is valid. */
export async function settleJobs<Data>(
  boss: PgBoss,
  name: string,
  ended: readonly EndedJob<Data>[],
): Promise<void> {
  const done = ended.filter(({ result }) => result.status === 'completed').map(({ job }) => job);
  if (done.length > 0) await boss.complete(name, done);
  for (const { job, result } of ended)
    if (result.status === 'failed') await boss.fail(name, [job], result.output);
}

function failedBy({ id }: { id: string }, error: unknown): JobResult {
  const { name, message, stack } = isError(error) ? error : new Error(String(error));
  return { id, status: 'failed', output: { name, message, stack } };
}

/** Fails a hanging handler, so that its place is free. */
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

export interface JobReports {
  readonly logger: Logger;
  readonly logLasting: (failure: Failure) => void;
  readonly measures: Measures;
}

/** Runs a job by its handler, with metrics, traces and logged failures. Rejects after a database outage: that is no failure of the job. */
export async function runJob<Data>(
  handler: JobHandler<Data>,
  job: JobWithMetadata<Data>,
  { logger, logLasting, measures }: JobReports,
): Promise<JobResult> {
  try {
    const ageMs = job.startedOn.getTime() - job.createdOn.getTime();
    const span = {
      kind: SpanKind.CONSUMER,
      attributes: { job: job.id },
      ...traceOf(Object(job.data), ageMs),
    };
    await measures.timed(
      'payment_retry_job_duration_seconds',
      () => inSpan(`job ${job.name}`, span, () => handler.handle(job.data)),
      ({ status }) => ({ queue: job.name, result: status === 'fulfilled' ? 'done' : 'failed' }),
    );
    return { id: job.id, status: 'completed' };
  } catch (error) {
    if (error instanceof DatabaseAwayError) throw error;
    const isLast = job.retryCount >= job.retryLimit;
    const fields = { err: error, queue: job.name, job: job.id, data: job.data, retry: job.retryCount };
    if (isLast) {
      logger.error(fields, 'a job failed for the last time and went to the dead letters');
      await handler.onDead?.(job.data, error);
    } else {
      const message = 'a job failed and will be tried again';
      // During an outage of Stripe or the service all waiting jobs fail repeatedly.
      logLasting({ level: 'warn', error, about: job.name, fields, message });
    }
    return failedBy(job, error);
  }
}

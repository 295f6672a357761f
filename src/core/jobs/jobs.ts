/** The job queue: pg-boss on our database and clock, with a table of queues. */

import { AsyncResource } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { DateTime } from 'luxon';
import { type ConstructorOptions, PgBoss, type QueueResult } from 'pg-boss';
import { DatabaseAwayError } from '../base/errors.ts';
import { createFailureLog } from '../base/failure-log.ts';
import type { Logger } from '../base/logger.ts';
import type { Queryable } from '../database/database.ts';
import { prepareInTurn } from '../database/migrate.ts';
import {
  changePolicy,
  findNextDueAt,
  listWaits,
  lookForTrouble,
  pullBack,
  tuneQueues,
} from '../database/queued-jobs.ts';
import { ensureSchema } from '../database/schemas.ts';
import { createMeasures } from '../telemetry/measures.ts';
import { createDrain, type JobsContext } from './drain.ts';
import type { Enqueue } from './enqueue.ts';
import { createEnqueue } from './job-insert.ts';
import { runJob } from './job-runner.ts';
import { type HandlerTable, type JobsOptions, keysOf, type Payloads, type QueueSpec } from './queue-table.ts';
import { repeatEvery } from './repeat-every.ts';
import { startWorker, type Worker } from './worker.ts';

export interface Jobs<Data> {
  readonly enqueue: Enqueue<Data>;
  prepare(): Promise<void>;
  /** Creates queues and starts workers, except on a simulated clock, which fires no timers. Jobs of `left` queues wait for another process. */
  start(handlers: HandlerTable<Data>, left?: readonly (keyof Data)[]): Promise<void>;
  /** Runs due jobs, and those they make due, until none is left. Returns the number run. */
  drain(): Promise<number>;
  /** Due time of the earliest waiting job. */
  nextDueAt(): Promise<DateTime<true> | undefined>;
  stop(): Promise<void>;
}

const DEAD_LETTERS = 'dead-letters';

/** Longest time until jobs of other processes are noticed; on the embedded database only the queue's schedules add such. */
const REST_MS = { embedded: 10_000, postgres: 2_000 } as const;

/** A worker without a sign of life for this long is dead; its jobs go to another. */
const HEARTBEAT_SECONDS = 15;
/** Largest delay of scheduled jobs. */
const CRON_SECONDS = 15;
const HOUR_SECONDS = 60 * 60;
/** Most jobs end within seconds; a hanging call lasts longer than a supervisor waits. */
const STOP_PATIENCE_MS = 4_000;
/** Tables hold the results of ended jobs; their queue rows are not needed. */
const ENDED_SECONDS = 24 * HOUR_SECONDS;

export function createJobs<Data extends Payloads<Data>>(options: JobsOptions<Data>): Jobs<Data> {
  const { database, clock, logger, schema, queues, measures = createMeasures() } = options;
  const boss = openQueue(options);
  const names = keysOf(queues);
  const logLasting = createFailureLog(logger);
  const context: JobsContext<Data> = { ...options, measures, boss, names, logLasting };
  const drain = createDrain(context);
  let handlers: HandlerTable<Data> | undefined;
  const workers = new Map<string, Worker>();
  const ends: (() => void)[] = [];
  let dueWatch: DueWatch | undefined;
  const enqueue = createEnqueue(context);

  function work<Name extends keyof Data & string>(name: Name, table: HandlerTable<Data>): Worker {
    const options = { boss, name, clock, logger, heartbeatSeconds: HEARTBEAT_SECONDS, ...queues[name] };
    return startWorker<Data[Name]>(options, (job) =>
      runJob(table[name], job, context).finally(() => dueWatch?.attend()),
    );
  }

  return {
    enqueue: async (name, jobs, tx) => {
      await enqueue(name, jobs, tx);
      dueWatch?.attend();
    },

    prepare: () => prepareQueues(context),

    start: async (table, left = []) => {
      handlers = table;
      await prepareQueues(context);
      if (clock.isSimulated) return;
      for (const name of names) if (!left.includes(name)) workers.set(name, work(name, table));
      dueWatch = watchDue(() => wakeDueWorkers(context, workers), REST_MS[database.kind]);
      ends.push(dueWatch.stop, tendQueue(context));
    },

    drain: () => drain(handlers),
    nextDueAt: () => findNextDueAt(database, schema, names),

    stop: async () => {
      for (const end of ends) end();
      await Promise.all([...workers.values()].map((worker) => worker.stop(STOP_PATIENCE_MS)));
      workers.clear();
      await boss.stop({ graceful: true, timeout: STOP_PATIENCE_MS });
    },
  };
}

export function openQueue<Data>(
  { database, clock, logger, schema }: JobsOptions<Data>,
  options: ConstructorOptions = {},
): PgBoss {
  const boss = new PgBoss({
    db: database.queue,
    backend: database.kind === 'embedded' ? 'pglite' : 'postgres',
    schema,
    createSchema: false,
    clock: clock.queue,
    clockMonitorIntervalSeconds: 60,
    monitorIntervalSeconds: 5,
    supervise: false,
    cronWorkerIntervalSeconds: CRON_SECONDS,
    // Nothing listens to its warnings, and there are no flows.
    monitorVacuum: false,
    flowIntervalSeconds: HOUR_SECONDS,
    ...options,
  });
  boss.on('error', (error) => {
    // The database logs it once.
    if ('code' in error && error.code === 'STORE_UNAVAILABLE') return;
    logger.error({ err: error }, 'the job queue reported an error');
  });
  return boss;
}

/** Wakes workers with one query for all queues. Returns the time until the next job is due. */
async function wakeDueWorkers<Data>(
  { database, schema, logger }: JobsContext<Data>,
  workers: ReadonlyMap<string, Worker>,
): Promise<number | undefined> {
  try {
    const waits = await listWaits(database, schema, [...workers.keys()]);
    for (const [name, waitMs] of waits) if (waitMs <= 0) workers.get(name)?.wake();
    return waits.size === 0 ? undefined : Math.min(...waits.values());
  } catch (error) {
    if (!(error instanceof DatabaseAwayError))
      logger.error({ err: error }, 'the job queue could not be read');
    return undefined;
  }
}

function prepareQueues<Data extends Payloads<Data>>(context: JobsContext<Data>): Promise<void> {
  const { boss, database, schema, queues, names } = context;
  return prepareInTurn(database, schema, async () => {
    await ensureSchema(database, schema);
    await boss.start();
    await tuneQueues(database, schema);
    await pullBack(database, schema);
    const existing = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
    if (!existing.has(DEAD_LETTERS)) await boss.createQueue(DEAD_LETTERS);
    for (const name of names) {
      const queue = existing.get(name);
      const policy = queues[name].policy ?? 'standard';
      if (queue && queue.policy !== policy) await changePolicy(database, schema, { name, policy });
      await prepareQueue(boss, name, queues[name], queue);
    }
  });
}

async function prepareQueue(
  boss: PgBoss,
  name: string,
  spec: QueueSpec,
  existing: QueueResult | undefined,
): Promise<void> {
  const { policy = 'standard' } = spec;
  const options = {
    ...spec.retry,
    retryBackoff: true,
    expireInSeconds: spec.expireSeconds,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    deleteAfterSeconds: ENDED_SECONDS,
    deadLetter: DEAD_LETTERS,
  };
  if (existing === undefined || !isDeepStrictEqual({ ...existing, ...options, policy }, existing)) {
    if (existing) await boss.updateQueue(name, options);
    else await boss.createQueue(name, { ...options, policy });
    // pg-boss reads a queue at its first use, over a connection of its own. In a transaction of the embedded database, which has
    // one connection, that would deadlock; so the first use is here.
    await boss.insert(name, []);
  }
  for (const { at, data, key } of [spec.cron ?? []].flat())
    await boss.schedule(name, at, data, key === undefined ? {} : { key, singletonKey: key });
}

/** Longest time until trouble with a queue is noticed. */
const LOOK_SECONDS = 10;
/** Looks without a running job only remove jobs that ended a day ago. */
const LOOKS_AN_HOUR = 3600 / LOOK_SECONDS;

interface TendedQueue {
  readonly boss: Pick<PgBoss, 'supervise'>;
  readonly database: Queryable;
  readonly schema: string;
  readonly logger: Logger;
}

/** Handles a clock set back and dead workers. An idle queue costs one statement each time. Runs in real time; returns its end. */
function tendQueue(queue: TendedQueue): () => void {
  return repeatEvery(LOOK_SECONDS * 1000, createTending(queue));
}

export function createTending({ boss, database, schema, logger }: TendedQueue): () => Promise<void> {
  let looks = 0;
  let wasAway = false;
  return async () => {
    try {
      const { isAhead, isRunning } = await lookForTrouble(database, schema);
      if (isAhead && (await pullBack(database, schema)))
        logger.warn(
          { schema },
          'the clock was set back: what waits for the time that comes again is done now',
        );
      // No heartbeat arrived during an outage: live workers have until the next look.
      const mayTake = isRunning && !wasAway;
      wasAway = false;
      if (mayTake || looks % LOOKS_AN_HOUR === 0) await boss.supervise();
      looks += 1;
    } catch (error) {
      wasAway = error instanceof DatabaseAwayError;
      if (!wasAway) logger.error({ err: error, schema }, 'the job queue could not be read');
    }
  };
}

/** Decides when to look for due jobs: often during work, otherwise when the next one is due. */
export interface DueWatch {
  /** Called when a job was added or has ended: more may follow. */
  attend(): void;
  stop(): void;
}

/** Longest time until a due job is noticed during work. */
const LOOK_MS = 500;
/** Short first wait after a rest. */
const FIRST_LOOK_MS = 20;

/**
 * `look` resolves to the time until the next known job is due, zero or less for now. Without one the pauses double, up to `restMs`: jobs of a
 * transaction appear at its end, and other processes and schedules add jobs, too.
 */
export function watchDue(look: () => Promise<number | undefined>, restMs: number): DueWatch {
  let pauseMs = LOOK_MS;
  let isResting = false;
  let isStopped = false;
  /** Bound to the start's context: a caller may be in a transaction or trace. */
  const turn = AsyncResource.bind(lookAgain);
  let timer = setTimeout(turn, LOOK_MS);

  async function lookAgain(): Promise<void> {
    isResting = false;
    const waitMs = (await look()) ?? restMs;
    if (isStopped) return;
    if (waitMs <= 0) pauseMs = LOOK_MS;
    const nextMs = waitMs <= 0 ? pauseMs : Math.min(waitMs, pauseMs);
    isResting = nextMs > LOOK_MS;
    timer = setTimeout(turn, nextMs);
    pauseMs = Math.min(2 * pauseMs, restMs);
  }

  return {
    attend: () => {
      pauseMs = LOOK_MS;
      if (!isResting) return;
      isResting = false;
      clearTimeout(timer);
      timer = setTimeout(turn, FIRST_LOOK_MS);
    },
    stop: () => {
      isStopped = true;
      isResting = false;
      clearTimeout(timer);
    },
  };
}

/** The job queue: pg-boss on our database, on our clock, with one table of queues. */

import { AsyncResource } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { DateTime } from 'luxon';
import { type ConstructorOptions, PgBoss, type QueueResult } from 'pg-boss';
import { DatabaseAwayError } from '../base/errors.ts';
import { createFailureLog } from '../base/failure-log.ts';
import type { Logger } from '../base/logger.ts';
import type { Queryable } from '../database/database.ts';
import type { Session } from '../database/kept-sessions.ts';
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
import { type HandlerTable, type JobsOptions, keysOf, type Payloads, type QueueSpec } from './queue-table.ts';
import { repeatEvery } from './repeat-every.ts';
import { runJob } from './run-job.ts';
import { startWorker, type Worker } from './worker.ts';

export interface Jobs<Data> {
  readonly enqueue: Enqueue<Data>;
  /** Creates the queues alone. */
  prepare(): Promise<void>;
  /**
   * Creates queues and, unless the clock is simulated (which fires no timers), starts the workers. Jobs of the queues that are
   * left wait for another process.
   */
  start(handlers: HandlerTable<Data>, left?: readonly (keyof Data)[]): Promise<void>;
  /** Runs everything that is due now, and what that makes due now, until nothing is. Returns the number run. */
  drain(): Promise<number>;
  /** When the earliest waiting job falls due. */
  nextDueAt(): Promise<DateTime<true> | undefined>;
  stop(): Promise<void>;
}

const DEAD_LETTERS = 'dead-letters';

/** For so long a job may go unnoticed that nobody in this process has enqueued: on the embedded database the queue's own schedule alone. */
const REST_MS = { embedded: 10_000, postgres: 2_000 } as const;

/** A worker that gives no sign of life for this long is dead; its jobs go to another. */
const HEARTBEAT_SECONDS = 15;
/** How late a job may come that time alone asks for. */
const CRON_SECONDS = 15;
const HOUR_SECONDS = 60 * 60;
/** Jobs of a second or two end by themselves; a call that hangs takes longer than a supervisor waits. */
const STOP_PATIENCE_MS = 4_000;
/** What an ended job did is in the tables; its row in the queue is of no more use. */
const ENDED_SECONDS = 24 * HOUR_SECONDS;

export function createJobs<Data extends Payloads<Data>>(options: JobsOptions<Data>): Jobs<Data> {
  const { database, clock, logger, schema, queues, measures = createMeasures(), areTold = false } = options;
  const boss = openQueue(options);
  const names = keysOf(queues);
  const logLasting = createFailureLog(logger);
  const context: JobsContext<Data> = { ...options, measures, areTold, boss, names, logLasting };
  const drain = createDrain(context);
  let handlers: HandlerTable<Data> | undefined;
  const workers = new Map<string, Worker>();
  const ends: (() => void)[] = [];
  let dueWatch: DueWatch | undefined;
  let listening: Session | undefined;
  const isTold = (name: string) => areTold && !clock.isSimulated && !workers.has(name);
  const enqueue = createEnqueue({ ...context, isTold });

  function work<Name extends keyof Data & string>(name: Name, table: HandlerTable<Data>): Worker {
    const options = { boss, name, clock, logger, heartbeatSeconds: HEARTBEAT_SECONDS, ...queues[name] };
    return startWorker<Data[Name]>(options, (job) =>
      runJob(table[name], job, context).finally(() => dueWatch?.attend()),
    );
  }

  function lookAt(name = ''): void {
    workers.get(name)?.wake();
    dueWatch?.attend();
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
      if (areTold) listening = database.listen?.(schema, lookAt);
    },

    drain: () => drain(handlers),
    nextDueAt: () => findNextDueAt(database, schema, names),

    stop: async () => {
      for (const end of ends) end();
      const stops = [...workers.values()].map((worker) => worker.stop(STOP_PATIENCE_MS));
      await Promise.all([listening?.end(), ...stops]);
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

/** One query for all queues, however many are idle. Returns how long it takes until the next job is due. */
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
    // pg-boss remembers a queue when it starts or at the first use, over a connection of its own. Inside a transaction of
    // the embedded database, which has one connection, that would wait for itself; so the first use is here.
    await boss.insert(name, []);
  }
  for (const { at, data, key } of [spec.cron ?? []].flat())
    await boss.schedule(name, at, data, key === undefined ? {} : { key, singletonKey: key });
}

/** How late trouble with a queue may be noticed. */
const LOOK_SECONDS = 10;
/** Without a running job there is nothing to supervise but jobs that ended a day ago. */
const LOOKS_AN_HOUR = 3600 / LOOK_SECONDS;

interface TendedQueue {
  readonly boss: Pick<PgBoss, 'supervise'>;
  readonly database: Queryable;
  readonly schema: string;
  readonly logger: Logger;
}

/**
 * Notices what went wrong with a queue: its clock was set back, or a worker is dead. An idle queue costs one statement each
 * time. In real time. Returns what ends it.
 */
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
      // No heartbeat reached a database that was away: workers that live have the time until the next look.
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

/** Decides when to look for due jobs: often while there is work, and otherwise when the next one falls due. */
export interface DueWatch {
  /** Something was enqueued, or has ended: more may follow. */
  attend(): void;
  stop(): void;
}

/** How late a due job may be noticed while there is work. */
const LOOK_MS = 500;
/** After a rest there is nothing to gather. */
const FIRST_LOOK_MS = 20;

/**
 * `look` resolves to how long it takes until the next job is due that is known of; zero or less where one is due now. Where none is, the
 * pauses double, up to `restMs`: what is enqueued in a transaction can be seen after its end, and other processes and the queue's own
 * schedules enqueue, too.
 */
export function watchDue(look: () => Promise<number | undefined>, restMs: number): DueWatch {
  let pauseMs = LOOK_MS;
  let isResting = false;
  let isStopped = false;
  /** In the context of the start: whoever enqueues may be in the middle of a transaction, or of a trace. */
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

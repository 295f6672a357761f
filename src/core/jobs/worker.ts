/** Takes due jobs of a queue when woken, in real time. Each job is settled when it ends, so that hanging jobs delay no others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseAwayError } from '../base/errors.ts';
import { createGroupCommit } from '../base/group-commit.ts';
import { retryWhileDatabaseDown } from '../database/retry-while-database-down.ts';
import { createRunner, type EndedJob, type Execution, type RunnerOptions, settleJobs } from './job-runner.ts';
import { repeatEvery } from './repeat-every.ts';

export interface WorkerOptions extends RunnerOptions {
  readonly heartbeatSeconds: number;
}

export interface Worker {
  /** Signals that something may be due. */
  wake(): void;
  /** Takes nothing more and waits at most `patienceMs`; remaining jobs go to another worker. */
  stop(patienceMs: number): Promise<void>;
}

export function startWorker<Data>(options: WorkerOptions, run: Execution<Data>['run']): Worker {
  const { boss, name, logger, batchSize } = options;
  const now = () => options.clock.now().toMillis();
  const wake = createWakeUp();
  let isStopping = false;
  const settle = createGroupCommit<EndedJob<Data>>((ended) =>
    retryWhileDatabaseDown(() => settleJobs(boss, name, ended)),
  );
  const runner = createRunner<Data>(options, { run, settle, onRoom: wake.now });
  const { take, held } = runner;

  async function loop(): Promise<void> {
    while (!isStopping) {
      const woken = wake.next();
      const taken = await take().catch((error: unknown) => {
        if (!(error instanceof DatabaseAwayError))
          logger.error({ err: error, queue: name }, 'the job queue could not be read');
        return 0;
      });
      if (taken < batchSize) await woken;
    }
  }

  const endHeartbeat = repeatEvery(options.heartbeatSeconds * 500, async () => {
    if (held().length === 0) return;
    await retryWhileDatabaseDown(() => boss.touch(name, held())).catch((error: unknown) =>
      logger.warn({ err: error, queue: name }, 'a heartbeat was missed'),
    );
  });
  const looping = loop();

  return {
    wake: wake.now,
    stop: async (patienceMs) => {
      isStopping = true;
      wake.now();
      await looping;
      const deadline = now() + patienceMs;
      while (held().length > 0 && now() < deadline) await sleep(20);
      endHeartbeat();
      if (held().length > 0)
        await boss.fail(name, held(), { message: 'the process stopped' }).catch((error) => {
          // Missing heartbeats report it then.
          if (!(error instanceof DatabaseAwayError)) throw error;
        });
    },
  };
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

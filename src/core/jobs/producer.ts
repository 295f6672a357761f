/** Adds jobs from a process that runs none; those that do look every two seconds. */
import { DatabaseAwayError } from '../base/errors.ts';
import type { Enqueue } from './enqueue.ts';
import { createEnqueue } from './job-insert.ts';
import { openQueue } from './jobs.ts';
import { type JobsOptions, keysOf, type Payloads } from './queue-table.ts';

export interface Producer<Data> {
  readonly enqueue: Enqueue<Data>;
  close(): Promise<void>;
}

/**
 * Looks for the queues at the first job. Adds nothing if they do not exist in this version yet, or on the embedded database, whose next
 * start finds all work.
 */
export function createProducer<Data extends Payloads<Data>>(options: JobsOptions<Data>): Producer<Data> {
  let opening: ReturnType<typeof open<Data>> | undefined;
  return {
    enqueue: async (name, jobs, tx) => {
      if (options.database.kind === 'embedded') return;
      opening ??= open(options);
      await (await opening)?.enqueue(name, jobs, tx);
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.boss.stop({ graceful: false });
    },
  };
}

async function open<Data extends Payloads<Data>>(options: JobsOptions<Data>) {
  const boss = openQueue(options, { migrate: false, schedule: false });
  try {
    await boss.start();
  } catch (error) {
    if (error instanceof DatabaseAwayError) throw error;
    options.logger.warn(
      { err: error },
      'the queues are not those of this version: a process that works finds what was planned',
    );
    return undefined;
  }
  const existing = new Set((await boss.getQueues()).map(({ name }) => name));
  if (!keysOf(options.queues).every((name) => existing.has(name))) {
    await boss.stop({ graceful: false });
    return undefined;
  }
  return { boss, enqueue: createEnqueue({ ...options, boss }) };
}

/** Runs jobs one batch after the other on a simulated clock, which fires no timers. */
import type { PgBoss } from 'pg-boss';
import { listDueQueues, lookForTrouble, pullBack } from '../database/queued-jobs.ts';
import { createRunner, type EndedJob, type JobReports, runJob, settleJobs } from './job-runner.ts';
import type { HandlerTable, JobHandler, JobsOptions, Payloads } from './queue-table.ts';

export interface JobsContext<Data> extends Required<JobsOptions<Data>>, Pick<JobReports, 'logLasting'> {
  readonly boss: PgBoss;
  readonly names: readonly (keyof Data & string)[];
}

export function createDrain<Data extends Payloads<Data>>(context: JobsContext<Data>) {
  const { boss, database, schema, clock } = context;
  let supervisedAtMs: number | undefined;
  return async (handlers: HandlerTable<Data> | undefined): Promise<number> => {
    // Supervision looks for expired jobs, which needs running jobs and passed time.
    const now = clock.now().toMillis();
    if (supervisedAtMs !== undefined && now < supervisedAtMs) await pullBack(database, schema);
    if (now !== supervisedAtMs && (await lookForTrouble(database, schema)).isRunning) await boss.supervise();
    supervisedAtMs = now;
    return drainQueues(context, handlers);
  };
}

/** Runs due jobs, queue by queue, until none is left; returns their number. */
async function drainQueues<Data extends Payloads<Data>>(
  context: JobsContext<Data>,
  handlers: HandlerTable<Data> | undefined,
): Promise<number> {
  const { database, schema, names } = context;
  let total = 0;
  let due = await listDueQueues(database, schema, names);
  for (;;) {
    const before = total;
    for (const name of names)
      while (due.has(name)) {
        const jobs = await takeAndRun(context, name, handlers?.[name]);
        // Due but blocked: another job of its account runs.
        if (jobs === 0) break;
        total += jobs;
        due = await listDueQueues(database, schema, names);
      }
    if (total === before) return total;
  }
}

async function takeAndRun<Data extends Payloads<Data>, Name extends keyof Data & string>(
  context: JobsContext<Data>,
  name: Name,
  handler: JobHandler<Data[Name]> | undefined,
): Promise<number> {
  const { boss, queues, clock, logger } = context;
  if (!handler) throw new Error(`Queue ${name} has no handler: start() was not called.`);
  const ended: EndedJob<Data[Name]>[] = [];
  const runner = createRunner<Data[Name]>(
    { boss, name, clock, logger, ...queues[name] },
    {
      run: (job) => runJob(handler, job, context),
      settle: async (one) => void ended.push(one),
    },
  );
  const count = await runner.take();
  await runner.finish();
  await settleJobs(boss, name, ended);
  return count;
}

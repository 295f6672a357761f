/** A process without workers adds jobs to PostgreSQL; those with workers find them. */

import { systemClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { createJobs, type Jobs } from '../../../src/core/jobs/jobs.ts';
import { createProducer, type Producer } from '../../../src/core/jobs/producer.ts';
import type { QueueTable } from '../../../src/core/jobs/queue-table.ts';
import { MAIN, onPostgres, openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { eventually } from '../../support/eventually.ts';

interface Payloads {
  work: { name: string };
  other: { name: string };
}

const queue = { concurrency: 2, batchSize: 5, expireSeconds: 300, retry: { retryLimit: 1 } };
const QUEUES: QueueTable<Payloads> = { work: queue, other: queue };
const common = { clock: systemClock, logger: silentLogger, schema: 'producer_test', queues: QUEUES };
const job = (name: string) => [{ data: { name } }];

onPostgres('jobs on postgres from a process that runs none', (engine) => {
  let test: TestDatabase;
  let jobs: Jobs<Payloads>;
  let producer: Producer<Payloads>;
  let done: string[];
  beforeAll(async () => {
    test = await openTestDatabase(engine);
    const handler = { handle: async ({ name }: { name: string }) => void done.push(name) };
    jobs = createJobs<Payloads>({ ...common, database: test.database });
    await jobs.start({ work: handler, other: handler });
    producer = createProducer<Payloads>({ ...common, database: test.database });
  });
  beforeEach(() => {
    done = [];
  });
  afterAll(async () => {
    await producer.close();
    await jobs.stop();
    await test.close();
  });

  it('jobs are taken when they have been added', async () => {
    await producer.enqueue('work', job('one'));
    await eventually(() => expect(done).toEqual(['one']));
  });

  it('jobs added in a transaction are taken after its commit', async () => {
    await test.database.transaction(async (tx) => {
      await producer.enqueue('work', job('two'), tx);
      await producer.enqueue('work', job('before'));
      await eventually(() => expect(done).toEqual(['before']));
    });
    await eventually(() => expect(done).toEqual(['before', 'two']));
  });
});

it('jobs are not added where no process has made the queues: the first start finds the work', async () => {
  const { database, close } = await openTestDatabase(MAIN);
  const producer = createProducer<Payloads>({ ...common, database, schema: 'never_started' });
  await producer.enqueue('work', job('nobody'));
  expect(await database.query(`select 1 from pg_namespace where nspname = 'never_started'`)).toEqual([]);
  await producer.close();
  await close();
});

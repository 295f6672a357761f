/** A process without workers adds jobs to PostgreSQL: those with workers are told, and need not look by themselves. */

import { systemClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import type { Database } from '../../../src/core/database/database.ts';
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
    jobs = createJobs<Payloads>({ ...common, database: blind(test.database), notifyWorkers: true });
    await jobs.start({ work: handler, other: handler }, ['other']);
    producer = createProducer<Payloads>({ ...common, database: test.database });
    await listening();
    await heard();
  });
  beforeEach(() => {
    done = [];
  });
  afterAll(async () => {
    await producer.close();
    await jobs.stop();
    await test.close();
  });

  /** Finds no due job by looking. */
  const blind = (database: Database): Database => ({
    ...database,
    query: async (text, params) => (text.includes('as queue(name)') ? [] : database.query(text, params)),
  });
  const listening = () =>
    eventually(async () => {
      const [row] = await test.database.query<{ count: number }>(
        `select count(*) as count from pg_stat_activity where datname = current_database()
           and application_name = 'payment-retry-listener' and state = 'idle' and query like 'listen %'`,
      );
      expect(row?.count).toBe(1);
    });
  /** What is said at once to a session that has just begun may be missed. */
  async function heard(): Promise<void> {
    done = [];
    let sent = 0;
    await eventually(async () => {
      sent += 1;
      await producer.enqueue('work', job('begun'));
      expect(done).not.toEqual([]);
    });
    await eventually(() => expect(done).toHaveLength(sent));
  }

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

  it('jobs of a queue that a worker leaves to others are announced by it, too', async () => {
    const heard: (string | undefined)[] = [];
    const session = test.database.listen?.('producer_test', (name) => heard.push(name));
    await eventually(() => expect(heard).toEqual([undefined]));
    // What is said at once to a session that has just begun may be missed: from here on nothing is.
    await eventually(async () => {
      await test.database.query(`select pg_notify('producer_test', 'begun')`);
      expect(heard).toContain('begun');
    });
    const isHeard = (name: string | undefined) => name !== undefined && name !== 'begun';
    await jobs.enqueue('other', job('left'));
    await jobs.enqueue('work', job('own'));
    await producer.enqueue('work', job('told'));
    await eventually(() => expect(heard.filter(isHeard)).toEqual(['other', 'work']));
    await eventually(() => expect(done).toEqual(expect.arrayContaining(['told'])));
    await session?.end();
  });

  it('jobs are announced to a process that lost its session, too, once it has another', async () => {
    const ended = await test.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'payment-retry-listener'`,
    );
    // One that another test closed may be listed for a moment.
    expect(ended).not.toHaveLength(0);
    await eventually(async () => {
      await producer.enqueue('work', job('again'));
      expect(done).toContain('again');
    });
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

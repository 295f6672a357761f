/** The queue in real time: workers that wake, supervise and stop by themselves. */

import { mock } from 'node:test';
import { systemClock } from '../../../src/core/base/clock.ts';
import { DatabaseAwayError } from '../../../src/core/base/errors.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import type { Database } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { createJobs, type Jobs } from '../../../src/core/jobs/jobs.ts';
import type { QueueTable } from '../../../src/core/jobs/queue-table.ts';
import type { PluginQueues } from '../../../src/plugin/jobs/queues.ts';
import { QUEUES as ALL_QUEUES } from '../../../src/plugin/jobs/queues.ts';
import {
  ENGINES,
  MAIN,
  onPostgres,
  openTestDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { takesJobsOf } from '../../support/database/queue-statements.ts';
import { eventually } from '../../support/eventually.ts';
import { inFull } from '../../support/runner/full-run.ts';

interface Payloads {
  work: { name: string; account?: string };
}

const QUEUES: QueueTable<Payloads> = {
  work: {
    concurrency: 2,
    batchSize: 5,
    expireSeconds: 300,
    retry: { retryLimit: 1, retryDelay: 1, retryDelayMax: 1 },
  },
};

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

function openJobs(database: Database): Jobs<Payloads> {
  return createJobs<Payloads>({
    database,
    clock: systemClock,
    logger: silentLogger,
    schema: 'workers_test',
    queues: QUEUES,
  });
}

// The first, with a database of its own: what others leave to end by itself, idle connections and counted lines, has timers.
it.each(ENGINES)('workers on $engine leave no timer behind when stopped', async (engine) => {
  const before = timers();
  const { database, close } = await openTestDatabase(engine);
  const jobs = openJobs(database);
  const handled: string[] = [];
  await jobs.start({ work: { handle: async ({ name }) => void handled.push(name) } });
  const meanwhile = timers();
  await jobs.enqueue('work', [{ data: { name: 'last' } }]);
  await eventually(() => expect(handled).toEqual(['last']));
  await jobs.stop();
  await close();
  expect(timers()).toBeLessThan(meanwhile);
  // A timer of a suite before this one may end meanwhile.
  expect(timers()).toBeLessThanOrEqual(before);
});

describe.each(ENGINES)('workers on $engine', (engine) => {
  let test: TestDatabase;
  let jobs: Jobs<Payloads>;
  let seen: { name: string; afterMs: number }[];
  let enqueuedAt: number;
  let hanging: Promise<void>;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    seen = [];
    await start();
  });
  afterEach(() => jobs.stop());

  async function start(): Promise<void> {
    jobs = openJobs(test.database);
    await jobs.start({
      work: {
        handle: async ({ name }) => {
          seen.push({ name, afterMs: Date.now() - enqueuedAt });
          if (name === 'unlucky') throw new Error('no luck');
          if (name === 'hangs') await hanging;
          if (name === 'cut off' && seen.length === 1) throw new DatabaseAwayError(new Error('gone'));
        },
        onDead: async ({ name }) => {
          seen.push({ name: `${name} is dead`, afterMs: 0 });
        },
      },
    });
  }
  async function enqueue(name: string): Promise<void> {
    enqueuedAt = Date.now();
    await jobs.enqueue('work', [{ data: { name } }]);
  }
  const names = () => seen.map(({ name }) => name);
  const quickestMs = () => Math.min(...seen.map(({ afterMs }) => afterMs));

  it('workers pick a job up within a second', async () => {
    // Each comes when the one before has just been taken and so waits for a whole pause. A busy machine is late for some.
    do {
      const count = seen.length;
      await enqueue('hello');
      await eventually(() => expect(seen).toHaveLength(count + 1));
    } while (quickestMs() >= 1_000 && seen.length < 20);
    expect(quickestMs()).toBeLessThan(1_000);
    const states = () =>
      test.database.query(
        `select distinct state from workers_test.job where name = 'work' and data->>'name' = 'hello'`,
      );
    await eventually(async () => expect(await states()).toEqual([{ state: 'completed' }]));
  });

  it('workers try a failed job again and report when it is dead', async () => {
    await enqueue('unlucky');
    await eventually(() => expect(names()).toEqual(['unlucky', 'unlucky', 'unlucky is dead']));
  });

  it('workers begin a job anew that the database went away from, which is no failure of the job', async () => {
    await enqueue('cut off');
    const job = () =>
      test.database.query(
        `select state, retry_count as retries from workers_test.job where data->>'name' = 'cut off'`,
      );
    await eventually(async () => expect(await job()).toEqual([{ state: 'completed', retries: 0 }]));
    expect(names()).toEqual(['cut off', 'cut off']);
  });

  it("workers run and settle one account's jobs while all of another's hang", async () => {
    let release = () => {};
    hanging = new Promise((resolve) => {
      release = resolve;
    });
    const hangs = Array.from({ length: 20 }, () => ({ data: { name: 'hangs', account: 'acct_a' } }));
    await jobs.enqueue('work', hangs);
    await eventually(() => expect(names()).toEqual(['hangs', 'hangs']));
    const fine = Array.from({ length: 7 }, () => ({ data: { name: 'fine', account: 'acct_b' } }));
    await jobs.enqueue('work', fine);
    const settled = () =>
      test.database.query(
        `select 1 from workers_test.job where state = 'completed' and data->>'account' = 'acct_b'`,
      );
    await eventually(async () => expect(await settled()).toHaveLength(7));
    expect(names().filter((name) => name === 'hangs')).toHaveLength(2);
    const [left] = await test.database.query(
      `select count(*) as count from workers_test.job where state = 'created' and data->>'account' = 'acct_a'`,
    );
    // One batch was taken before its lanes were full, and nothing of it since.
    expect(left).toEqual({ count: 15 });
    release();
    await eventually(() => expect(names().filter((name) => name === 'hangs')).toHaveLength(20));
  });

  const onMain = engine === MAIN ? it : inFull;
  onMain('workers take over the job of a worker that gives no sign of life', async () => {
    await jobs.stop();
    mock.timers.enable({ apis: ['setInterval'] });
    await start();
    await jobs.enqueue('work', [{ data: { name: 'lost' }, startAfter: systemClock.now().plus({ days: 1 }) }]);
    await test.database.query(
      `update workers_test.job set state = 'active', started_on = now(), heartbeat_on = now() - interval '16 seconds'
       where state = 'created' and data->>'name' = 'lost'`,
    );
    // Each process looks every ten seconds, and one of them all every five.
    await test.database.exec(`update workers_test.queue set monitor_claim_on = now() - interval '6 seconds'`);
    expect(names()).toEqual([]);
    try {
      await eventually(() => {
        mock.timers.tick(10_000);
        expect(names()).toEqual(['lost']);
      });
    } finally {
      mock.timers.reset();
    }
  });
});

/** Each statement is shown before it is run. */
function watched(database: Database, see: (text: string) => void): Database {
  const { query, queue } = database;
  return {
    ...database,
    query: (text, params) => {
      see(text);
      return query(text, params);
    },
    queue: {
      ...queue,
      executeSql: (text, values) => {
        see(text);
        return queue.executeSql(text, values);
      },
    },
  };
}

it('idle workers ask one statement for all queues, and none of their own', async () => {
  const { database, close } = await openTestDatabase(MAIN);
  const [looks, takes]: [string[], string[]] = [[], []];
  const counted = watched(database, (text) => {
    if (text.includes('as queue(name)')) looks.push(text);
    if (takesJobsOf('work', text)) takes.push(text);
  });
  const jobs = openJobs(counted);
  await jobs.start({ work: { handle: async () => {} } });
  await eventually(() => expect(looks.length).toBeGreaterThan(3));
  expect(takes).toHaveLength(1);
  await jobs.enqueue('work', [{ data: { name: 'due' } }]);
  await eventually(() => expect(takes).toHaveLength(2));
  await jobs.stop();
  await close();
});

it('a queue in which no job runs costs one statement in ten seconds, and is supervised at its start alone', async () => {
  const { database, close } = await openTestDatabase(MAIN);
  let [looks, supervisions] = [0, 0];
  const counted = watched(database, (text) => {
    if (text.includes('as is_running')) looks += 1;
    if (text.includes('SET monitor_claim_on')) supervisions += 1;
  });
  mock.timers.enable({ apis: ['setInterval'] });
  const jobs = openJobs(counted);
  const passUntil = (count: number) =>
    eventually(() => {
      mock.timers.tick(10_000);
      expect(looks).toBe(count);
    });
  try {
    await jobs.start({ work: { handle: async () => {} } });
    await passUntil(5);
    expect(supervisions).toBe(1);
    await jobs.enqueue('work', [{ data: { name: 'lost' }, startAfter: systemClock.now().plus({ days: 1 }) }]);
    await database.query(
      `update workers_test.job set state = 'active', started_on = now() where state = 'created'`,
    );
    await passUntil(8);
    expect(supervisions).toBeGreaterThan(2);
  } finally {
    mock.timers.reset();
    await jobs.stop();
    await close();
  }
});

onPostgres('the queue of several processes on postgres', ({ create }) => {
  it('the queue of several processes comes up in each, though all start at once on an empty database', async () => {
    const place = await create();
    const databases = await Promise.all(Array.from({ length: 4 }, () => openDatabase(place.location)));
    const handled: string[] = [];
    const all = databases.map((database) => openJobs(database));
    try {
      const work = { handle: async ({ name }: Payloads['work']) => void handled.push(name) };
      await Promise.all(all.map((jobs) => jobs.start({ work })));
      await all[0]?.enqueue('work', [{ data: { name: 'one' } }, { data: { name: 'two' } }]);
      await eventually(() => expect([...handled].sort()).toEqual(['one', 'two']));
    } finally {
      await Promise.all(all.map((jobs) => jobs.stop()));
      await Promise.all(databases.map((database) => database.close()));
      await place.remove();
    }
  });

  it("the queue of several processes wakes another for an account's events while one hangs, or died, over them", async () => {
    const place = await create();
    const databases = await Promise.all([openDatabase(place.location), openDatabase(place.location)]);
    const taken: number[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const both = databases.map((database) => openInboxJobs(database));
    const wake = () => both[0]?.enqueue('take-events', [{ data: { account: 'acct_1' }, key: 'acct_1' }]);
    try {
      for (const [number, jobs] of both.entries())
        await jobs.start({
          'take-events': {
            handle: () => {
              taken.push(number);
              return held;
            },
          },
        });
      await wake();
      await eventually(() => expect(taken).toHaveLength(1));
      await wake();
      await eventually(() => expect([...taken].sort()).toEqual([0, 1]));
    } finally {
      release();
      await Promise.all(both.map((jobs) => jobs.stop()));
      await Promise.all(databases.map((database) => database.close()));
      await place.remove();
    }
  });
});

function openInboxJobs(database: Database): Jobs<Pick<PluginQueues, 'take-events'>> {
  return createJobs<Pick<PluginQueues, 'take-events'>>({
    database,
    clock: systemClock,
    logger: silentLogger,
    schema: 'workers_test',
    queues: { 'take-events': ALL_QUEUES['take-events'] },
  });
}

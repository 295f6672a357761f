import { randomUUID } from 'node:crypto';
import { DateTime, type DurationLike } from 'luxon';
import { createSimulatedClock, type SimulatedClock } from '../../../src/core/base/clock.ts';
import { type Logger, silentLogger } from '../../../src/core/base/logger.ts';
import type { Transaction } from '../../../src/core/database/database.ts';
import { lookForTrouble, pullBack } from '../../../src/core/database/queued-jobs.ts';
import { createJobs, type Jobs } from '../../../src/core/jobs/jobs.ts';
import type { HandlerTable, QueueTable } from '../../../src/core/jobs/queue-table.ts';
import { EVERY_ENGINE, openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { takesJobsOf } from '../../support/database/queue-statements.ts';
import { eventually } from '../../support/eventually.ts';
import { captureLog } from '../../support/log-lines.ts';

const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

interface Payloads {
  plain: { name: string };
  keyed: { name: string };
  serial: { name: string; account: string };
}

const shared = { concurrency: 2, batchSize: 5, expireSeconds: 300 };
const QUEUES: QueueTable<Payloads> = {
  plain: { ...shared, retry: { retryLimit: 2, retryDelay: 10, retryDelayMax: 60 } },
  keyed: { ...shared, policy: 'short', retry: { retryLimit: 5, retryDelay: 10, retryDelayMax: 60 } },
  serial: { ...shared, policy: 'short', isSerial: true, retry: { retryLimit: 5, retryDelay: 10 } },
};

describe.each(EVERY_ENGINE)('jobs on $engine, on a simulated clock', (engine) => {
  let test: TestDatabase;
  let clock: SimulatedClock;
  let jobs: Jobs<Payloads>;
  let ran: string[];
  let dead: { name: string; error: unknown }[];
  let handle: (name: string) => Promise<void>;

  const handler = {
    handle: async ({ name }: { name: string }) => {
      ran.push(name);
      await handle(name);
    },
    onDead: async ({ name }: { name: string }, error: unknown) => {
      dead.push({ name, error });
    },
  };
  const handlers: HandlerTable<Payloads> = { plain: handler, keyed: handler, serial: handler };

  function openJobs(logger: Logger = silentLogger): Jobs<Payloads> {
    return createJobs<Payloads>({
      database: test.database,
      clock,
      logger,
      schema: 'jobs_test',
      queues: QUEUES,
    });
  }
  const enqueue = (name: string, options: { startAfter?: DateTime; id?: string } = {}, tx?: Transaction) =>
    jobs.enqueue('plain', [{ ...options, data: { name } }], tx);
  const enqueueKeyed = (name: string, key: string) => jobs.enqueue('keyed', [{ data: { name }, key }]);
  const enqueueFor = (account: string, name: string) =>
    jobs.enqueue('serial', [{ data: { account, name }, key: account }]);
  const advance = (duration: DurationLike) => clock.set(clock.now().plus(duration));
  const fails = async () => {
    throw new Error('no luck');
  };

  beforeAll(async () => {
    test = await openTestDatabase(engine);
    clock = createSimulatedClock(START);
    jobs = openJobs();
    await jobs.start(handlers);
  });
  beforeEach(async () => {
    await test.database.exec('delete from jobs_test.job');
    ran = [];
    dead = [];
    handle = async () => {};
  });
  afterAll(async () => {
    await jobs.stop();
    await test.close();
  });

  it('jobs run once, when they are due and not before', async () => {
    await enqueue('now');
    await enqueue('later', { startAfter: clock.now().plus({ days: 30 }) });
    expect(await jobs.drain()).toBe(1);
    await advance({ days: 29, hours: 23, minutes: 59 });
    expect(await jobs.drain()).toBe(0);
    await advance({ minutes: 1 });
    expect(await jobs.drain()).toBe(1);
    expect(await jobs.drain()).toBe(0);
    expect(ran).toEqual(['now', 'later']);
  });

  it('jobs report when the next one falls due, also after a failure', async () => {
    expect(await jobs.nextDueAt()).toBeUndefined();
    const due = clock.now().plus({ hours: 5 });
    await enqueue('later', { startAfter: due });
    await enqueue('latest', { startAfter: due.plus({ days: 1 }) });
    expect(await jobs.nextDueAt()).toEqual(due);
    await clock.set(due);
    handle = fails;
    await jobs.drain();
    const retryAt = await jobs.nextDueAt();
    expect(retryAt?.toMillis()).toBeGreaterThan(due.toMillis());
    await clock.set(retryAt ?? DateTime.fromMillis(0));
    expect(await jobs.drain()).toBe(1);
  });

  it('jobs that a job makes due are run in the same drain', async () => {
    handle = async (name) => {
      if (name === 'first') await enqueue('second');
    };
    await enqueue('first');
    expect(await jobs.drain()).toBe(2);
  });

  it('jobs are asked for in one statement, however many queues there are, when none is due', async () => {
    await enqueue('later', { startAfter: clock.now().plus({ hours: 1 }) });
    await jobs.drain();
    const statements: string[] = [];
    const { query, queue } = test.database;
    const counted = createJobs<Payloads>({
      database: {
        ...test.database,
        query: (text, params) => {
          statements.push(text);
          return query(text, params);
        },
        queue: {
          ...queue,
          executeSql: (text, values) => {
            // pg-boss's own timers run beside it.
            if (Object.keys(QUEUES).some((name) => takesJobsOf(name, text))) statements.push(text);
            return queue.executeSql(text, values);
          },
        },
      },
      clock,
      logger: silentLogger,
      schema: 'jobs_test',
      queues: QUEUES,
    });
    await counted.start(handlers);
    try {
      await counted.drain();
      statements.length = 0;
      expect(await counted.drain()).toBe(0);
      expect(statements).toEqual([expect.stringContaining('unnest($1::text[]) as queue(name)')]);
    } finally {
      await counted.stop();
    }
  });

  it('jobs run queue by queue: what a job adds to its own queue comes before the queues after it', async () => {
    handle = async (name) => {
      if (name === 'first') await enqueue('second');
      if (name === 'keyed') await enqueue('third');
    };
    await enqueueKeyed('keyed', 'a');
    await enqueue('first');
    expect(await jobs.drain()).toBe(4);
    expect(ran).toEqual(['first', 'second', 'keyed', 'third']);
  });

  it('jobs that are due but wait for another of their account are left for later', async () => {
    await enqueueFor('acct_a', 'running');
    await test.database.exec(
      `update jobs_test.job set state = 'active', started_on = jobs_test.job_now() where name = 'serial'`,
    );
    await enqueueFor('acct_a', 'waiting');
    expect(await jobs.drain()).toBe(0);
    expect(ran).toEqual([]);
    expect(await jobs.nextDueAt()).toEqual(clock.now());
  });

  it('jobs that fail are tried again after a growing wait, and end among the dead letters with onDead', async () => {
    handle = fails;
    await enqueue('unlucky');
    await jobs.drain();
    await jobs.drain();
    expect(ran).toHaveLength(1);
    const first = (await jobs.nextDueAt())?.toMillis() ?? 0;
    expect(first - clock.now().toMillis()).toBeGreaterThanOrEqual(5_000);
    expect(first - clock.now().toMillis()).toBeLessThanOrEqual(20_000);
    await advance({ seconds: 60 });
    await jobs.drain();
    expect([ran.length, dead.length]).toEqual([2, 0]);
    await advance({ seconds: 60 });
    await jobs.drain();
    expect([ran.length, dead.length]).toEqual([3, 1]);
    expect(dead).toEqual([{ name: 'unlucky', error: expect.objectContaining({ message: 'no luck' }) }]);
    await advance({ days: 1 });
    expect(await jobs.drain()).toBe(0);
    const letters = await test.database.query<{ data: { name: string } }>(
      `select data from jobs_test.job where name = 'dead-letters'`,
    );
    expect(letters).toEqual([{ data: { name: 'unlucky' } }]);
  });

  it('jobs that fail in the same way while something is away are one line in the log, and one each at their end', async () => {
    handle = fails;
    const { logger, lines } = captureLog();
    const logging = openJobs(logger);
    await logging.start(handlers);
    const count = 8;
    for (let index = 0; index < count; index += 1) await enqueue(`unlucky ${index}`);
    const messages = () => lines.map((line): unknown => JSON.parse(line).msg);
    for (let time = 0; time < 2; time += 1) {
      await logging.drain();
      await advance({ minutes: 1 });
    }
    expect(ran).toHaveLength(2 * count);
    expect(messages()).toEqual(['a job failed and will be tried again']);
    await logging.drain();
    expect(messages().slice(1)).toEqual(
      Array(count).fill('a job failed for the last time and went to the dead letters'),
    );
    await logging.stop();
  });

  it('jobs of one batch fail one by one: the others are done', async () => {
    handle = async (name) => {
      if (name === 'bad') await fails();
    };
    await jobs.enqueue(
      'plain',
      ['good', 'bad', 'fine'].map((name) => ({ data: { name } })),
    );
    await jobs.drain();
    await advance({ seconds: 60 });
    await jobs.drain();
    expect([...ran].sort()).toEqual(['bad', 'bad', 'fine', 'good']);
  });

  it('jobs with the same id are one, however often they are enqueued, also after the job ran', async () => {
    const id = randomUUID();
    await enqueue('once', { id });
    await enqueue('again', { id });
    await jobs.enqueue('plain', [
      { id, data: { name: 'third' } },
      { id, data: { name: 'fourth' } },
    ]);
    await jobs.drain();
    await enqueue('afterwards', { id });
    await jobs.drain();
    expect(ran).toEqual(['once']);
  });

  it('jobs with the same key wait once in a short queue; another key has its own', async () => {
    await enqueueKeyed('first', 'a');
    await enqueueKeyed('second', 'a');
    await enqueueKeyed('other', 'b');
    await jobs.drain();
    expect([...ran].sort()).toEqual(['first', 'other']);
    await enqueueKeyed('third', 'a');
    await jobs.drain();
    expect(ran).toContain('third');
  });

  it('jobs and schedules of a clock that was ahead do not wait until it has caught up', async () => {
    await jobs.drain();
    await advance({ hours: 3 });
    await enqueue('at once');
    await enqueue('later', { startAfter: clock.now().plus({ minutes: 10 }) });
    await test.database.query('update jobs_test.version set cron_on = jobs_test.job_now()');
    await test.database.query('update jobs_test.queue set monitor_claim_on = jobs_test.job_now()');
    await advance({ hours: -3 });
    expect(await lookForTrouble(test.database, 'jobs_test')).toMatchObject({ isAhead: true });
    expect(await pullBack(test.database, 'jobs_test')).toBe(true);
    expect(await lookForTrouble(test.database, 'jobs_test')).toMatchObject({ isAhead: false });
    await jobs.drain();
    expect(ran).toEqual(['at once']);
    await advance({ minutes: 11 });
    await jobs.drain();
    expect(ran).toEqual(['at once', 'later']);
  });

  it('jobs with a key that is running are taken in once more, so that no wake-up is lost', async () => {
    handle = async (name) => {
      if (name !== 'first') return;
      await enqueueKeyed('second', 'a');
      await enqueueKeyed('third', 'a');
    };
    await enqueueKeyed('first', 'a');
    await jobs.drain();
    expect(ran).toEqual(['first', 'second']);
  });

  it('jobs of a serial queue wait for the one of their account that runs in another process, and hold up no other account', async () => {
    const slow = createGate();
    handle = async (name) => {
      if (name === 'slow') await slow.opened;
    };
    await enqueueFor('acct_a', 'slow');
    const running = jobs.drain();
    await eventually(() => expect(ran).toEqual(['slow']));
    const other = openJobs();
    await other.start(handlers);
    await enqueueFor('acct_a', 'waits');
    await enqueueFor('acct_b', 'passes');
    await other.drain();
    expect(ran).toEqual(['slow', 'passes']);
    slow.open();
    await running;
    await other.drain();
    expect(ran).toEqual(['slow', 'passes', 'waits']);
    await other.stop();
  });

  it('queues that an earlier version made keep their jobs and get the policy of this one', async () => {
    await enqueueKeyed('left', 'a');
    await test.database.exec("update jobs_test.queue set policy = 'stately' where name = 'keyed'");
    await test.database.exec("update jobs_test.job set policy = 'stately' where name = 'keyed'");
    const next = openJobs();
    await next.start(handlers);
    const policies = await test.database.query(
      `select policy from jobs_test.queue where name = 'keyed' union all select policy from jobs_test.job where name = 'keyed'`,
    );
    expect(policies).toEqual([{ policy: 'short' }, { policy: 'short' }]);
    await next.drain();
    expect(ran).toEqual(['left']);
    await next.stop();
  });

  it('jobs with a key that failed do not get in the way of a newer one with the same key', async () => {
    handle = async (name) => {
      if (name === 'first') await fails();
    };
    await enqueueKeyed('first', 'a');
    await jobs.drain();
    await enqueueKeyed('second', 'a');
    for (let turn = 0; turn < 8; turn += 1) {
      await advance({ minutes: 2 });
      await jobs.drain();
    }
    expect(ran).toContain('second');
    expect(await jobs.nextDueAt()).toBeUndefined();
  });

  it('jobs enqueued in a transaction come with its commit and vanish with its rollback', async () => {
    const gone = test.database.transaction(async (tx) => {
      await enqueue('gone', {}, tx);
      await jobs.enqueue('keyed', [{ data: { name: 'gone' }, key: 'k' }], tx);
      throw new Error('rolled back');
    });
    await expect(gone).rejects.toThrow('rolled back');
    expect(await jobs.drain()).toBe(0);
    await test.database.transaction((tx) => enqueue('kept', {}, tx));
    expect(await jobs.drain()).toBe(1);
    expect(ran).toEqual(['kept']);
  });

  // On the embedded database nothing happens beside a transaction.
  if (engine.engine === 'postgres')
    it('jobs asked for in a transaction run after its commit, though one with their key waited and was due before', async () => {
      await enqueueKeyed('waits', 'k');
      await test.database.transaction(async (tx) => {
        await jobs.enqueue('keyed', [{ data: { name: 'asked for' }, key: 'k' }], tx);
        await jobs.drain();
        ran = [];
      });
      await jobs.drain();
      expect(ran).toHaveLength(1);
    });

  it('jobs asked for in a transaction run after its commit, though one with their key was taken meanwhile', async () => {
    handle = async (name) => {
      if (name !== 'waits') return;
      await test.database.transaction((tx) =>
        jobs.enqueue('keyed', [{ data: { name: 'asked for' }, key: 'k' }], tx),
      );
    };
    await enqueueKeyed('waits', 'k');
    await jobs.drain();
    expect(ran).toEqual(['waits', 'asked for']);
  });

  it('jobs of a lost worker go to another one once that worker has given no sign of life, and not before', async () => {
    const lostWork = createGate();
    handle = async () => {
      if (ran.length === 1) await lostWork.opened;
    };
    await enqueue('lost');
    const lost = jobs.drain();
    await eventually(() => expect(ran).toEqual(['lost']));
    const other = openJobs();
    await other.start(handlers);
    await advance({ seconds: 10 });
    expect(await other.drain()).toBe(0);
    await advance({ seconds: 6 });
    await other.drain();
    await advance({ seconds: 60 });
    await other.drain();
    expect(ran).toEqual(['lost', 'lost']);
    lostWork.open();
    await lost;
    await advance({ days: 1 });
    await other.drain();
    expect(ran).toEqual(['lost', 'lost']);
    await other.stop();
  });
});

function createGate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A queue whose due work nobody takes is named wherever somebody looks. */
import { reportStatus } from '../../../src/plugin/app/commands/status-command.ts';
import { createWorld, type World } from '../../support/world.ts';

const METRICS_TOKEN = 'metrics-token-for-tests-0123456789';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { metricsToken: METRICS_TOKEN } });
  await world.settle();
});
afterAll(() => world?.stop());

async function look() {
  const { database } = world.plugin.parts;
  const ready = await (await fetch(`${world.url}/readyz`)).json();
  const metrics = await fetch(`${world.url}/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
  const { code, text } = await reportStatus(database, {}, world.clock.now());
  return { ready, metrics: await metrics.text(), code, text };
}

test('a queue with due work that nobody takes is named by /readyz, the figures and the status, until it moves', async () => {
  await world.plugin.parts.requestCatchUp();
  await world.clock.set(world.clock.now().plus({ minutes: 1 }));
  expect(await look()).toMatchObject({ ready: { status: 'ready' }, code: 0 });
  expect((await look()).ready).not.toHaveProperty('stalled');

  await world.clock.set(world.clock.now().plus({ minutes: 2 }));
  const stalled = await look();
  expect(stalled).toMatchObject({ ready: { status: 'ready', stalled: ['each-account'] }, code: 1 });
  expect(stalled.metrics).toContain('payment_retry_stalled_queue{queue="each-account"} 1');
  expect(stalled.text).toMatch(/Stalled queues .*\n {2}each-account: 1 waiting, due since /);

  await world.settle();
  const moved = await look();
  expect(moved.ready).toEqual({ status: 'ready' });
  expect(moved.metrics).not.toContain('payment_retry_stalled_queue{');
  expect(moved.text).not.toContain('do not move');
});

test('a queue whose every try fails is named with the error, until a job of it ends', async () => {
  const { database } = world.plugin.parts;
  const { clock } = world;
  const fail = (name: string, retries: number, error: object) =>
    database.query(
      `insert into payment_retry_jobs.job (name, data, state, retry_count, created_on, started_on, start_after, output)
       values ($1, '{}', 'retry', $2, $3, $3, $3::timestamptz + interval '1 hour', $4::jsonb)`,
      [name, retries, clock.now(), JSON.stringify(error)],
    );
  await fail('deliver', 5, { name: 'error', message: 'column "payload" does not exist' });
  // Stripe does not answer; and one that has just begun to fail.
  await fail('catch-up', 9, { name: 'UpstreamError', message: 'Stripe did not answer' });
  await fail('reread', 4, { name: 'error', message: 'not yet' });
  const failing = await look();
  expect(failing.ready).toEqual({ status: 'ready', stalled: ['deliver'] });
  expect(await world.plugin.health()).toMatchObject({ lastError: 'column "payload" does not exist' });
  expect(failing.text).toContain('column "payload" does not exist');
  await database.query(
    `insert into payment_retry_jobs.job (name, data, state, completed_on) values ('deliver', '{}', 'completed', $1)`,
    [clock.now()],
  );
  expect((await look()).ready).not.toHaveProperty('stalled');
  await database.query(`delete from payment_retry_jobs.job where state = 'retry'`);
});

describe('an event that cannot be recorded', () => {
  const query = (text: string) => world.plugin.parts.database.query(text);
  test.each([
    [
      'as a column has another name',
      'alter table payment_retry.events rename column payload to body',
      'alter table payment_retry.events rename column body to payload',
    ],
    [
      'as there is room for small ones alone',
      'alter table payment_retry.events add constraint full_disk check (length(payload) < 1000) not valid',
      'alter table payment_retry.events drop constraint full_disk',
    ],
  ])('makes the process not ready: %s', async (_, spoil, mend) => {
    const status = async () => (await fetch(`${world.url}/readyz`)).status;
    await query(spoil);
    expect(await status()).toBe(503);
    expect(await world.plugin.health()).toMatchObject({ status: 'unavailable', code: 'STORE_UNAVAILABLE' });
    await query(mend);
    expect(await status()).toBe(200);
    expect(
      await world.plugin.parts.database.query(`select id from payment_retry.events where type = 'probe'`),
    ).toEqual([]);
  });
});

test('a schedule that stands still since the clock was set back is named by /readyz', async () => {
  const { database } = world.plugin.parts;
  const setBy = (interval: string) =>
    database.query(
      `update payment_retry_jobs.version set cron_on = payment_retry_jobs.job_now() + $1::interval`,
      [interval],
    );
  await setBy('1 hour');
  expect((await look()).ready).toMatchObject({ stalled: ['schedule'] });
  await setBy('0');
  expect((await look()).ready).not.toHaveProperty('stalled');
});

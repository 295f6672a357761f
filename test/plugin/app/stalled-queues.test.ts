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

/** Events that wait at the same time are taken together; none holds up another. */
import Stripe from 'stripe';
import { toEventJob, toInboxJob } from '../../src/plugin/sync/events/inbox-job.ts';
import { asWebhookPayload, buildSubscription } from '../support/stripe/stripe-objects.ts';
import { createWorld, type World } from '../support/world.ts';

const stripe = new Stripe('sk_test_not_a_real_key');
const EVENTS = 40;

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
beforeEach(() => world.settle());
afterEach(() => world.reset());
afterAll(() => world?.stop());

interface Sent {
  readonly event: string;
  readonly subscription: string;
  readonly status?: 'active' | 'past_due';
  readonly secondsAgo?: number;
}

async function send({ event, subscription, status = 'active', secondsAgo = 0 }: Sent): Promise<void> {
  const now = Math.floor(world.clock.now().toSeconds());
  const payload = JSON.stringify({
    id: event,
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: now - secondsAgo,
    livemode: false,
    type: 'customer.subscription.updated',
    data: { object: asWebhookPayload(buildSubscription({ id: subscription, status })) },
  });
  const secret = world.sandbox.webhookSecret;
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: now });
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
  const response = await fetch(`${world.url}/webhooks/stripe`, { method: 'POST', headers, body: payload });
  expect(response.status).toBe(200);
}

const sendMany = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      send({ event: `evt_${index}`, subscription: `sub_${index}` }),
    ),
  );
const jobsOf = (name: string) =>
  world.query<{ state: string }>(
    `select state from payment_retry_jobs.job where name = $1 and data->>'account' = 'own'`,
    [name],
  );
const results = () =>
  world.query<{ id: string; code: string | null }>(
    `select id, results->0->>'code' as code from payment_retry.events where id like 'evt_%' order by id`,
  );
const delivered = () =>
  world.query<{ id: string }>(
    `select id from payment_retry.subscriptions where delivered_version = version and id like 'sub_%'`,
  );

test('webhooks that come together make one job, and all of them are mirrored and delivered', async () => {
  const before = await Promise.all([jobsOf('take-events'), jobsOf('process-event')]);
  await sendMany(EVENTS);
  await world.plugin.runOnce();
  const after = await Promise.all([jobsOf('take-events'), jobsOf('process-event')]);
  expect(after[0].length - before[0].length).toBe(1);
  expect(after[1].length - before[1].length).toBe(0);
  expect(new Set((await results()).map(({ code }) => code))).toEqual(new Set(['mirrored']));
  expect(await delivered()).toHaveLength(EVENTS);
});

test('an event that fails among others is tried again by itself, and the others pass at once', async () => {
  const { database } = world.plugin.parts;
  await database.exec(
    `alter table payment_retry.subscriptions add constraint no_seven check (id <> 'sub_7') not valid`,
  );
  await sendMany(EVENTS);
  await world.plugin.runOnce();
  const waiting = (await results()).filter(({ code }) => code !== 'mirrored');
  expect(waiting).toEqual([{ id: 'evt_7', code: null }]);
  expect(await delivered()).toHaveLength(EVENTS - 1);
  await database.exec('alter table payment_retry.subscriptions drop constraint no_seven');
  await world.advance({ minutes: 1 });
  expect(await delivered()).toHaveLength(EVENTS);
});

test('of two events of one object that wait together the younger one decides', async () => {
  const subscription = 'sub_twice';
  await send({ event: 'evt_a', subscription, status: 'past_due', secondsAgo: 20 });
  await send({ event: 'evt_b', subscription, secondsAgo: 10 });
  await send({ event: 'evt_c', subscription, status: 'past_due', secondsAgo: 30 });
  await world.plugin.runOnce();
  expect((await results()).map(({ code }) => code)).toEqual(['mirrored', 'mirrored', 'stale']);
  expect(
    await world.query('select status from payment_retry.subscriptions where id = $1', [subscription]),
  ).toEqual([{ status: 'active' }]);
});

test('what waits with jobs of the version before is processed once', async () => {
  await sendMany(EVENTS);
  await world.query(`delete from payment_retry_jobs.job where name = 'take-events'`);
  const { enqueue } = world.plugin.parts.operations;
  const keys = Array.from({ length: EVENTS }, (_, index) => ({ account: 'own', id: `evt_${index}` }));
  await enqueue('process-event', keys.map(toEventJob));
  await enqueue('take-events', [toInboxJob('own')]);
  await world.plugin.runOnce();
  expect(new Set((await results()).map(({ code }) => code))).toEqual(new Set(['mirrored']));
  const [counted] = await world.query<{ count: number }>(
    `select sum(total) as count from payment_retry.counter_changes where name = 'events_processed'`,
  );
  expect(Number(counted?.count)).toBeGreaterThan(0);
  expect(await delivered()).toHaveLength(EVENTS);
});

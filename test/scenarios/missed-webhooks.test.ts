/** Webhooks that never arrive: Stripe's own list of events makes up for them. */

import { EVENT_HANDLERS } from '../../src/plugin/sync/events/handlers.ts';
import { accepts, acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { actionsOf, attemptsOf, renew, statusOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { withoutEffects } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
beforeEach(async () => {
  // Past the overlap with the test before; then the cursor is set, as at the first start.
  await world.advance({ hours: 1 });
  await catchUp();
});
afterEach(() => world.reset());

async function catchUp(): Promise<void> {
  await world.plugin.parts.requestCatchUp();
  await world.settle();
}

const failsLater = () => acceptsFirst(1, declines('insufficient_funds'));

interface Standing {
  id: string;
  status: string;
}

/** The account's objects in Stripe's words, as the plugin has them stored. */
const stored = (table: 'subscriptions' | 'invoices') =>
  world.query<Standing>(`select id, status from payment_retry.${table} order by id`);

function atStripe(table: 'subscriptions' | 'invoices', ids: readonly string[]): Standing[] {
  const found = [...world.sandbox.state[table].newestFirst()].filter(({ id }) => ids.includes(id));
  return found
    .map(({ id, status }) => ({ id, status: String(status) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

test('two days without a webhook are made good: every side agrees, and the failed invoice is acted on', async () => {
  const quiet = withoutEffects(world);
  const kept = await subscribe(quiet, accepts());
  const ended = await subscribe(quiet, accepts());
  const failing = await subscribe(quiet, failsLater());
  await world.settle();
  world.sandbox.webhookFaults.drop = 1;
  const failed = await renew(world, failing.subscriptionId);
  const begun = await subscribe(world, accepts());
  await world.advance({ days: 1 });
  world.sandbox.cancelSubscription(ended.subscriptionId);
  const paid = await renew(world, kept.subscriptionId);
  await world.advance({ days: 1 });
  expect((await stored('subscriptions')).map(({ id }) => id)).not.toContain(begun.subscriptionId);

  await catchUp();
  const subscriptions = [kept, ended, failing, begun].map(({ subscriptionId }) => subscriptionId);
  expect(await stored('subscriptions')).toEqual(atStripe('subscriptions', subscriptions));
  const invoices = (await stored('invoices')).map(({ id }) => id);
  expect(invoices).toEqual(expect.arrayContaining([failed, paid]));
  expect(await stored('invoices')).toEqual(atStripe('invoices', invoices));
  expect(await world.query('select id, state from retry_service.subscriptions order by id')).toEqual(
    await world.query(`select id, message->>'state' as state from payment_retry.subscriptions order by id`),
  );
  expect(await world.query(`select id from retry_service.invoices order by id`)).toEqual(
    invoices.map((id) => ({ id })),
  );
  expect(statusOf(world, failed)).toBe('open');
  expect(await actionsOf(world, failed)).toMatchObject([{ kind: 'pay', state: 'scheduled' }]);
});

test('an event that was delivered and is caught up too is processed once; a webhook that comes after that changes nothing', async () => {
  const { subscriptionId } = await subscribe(world, failsLater());
  const first = await renew(world, subscriptionId);
  const look = () =>
    world.query('select id, received_at, processed_at from payment_retry.events order by id');
  const before = await look();
  await world.clock.set(world.clock.now().plus({ minutes: 2 }));
  await catchUp();
  expect(await look()).toEqual(before);
  expect(await attemptsOf(world, first)).toHaveLength(1);
  world.sandbox.voidInvoice(first);
  await world.settle();
  world.sandbox.webhookFaults.delayMs = 30 * 60_000;
  const invoiceId = await renew(world, subscriptionId);
  await catchUp();
  const attempts = await attemptsOf(world, invoiceId);
  const actions = await actionsOf(world, invoiceId);
  expect([attempts.length, actions.length]).toEqual([1, 1]);
  await world.advance({ minutes: 40 });
  expect(await attemptsOf(world, invoiceId)).toEqual(attempts);
  expect(await actionsOf(world, invoiceId)).toEqual(actions);
  expect(await world.query('select id from payment_retry.events where error is not null')).toEqual([]);
});

test('a run that Stripe throttles is no success: it is tried again with growing pauses until it is whole', async () => {
  const { subscriptionId } = await subscribe(world, failsLater());
  world.sandbox.webhookFaults.drop = 1;
  const invoiceId = await renew(world, subscriptionId);
  world.sandbox.faults.next('GET', '/events', 'rate_limit', 3);
  await catchUp();
  const waiting = `select state, output->>'message' as said from payment_retry_jobs.job where name = 'catch-up' and state < 'completed'`;
  expect(await world.query(waiting)).toEqual([
    { state: 'retry', said: expect.stringContaining('is incomplete') },
  ]);
  // Asked for again meanwhile, as the schedule does: no second one beside it.
  await world.plugin.parts.requestCatchUp();
  expect(await world.query(waiting)).toHaveLength(1);

  await world.advance({ minutes: 3 });
  expect(await world.query(waiting)).toEqual([]);
  expect(await actionsOf(world, invoiceId)).toHaveLength(1);
});

test('a start asks for the list of events once', async () => {
  await world.plugin.stop();
  await world.plugin.start();
  const calls = () => world.sandbox.state.apiCalls.filter(({ path }) => path === '/v1/events').length;
  const before = calls();
  await world.settle();
  await world.settle();
  // Stripe takes 20 types in a list.
  expect(calls() - before).toBe(Math.ceil(Object.keys(EVENT_HANDLERS).length / 20));
});

/** Stripe's test clocks, as the sandbox has them (stripe-facts 8.1). */
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { fromUnixSeconds } from '../../../src/core/base/clock.ts';
import { errorOf, START, startTestSandbox, subscribe, type TestSandbox } from './start-test-sandbox.ts';

let world: TestSandbox;
beforeAll(async () => {
  world = await startTestSandbox();
});
afterAll(() => world.stop());

const NOW = Math.floor(START.toSeconds());
const later = (clock: Stripe.TestHelpers.TestClock, duration: { days?: number; months?: number }) =>
  Math.floor(fromUnixSeconds(clock.frozen_time).plus(duration).toSeconds());

async function subscriber() {
  const { stripe } = world;
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: NOW });
  const customer = await stripe.customers.create({ test_clock: clock.id });
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: card.id } });
  const price = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 2000,
    recurring: { interval: 'month' },
    product_data: { name: 'Rehearsal' },
  });
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  return { clock, customer, subscription };
}

async function advance(clock: Stripe.TestHelpers.TestClock, to: number): Promise<void> {
  await world.stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: to });
  await world.sandbox.run();
}

test('a subscription of a test clock renews at the time of the clock, and no other does', async () => {
  const { subscription: other } = subscribe(world.sandbox);
  const { clock, customer, subscription } = await subscriber();
  expect([customer.test_clock, subscription.test_clock, subscription.status]).toEqual([
    clock.id,
    clock.id,
    'active',
  ]);
  await advance(clock, later(clock, { months: 1, days: 1 }));
  const renewed = await world.stripe.invoices.list({ subscription: subscription.id });
  expect(renewed.data.map(({ status, billing_reason: reason }) => [status, reason])).toEqual([
    ['paid', 'subscription_cycle'],
    ['paid', 'subscription_create'],
  ]);
  expect(renewed.data[0]).toMatchObject({ test_clock: clock.id, created: later(clock, { months: 1 }) });
  expect((await world.stripe.invoices.list({ subscription: other.id })).data).toHaveLength(1);
  expect(world.clock.now()).toEqual(START);
});

test('advances when the account next runs, and says so with an event', async () => {
  const { clock } = await subscriber();
  const { testClocks } = world.stripe.testHelpers;
  const advancing = await testClocks.advance(clock.id, { frozen_time: later(clock, { days: 3 }) });
  expect(advancing.status).toBe('advancing');
  await world.sandbox.run();
  expect(await testClocks.retrieve(clock.id)).toMatchObject({
    status: 'ready',
    frozen_time: later(clock, { days: 3 }),
  });
  const [event] = world.sandbox.state.events.newestFirst();
  expect(event).toMatchObject({ type: 'test_helpers.test_clock.ready', data: { object: { id: clock.id } } });
});

test('moves forward only, and at most two intervals at once', async () => {
  const { clock } = await subscriber();
  const { testClocks } = world.stripe.testHelpers;
  const back = testClocks.advance(clock.id, { frozen_time: NOW });
  expect((await errorOf(back)).message).toMatch(/only be moved forward/);
  const far = testClocks.advance(clock.id, { frozen_time: later(clock, { days: 70 }) });
  expect((await errorOf(far)).message).toMatch(/more than two intervals/);
});

test('takes its customers and their subscriptions with it', async () => {
  const { clock, customer, subscription } = await subscriber();
  await world.stripe.testHelpers.testClocks.del(clock.id);
  expect(await world.stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
  expect((await world.stripe.subscriptions.retrieve(subscription.id)).status).toBe('canceled');
  const gone = world.stripe.testHelpers.testClocks.retrieve(clock.id);
  expect((await errorOf(gone)).statusCode).toBe(404);
});

test('has room for three customers', async () => {
  const { stripe } = world;
  const { id } = await stripe.testHelpers.testClocks.create({ frozen_time: NOW });
  for (const _ of [1, 2, 3]) await stripe.customers.create({ test_clock: id });
  expect((await errorOf(stripe.customers.create({ test_clock: id }))).message).toMatch(/three customers/);
});

test('a card that fails later can be attached', async () => {
  const { clock, customer, subscription } = await subscriber();
  const card = await world.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
    customer: customer.id,
  });
  await world.stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: card.id } });
  await advance(clock, later(clock, { months: 1, days: 1 }));
  const { data } = await world.stripe.invoices.list({ subscription: subscription.id, limit: 1 });
  expect(data[0]).toMatchObject({ status: 'open', attempt_count: 1 });
  expect(DateTime.fromSeconds(data[0]?.created ?? 0) > START).toBe(true);
});

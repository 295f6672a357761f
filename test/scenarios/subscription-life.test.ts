/** What the service learns of a subscription, however disorderly Stripe's webhooks arrive. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { accepts } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { runs } from '../support/runner/full-run.ts';
import { subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const isoSeconds = (unix: number | null | undefined) =>
  DateTime.fromSeconds(unix ?? 0, { zone: 'utc' }).toISO({ suppressMilliseconds: true });

/** What Stripe has, told in the service's words. */
function stripeView(id: string) {
  const subscription = world.sandbox.state.subscriptions.get(id);
  if (!subscription) throw new Error(`Stripe has no subscription ${id}`);
  const [item] = subscription.items.data;
  const isCanceled = subscription.status === 'canceled';
  return {
    id,
    state: isCanceled ? 'SUBSCRIPTION_STATE_CANCELED' : 'SUBSCRIPTION_STATE_ACTIVE',
    customerId: subscription.customer,
    businessEntity: 'Sandbox Inc.',
    planId: item?.price.id,
    amount: 2000 * (item?.quantity ?? 0),
    currency: 'USD',
    createdAt: isoSeconds(subscription.created),
    activatedAt: isoSeconds(subscription.start_date),
    ...(isCanceled ? { canceledAt: isoSeconds(subscription.canceled_at) } : {}),
    expiresAt: isoSeconds(
      isCanceled ? subscription.ended_at : (subscription.cancel_at ?? item?.current_period_end),
    ),
    billingPeriod: 1,
    billingPeriodUnit: 'BILLING_PERIOD_UNIT_MONTH',
  };
}

function serviceView(id: string) {
  const { updatedAt, ...view } = world.service.view.get(id) ?? { updatedAt: undefined };
  return { view, updatedAt };
}

function setQuantity(subscriptionId: string, quantity: number): void {
  const item = world.sandbox.state.subscriptions.get(subscriptionId)?.items.data[0];
  world.sandbox.updateSubscription(subscriptionId, { items: [{ id: item?.id, quantity }] });
}

test('a created, changed and canceled subscription arrives as such, in this order: several changes before a delivery as one, those of one second that are delivered one by one all, a business entity that is too long with its beginning', async () => {
  const { subscriptionId } = await subscribe(world, accepts());
  const expectEqual = (more = {}) =>
    expect(serviceView(subscriptionId).view).toEqual({ ...stripeView(subscriptionId), ...more });
  expectEqual();
  await world.advance({ hours: 1 });
  for (const quantity of [2, 3, 4, 5]) setQuantity(subscriptionId, quantity);
  await world.settle();
  expectEqual();
  for (const quantity of [2, 3]) {
    setQuantity(subscriptionId, quantity);
    await world.settle();
    expectEqual();
  }
  await world.advance({ hours: 1 });
  const business_entity = `${'The Longest Company Name '.repeat(16)}Ltd`;
  world.sandbox.updateSubscription(subscriptionId, { metadata: { business_entity } });
  await world.settle();
  const businessEntity = business_entity.slice(0, 255);
  expectEqual({ businessEntity });
  await world.advance({ hours: 1 });
  world.sandbox.cancelSubscription(subscriptionId);
  await world.settle();
  expectEqual({ businessEntity });
  const versions = world.service.versionsOf(subscriptionId);
  expect(versions.map(({ state, amount }) => [state, amount])).toEqual([
    ['SUBSCRIPTION_STATE_ACTIVE', 2000],
    ['SUBSCRIPTION_STATE_ACTIVE', 10_000],
    ['SUBSCRIPTION_STATE_ACTIVE', 4000],
    ['SUBSCRIPTION_STATE_ACTIVE', 6000],
    ['SUBSCRIPTION_STATE_ACTIVE', 6000],
    ['SUBSCRIPTION_STATE_CANCELED', 6000],
  ]);
  expect(serviceView(subscriptionId).updatedAt).toBe(
    world.clock.now().startOf('second').toISO({ suppressMilliseconds: true }),
  );

  const sent = world.service.requests.length;
  // A repeated webhook changes nothing and sends nothing.
  world.sandbox.webhookFaults.duplicate = 1;
  await subscribe(world, accepts());
  expect(world.service.requests).toHaveLength(sent + 1);
  const [{ twice } = { twice: 0 }] = await world.query<{ twice: number }>(
    'select count(*) as twice from (select id from payment_retry.events group by id having count(*) > 1) repeated',
  );
  expect(twice).toBe(0);
});

test('what happens while the plugin is stopped arrives once it runs again', async () => {
  const { subscriptionId } = await subscribe(world, accepts());
  await world.plugin.stop();
  for (const quantity of [2, 3]) {
    setQuantity(subscriptionId, quantity);
    await world.sandbox.run();
    await world.clock.set(world.clock.now().plus({ minutes: 20 }));
  }
  expect(world.sandbox.state.deliveries.at(-1)?.status).toBe(503);
  await world.plugin.start();
  await world.advance({ hours: 3 });
  expect(serviceView(subscriptionId).view).toEqual(stripeView(subscriptionId));
});

const steps = fc.array(
  fc.record({
    seconds: fc.constantFrom(0, 0, 1, 3, 90, 4000),
    quantity: fc.integer({ min: 1, max: 50 }),
    isDelivered: fc.boolean(),
  }),
  { minLength: 2, maxLength: 8 },
);
const disorder = fc.record({
  duplicate: fc.constantFrom(0, 0.5, 1),
  drop: fc.constantFrom(0, 0.3, 0.6),
  shuffle: fc.constant(true),
  delayMs: fc.constantFrom(0, 0, 2000),
});

test('the service ends with what Stripe has and never hears something older after something newer', async () => {
  const life = fc.asyncProperty(steps, disorder, fc.boolean(), async (changes, faults, isCanceled) => {
    Object.assign(world.sandbox.webhookFaults, faults);
    const { subscriptionId } = await subscribe(world, accepts());
    for (const { seconds, quantity, isDelivered } of changes) {
      setQuantity(subscriptionId, quantity);
      await world.clock.set(world.clock.now().plus({ seconds }));
      if (!isDelivered) continue;
      await world.sandbox.deliverWebhooks({ concurrency: 4 });
      await world.plugin.runOnce();
    }
    if (isCanceled) world.sandbox.cancelSubscription(subscriptionId);
    world.sandbox.webhookFaults.drop = 0;
    await world.advance({ hours: 15 });
    expect(serviceView(subscriptionId).view).toEqual(stripeView(subscriptionId));
    const times = world.service.versionsOf(subscriptionId).map(({ updatedAt }) => Date.parse(updatedAt));
    expect(times).toEqual([...times].sort((left, right) => left - right));
  });
  await fc.assert(life, { numRuns: runs(12), endOnFailure: true });
});

/** Subscriptions in another currency than their price's own: Stripe shows that amount only to who asks for it. */

import type { PriceInput } from '../../src/workbench/sandbox/objects/build-price.ts';
import { accepts } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const inEuros: Partial<PriceInput> = { unit_amount: 2000, currency_options: { eur: { unit_amount: 1800 } } };

const tiersOf = (first: number, then: number) => [
  { up_to: 2, unit_amount: first },
  { up_to: 'inf' as const, unit_amount: then },
];
const inTiersOfEuros: Partial<PriceInput> = {
  billing_scheme: 'tiered',
  tiers_mode: 'graduated',
  tiers: tiersOf(1000, 800),
  currency_options: { eur: { tiers: tiersOf(900, 700) } },
};

async function subscribeInEuros(
  input: Partial<PriceInput>,
  prices = 1,
): Promise<{ id: string; price: string }> {
  const { id: customer } = world.sandbox.createCustomer({ paymentMethod: accepts() });
  const items = Array.from({ length: prices }, () => ({ price: world.sandbox.createPrice(input).id }));
  const { id } = world.sandbox.createSubscription({ customer, items, currency: 'eur' });
  await world.settle();
  return { id, price: items[0]?.price ?? '' };
}

async function setQuantity(id: string, quantity: number): Promise<void> {
  await world.advance({ minutes: 10 });
  const item = world.sandbox.state.subscriptions.get(id)?.items.data[0];
  world.sandbox.updateSubscription(id, { items: [{ id: item?.id, quantity }] });
  await world.settle();
}

async function cancel(id: string): Promise<void> {
  await world.advance({ minutes: 10 });
  world.sandbox.cancelSubscription(id);
  await world.settle();
}

const told = (id: string) =>
  world.service
    .versionsOf(id)
    .map(({ state, amount, currency }) => [
      String(state).replace('SUBSCRIPTION_STATE_', ''),
      amount,
      currency,
    ]);

test.each([
  ['an amount', inEuros, 1800, 5400],
  ['tiers', inTiersOfEuros, 900, 2500],
])(
  'the service hears every change of a subscription with %s in its own currency',
  async (_, price, one, three) => {
    const { id } = await subscribeInEuros(price);
    await setQuantity(id, 3);
    await cancel(id);
    expect(told(id)).toEqual([
      ['ACTIVE', one, 'EUR'],
      ['ACTIVE', three, 'EUR'],
      ['CANCELED', three, 'EUR'],
    ]);
  },
);

test.each([
  ['amounts', inEuros, 12 * 1800],
  ['tiers', inTiersOfEuros, 12 * 900],
])('items beyond those that Stripe shows count with their %s in that currency', async (_, price, amount) => {
  const { id } = await subscribeInEuros(price, 12);
  expect(told(id)).toEqual([['ACTIVE', amount, 'EUR']]);
});

test('the cancellation is told although the price no longer has the currency', async () => {
  const { id, price } = await subscribeInEuros(inEuros);
  world.sandbox.removeCurrency(price, 'eur');
  await setQuantity(id, 3);
  expect(told(id)).toEqual([['ACTIVE', 1800, 'EUR']]);
  await cancel(id);
  expect(told(id)).toEqual([
    ['ACTIVE', 1800, 'EUR'],
    ['CANCELED', 1800, 'EUR'],
  ]);
  const now = world.clock.now().startOf('second').toISO({ suppressMilliseconds: true });
  expect(world.service.view.get(id)).toMatchObject({ canceledAt: now, expiresAt: now });
});

test('the cancellation is told although Stripe has forgotten the subscription', async () => {
  const { id } = await subscribeInEuros(inEuros);
  await world.advance({ minutes: 10 });
  world.sandbox.cancelSubscription(id);
  world.sandbox.state.subscriptions.remove(id);
  await world.settle();
  expect(told(id).at(-1)).toEqual(['CANCELED', 1800, 'EUR']);
});

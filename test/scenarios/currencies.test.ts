/** Subscriptions in another currency than their price's own: Stripe shows that amount only to who asks for it. */

import type { PriceInput } from '../../src/workbench/sandbox/objects/build-price.ts';
import { accepts } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());

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

function subscribeInEuros(input: Partial<PriceInput>, prices = 1): { id: string; price: string } {
  const { id: customer } = world.sandbox.createCustomer({ paymentMethod: accepts() });
  const items = Array.from({ length: prices }, () => ({ price: world.sandbox.createPrice(input).id }));
  const { id } = world.sandbox.createSubscription({ customer, items, currency: 'eur' });
  return { id, price: items[0]?.price ?? '' };
}

const told = (id: string) =>
  world.service
    .versionsOf(id)
    .map(({ state, amount, currency }) => [
      String(state).replace('SUBSCRIPTION_STATE_', ''),
      amount,
      currency,
    ]);

test('the service hears every change of a subscription in its own currency, and its end although the price has lost it or Stripe the subscription', async () => {
  const [amount, tiers] = [subscribeInEuros(inEuros), subscribeInEuros(inTiersOfEuros)];
  const [lost, gone] = [subscribeInEuros(inEuros), subscribeInEuros(inEuros)];
  await world.settle();
  await world.advance({ minutes: 10 });
  world.sandbox.removeCurrency(lost.price, 'eur');
  for (const { id } of [amount, tiers, lost]) {
    const item = world.sandbox.state.subscriptions.get(id)?.items.data[0];
    world.sandbox.updateSubscription(id, { items: [{ id: item?.id, quantity: 3 }] });
  }
  await world.settle();
  expect(told(lost.id)).toEqual([['ACTIVE', 1800, 'EUR']]);
  await world.advance({ minutes: 10 });
  for (const { id } of [amount, tiers, lost, gone]) world.sandbox.cancelSubscription(id);
  world.sandbox.state.subscriptions.remove(gone.id);
  await world.settle();
  const changes = (one: number, three: number) => [
    ['ACTIVE', one, 'EUR'],
    ['ACTIVE', three, 'EUR'],
    ['CANCELED', three, 'EUR'],
  ];
  expect(told(amount.id)).toEqual(changes(1800, 5400));
  expect(told(tiers.id)).toEqual(changes(900, 2500));
  const ended = [
    ['ACTIVE', 1800, 'EUR'],
    ['CANCELED', 1800, 'EUR'],
  ];
  expect([told(lost.id), told(gone.id)]).toEqual([ended, ended]);
  const now = world.clock.now().startOf('second').toISO({ suppressMilliseconds: true });
  expect(world.service.view.get(lost.id)).toMatchObject({ canceledAt: now, expiresAt: now });
});

test('items beyond those that Stripe shows count with their amounts and tiers in that currency', async () => {
  const amounts = subscribeInEuros(inEuros, 12);
  const tiers = subscribeInEuros(inTiersOfEuros, 12);
  await world.settle();
  expect([told(amounts.id), told(tiers.id)]).toEqual([
    [['ACTIVE', 12 * 1800, 'EUR']],
    [['ACTIVE', 12 * 900, 'EUR']],
  ]);
});

import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import {
  completePrices,
  createPriceMemory,
  type FindPrice,
} from '../../../../src/plugin/clients/reads/stripe-subscriptions.ts';
import { mapSubscription } from '../../../../src/plugin/sync/map/map-subscription.ts';
import {
  buildItem,
  buildPrice,
  buildSubscription,
  buildTier,
} from '../../../support/stripe/stripe-objects.ts';

const tiered = (id: string) =>
  buildPrice({ id, billing_scheme: 'tiered', tiers_mode: 'graduated', unit_amount: null });
const tiers = [buildTier({ unit_amount: 700, up_to: null })];
const option: Stripe.Price.CurrencyOptions = {
  custom_unit_amount: null,
  tax_behavior: null,
  unit_amount: 1800,
  unit_amount_decimal: null,
};

function subscriptionTo(price: Stripe.Price, currency = 'usd'): Stripe.Subscription {
  const items = {
    object: 'list' as const,
    data: [buildItem({ price, quantity: 3 })],
    has_more: false,
    url: '',
  };
  return buildSubscription({ currency, items });
}

/** Answers as told, and remembers what was asked: the id, and the currency whose tiers were wanted. */
function createFinder(answer: (id: string, tiersIn: string | undefined) => Stripe.Price | undefined) {
  const asked: string[] = [];
  const find: FindPrice = async (id, tiersIn) => {
    asked.push(tiersIn === undefined ? id : `${id} ${tiersIn}`);
    return answer(id, tiersIn);
  };
  return { asked, find };
}

const amountOf = (subscription: Stripe.Subscription | undefined) => {
  const context = {
    observedAt: DateTime.utc(2026, 3, 2),
    businessEntity: 'Acme',
  };
  const mapped = subscription && mapSubscription(subscription, context);
  return mapped?.kind === 'message' ? mapped.message.amount : mapped?.kind;
};

test('a thousand subscriptions to one tiered price cost one question in a run, and all can be mapped', async () => {
  const { asked, find } = createFinder((id) => ({ ...tiered(id), tiers }));
  const remember = createPriceMemory();
  const listed = Array.from({ length: 1000 }, () => subscriptionTo(tiered('price_1')));
  expect(amountOf(listed[0])).toBe('incomplete_object');
  const whole = await Promise.all(listed.map((one) => completePrices(one, remember(1, find))));
  await completePrices(subscriptionTo(tiered('price_1')), remember(1, find));
  expect(asked).toEqual(['price_1']);
  expect(new Set(whole.map(amountOf))).toEqual(new Set([2100]));
  await completePrices(subscriptionTo(tiered('price_1')), remember(2, find));
  expect(asked).toEqual(['price_1', 'price_1']);
});

test('a subscription in another currency than its price gets the options', async () => {
  const { asked, find } = createFinder((id) => buildPrice({ id, currency_options: { eur: option } }));
  const found = await completePrices(subscriptionTo(buildPrice({ id: 'price_2' }), 'eur'), find);
  expect([asked, amountOf(found)]).toEqual([['price_2'], 5400]);
});

test('tiers of another currency are asked for by that currency, whether the options are known or not', async () => {
  const { asked, find } = createFinder((id, tiersIn) => {
    const eur = { ...option, unit_amount: null, ...(tiersIn === 'eur' ? { tiers } : {}) };
    return { ...tiered(id), tiers: [buildTier({ unit_amount: 1, up_to: null })], currency_options: { eur } };
  });
  const found = await completePrices(subscriptionTo(tiered('price_3'), 'eur'), find);
  expect([asked, amountOf(found)]).toEqual([['price_3', 'price_3 eur'], 2100]);
  asked.length = 0;
  const shown = { ...tiered('price_3'), currency_options: { eur: { ...option, unit_amount: null } } };
  expect(amountOf(await completePrices(subscriptionTo(shown, 'eur'), find))).toBe(2100);
  expect(asked).toEqual(['price_3 eur']);
});

test('tiers of a currency that the price does not have are not asked for', async () => {
  const { asked, find } = createFinder((id) => ({ ...tiered(id), tiers, currency_options: { gbp: option } }));
  const found = await completePrices(subscriptionTo(tiered('price_4'), 'eur'), find);
  expect([asked, amountOf(found)]).toEqual([['price_4'], 'incomplete_object']);
});

test('nothing is asked where nothing is missing, where usage is billed, or where items are missing', async () => {
  const { asked, find } = createFinder(() => undefined);
  const plain = subscriptionTo(buildPrice());
  const { recurring } = buildPrice();
  const metered = {
    ...tiered('price_5'),
    recurring: recurring && { ...recurring, usage_type: 'metered' as const },
  };
  const usage = subscriptionTo(metered, 'eur');
  const long = subscriptionTo(tiered('price_6'));
  long.items.has_more = true;
  for (const one of [plain, usage, long]) expect(await completePrices(one, find)).toEqual(one);
  expect(asked).toEqual([]);
});

test('a price that is gone leaves the subscription as it was; a failure is not remembered', async () => {
  let isDown = true;
  const { asked, find } = createFinder(() => {
    if (isDown) throw new Error('away');
    return undefined;
  });
  const remembered = createPriceMemory()(1, find);
  const listed = subscriptionTo(tiered('price_7'));
  await expect(completePrices(listed, remembered)).rejects.toThrow('away');
  isDown = false;
  expect(await completePrices(listed, remembered)).toEqual(listed);
  expect(asked).toEqual(['price_7', 'price_7']);
});

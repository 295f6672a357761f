import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { createPriceCompleter } from '../../../src/sync/backfill/complete-prices.ts';
import { mapSubscription } from '../../../src/sync/map/map-subscription.ts';
import { buildItem, buildPrice, buildSubscription, buildTier } from '../../support/stripe-objects.ts';

const FROM = { account: 'own', perSecond: 20 };
const tiered = (id: string) =>
  buildPrice({ id, billing_scheme: 'tiered', tiers_mode: 'graduated', unit_amount: null });
const tiers = [buildTier({ unit_amount: 700, up_to: null })];

function subscriptionTo(price: Stripe.Price, currency = 'usd'): Stripe.Subscription {
  const items = {
    object: 'list' as const,
    data: [buildItem({ price, quantity: 3 })],
    has_more: false,
    url: '',
  };
  return buildSubscription({ currency, items });
}

function createCompleter(answer: (id: string) => Promise<Stripe.Price | undefined>) {
  const asked: string[] = [];
  const complete = createPriceCompleter({
    atPace: (_endpoint, _perSecond, ask) => ask(),
    findPrice: (_account, id) => {
      asked.push(id);
      return answer(id);
    },
  });
  return { asked, complete };
}

const amountOf = (subscription: Stripe.Subscription | undefined) => {
  const context = {
    observedAt: DateTime.utc(2026, 3, 2),
    businessEntity: 'Acme',
    businessEntityMetadataKey: 'business_entity',
  };
  const mapped = subscription && mapSubscription(subscription, context);
  return mapped?.kind === 'message' ? mapped.message.amount : mapped?.kind;
};

test('a thousand subscriptions to one tiered price cost one question, and all can be mapped', async () => {
  const { asked, complete } = createCompleter(async (id) => ({ ...tiered(id), tiers }));
  const listed = Array.from({ length: 1000 }, () => subscriptionTo(tiered('price_1')));
  expect(amountOf(listed[0])).toBe('incomplete_object');
  const complete1 = await complete(listed, FROM);
  await complete([subscriptionTo(tiered('price_1'))], FROM);
  expect(asked).toEqual(['price_1']);
  expect(new Set(complete1.map(amountOf))).toEqual(new Set([2100]));
});

test('a subscription in another currency than its price gets the options', async () => {
  const option = {
    custom_unit_amount: null,
    tax_behavior: null,
    unit_amount: 1800,
    unit_amount_decimal: null,
  };
  const { asked, complete } = createCompleter(async (id) =>
    buildPrice({ id, currency_options: { eur: option } }),
  );
  const [found] = await complete([subscriptionTo(buildPrice({ id: 'price_2' }), 'eur')], FROM);
  expect([asked, amountOf(found)]).toEqual([['price_2'], 5400]);
});

test('nothing is asked where nothing is missing, or where the items are not all there', async () => {
  const { asked, complete } = createCompleter(async () => undefined);
  const plain = subscriptionTo(buildPrice());
  const long = subscriptionTo(tiered('price_3'));
  long.items.has_more = true;
  expect(await complete([plain, long], FROM)).toEqual([plain, long]);
  expect(asked).toEqual([]);
});

test('a price that is gone leaves the subscription as it was; a failure is not remembered', async () => {
  let isDown = true;
  const { asked, complete } = createCompleter(async () => {
    if (isDown) throw new Error('away');
    return undefined;
  });
  const listed = [subscriptionTo(tiered('price_4'))];
  await expect(complete(listed, FROM)).rejects.toThrow('away');
  isDown = false;
  expect(await complete(listed, FROM)).toEqual(listed);
  expect(asked).toEqual(['price_4', 'price_4']);
});

/** A canceled subscription as it is created again. */
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { describeAgain } from '../../../../src/plugin/retry/ending/resume-subscription.ts';

const NOW = DateTime.fromISO('2026-03-10T00:00:00Z', { zone: 'utc' });
const at = (days: number) => NOW.plus({ days }).toSeconds();

function discount(coupon: object, end: number | null = null): Stripe.Discount {
  return { id: 'di_1', end, source: { type: 'coupon', coupon } } as unknown as Stripe.Discount;
}

function canceled(fields: object, item: object = {}): Stripe.Subscription {
  const items = {
    data: [
      {
        price: { id: 'price_1' },
        quantity: 3,
        discounts: [],
        metadata: {},
        current_period_end: at(5),
        ...item,
      },
    ],
  };
  const rest = {
    description: null,
    metadata: { team: 'a' },
    discounts: [],
    automatic_tax: { enabled: false },
  };
  return { id: 'sub_old', items, ...rest, on_behalf_of: null, ...fields } as unknown as Stripe.Subscription;
}

const again = (fields: object = {}, item: object = {}) =>
  describeAgain(canceled(fields, item), { now: NOW, paymentMethod: undefined });

test('items, quantities and metadata stay, and the old subscription is named', () => {
  expect(again()).toMatchObject({
    items: [{ price: 'price_1', quantity: 3 }],
    metadata: { team: 'a', resumed_from: 'sub_old' },
    payment_behavior: 'error_if_incomplete',
  });
});

test('a metered item has no quantity', () => {
  expect(again({}, { quantity: undefined }).items?.[0]).not.toHaveProperty('quantity');
});

test('the paid period counts while it lasts', () => {
  expect(again()).toMatchObject({ billing_cycle_anchor: at(5), proration_behavior: 'none' });
  expect(again({}, { current_period_end: at(-1) })).not.toHaveProperty('billing_cycle_anchor');
});

test.each([
  ['one that lasts for ever', discount({ id: 'c', valid: true, duration: 'forever' }), [{ coupon: 'c' }]],
  [
    'one with months left',
    discount({ id: 'c', valid: true, duration: 'repeating' }, at(20)),
    [{ coupon: 'c' }],
  ],
  ['one whose months are over', discount({ id: 'c', valid: true, duration: 'repeating' }, at(-1)), undefined],
  ['one for a single invoice', discount({ id: 'c', valid: true, duration: 'once' }), undefined],
  ['one that is not valid any more', discount({ id: 'c', valid: false, duration: 'forever' }), undefined],
])('of discounts, %s', (_name, given, kept) => {
  expect(again({ discounts: [given] }).discounts).toEqual(kept);
});

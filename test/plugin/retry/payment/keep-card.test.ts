import type Stripe from 'stripe';
import { replaceMethod } from '../../../../src/plugin/retry/payment/keep-card.ts';

const DAY = 86_400;

/** What a schedule's answer has in it, as far as it matters here. */
const phase = (start: number, parts: object) => ({
  start_date: start,
  end_date: start + DAY,
  currency: 'usd',
  proration_behavior: 'none',
  default_payment_method: 'pm_old',
  trial_end: null,
  metadata: { id: 'order 7', object: 'shop' },
  items: [
    {
      plan: 'price_1',
      price: { id: 'price_1', object: 'price' },
      quantity: 2,
      billing_thresholds: null,
      discounts: [{ coupon: 'SPRING', discount: null, promotion_code: null }],
      tax_rates: [{ id: 'txr_1', object: 'tax_rate', percentage: 19 }],
    },
  ],
  ...parts,
});

const schedule = (phases: object[], method: string | null = null) =>
  ({
    phases,
    current_phase: { start_date: DAY, end_date: 2 * DAY },
    default_settings: { default_payment_method: method },
  }) as unknown as Stripe.SubscriptionSchedule;

const CHANGE = { from: 'pm_old', to: 'pm_new' };

test('the phases from the current one on are stated in full, as a request takes them, with the new method for the old', () => {
  const automaticTax = { enabled: true, liability: { type: 'self' }, disabled_reason: null };
  const phases = [
    phase(0, {}),
    phase(DAY, { automatic_tax: automaticTax }),
    phase(2 * DAY, { default_payment_method: { id: 'pm_else', object: 'payment_method' } }),
  ];
  const stated = {
    end_date: 2 * DAY,
    start_date: DAY,
    currency: 'usd',
    proration_behavior: 'none',
    metadata: { id: 'order 7', object: 'shop' },
    items: [{ price: 'price_1', quantity: 2, discounts: [{ coupon: 'SPRING' }], tax_rates: ['txr_1'] }],
  };
  expect(replaceMethod(schedule(phases), CHANGE)).toEqual({
    phases: [
      {
        ...stated,
        default_payment_method: 'pm_new',
        automatic_tax: { enabled: true, liability: { type: 'self' } },
      },
      { ...stated, start_date: 2 * DAY, end_date: 3 * DAY, default_payment_method: 'pm_else' },
    ],
  });
});

test('the default of the schedule is replaced, too', () => {
  const update = replaceMethod(schedule([phase(DAY, { default_payment_method: null })], 'pm_old'), CHANGE);
  expect(update?.default_settings).toEqual({ default_payment_method: 'pm_new' });
  expect(update?.phases?.[0]).not.toHaveProperty('default_payment_method');
});

test('a schedule that names the old method in the past only stays as it is', () => {
  const phases = [phase(0, {}), phase(DAY, { default_payment_method: null })];
  expect(replaceMethod(schedule(phases), CHANGE)).toBeUndefined();
});

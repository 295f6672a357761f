/** What the plugin asks of Stripe about subscriptions, their prices and products. */
import type Stripe from 'stripe';
import type { Patience } from '../patience.ts';
import { ifAllowed, orUndefined } from '../stripe-refusals.ts';
import { completePrices } from './complete-prices.ts';

/** What Stripe leaves out of a price unless asked. */
const PRICE_PARTS = ['tiers', 'currency_options'] as const;

export function createStripeSubscriptions(stripe: Stripe, on: (account: string) => Stripe.RequestOptions) {
  /** With its tiers and its amounts in other currencies, of which one may have its tiers too. */
  const findPrice = (account: string, id: string, tiersIn?: string) => {
    const ofOption = tiersIn === undefined ? [] : [`currency_options.${tiersIn}.tiers`];
    return orUndefined(() =>
      stripe.prices.retrieve(id, { expand: [...PRICE_PARTS, ...ofOption] }, on(account)),
    );
  };

  return {
    /** With everything that the mapping needs: all items, and all of their prices that the amount hangs on. */
    findSubscription: (account: string, id: string) =>
      orUndefined(async () => {
        const options = on(account);
        const subscription = await stripe.subscriptions.retrieve(
          id,
          { expand: PRICE_PARTS.map((part) => `items.data.price.${part}`) },
          options,
        );
        const { items } = subscription;
        if (items.has_more) {
          const expand = PRICE_PARTS.map((part) => `data.price.${part}`);
          items.data = await stripe.subscriptionItems
            .list({ subscription: id, limit: 100, expand }, options)
            .autoPagingToArray({ limit: 10_000 });
          items.has_more = false;
        }
        return completePrices(subscription, (price, tiersIn) => findPrice(account, price, tiersIn));
      }),

    findSchedule: (account: string, id: string) =>
      orUndefined(() => stripe.subscriptionSchedules.retrieve(id, {}, on(account))),

    findPrice,

    /** As customers know it; undefined where the key may not read products. */
    findProductName: async (account: string, id: string, patience: Patience = {}) => {
      const product = await ifAllowed(() =>
        stripe.products.retrieve(id, {}, { ...on(account), ...patience }),
      );
      return product?.name;
    },
  };
}

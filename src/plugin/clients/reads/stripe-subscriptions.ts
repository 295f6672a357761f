/** Reads of subscriptions, prices and products. Stripe shows tiers and other currencies of a price on request only (stripe-facts 2.3, 3.3). */
import type Stripe from 'stripe';
import type { Patience } from '../patience.ts';
import { ifAllowed, orUndefined } from '../stripe-refusals.ts';

/** Parts of a price that must be requested. */
const PRICE_PARTS = ['tiers', 'currency_options'] as const;

export function createStripeSubscriptions(stripe: Stripe, on: (account: string) => Stripe.RequestOptions) {
  /** Includes tiers and other currencies, and on request the tiers of one currency. */
  const findPrice = (account: string, id: string, tiersIn?: string) => {
    const ofOption = tiersIn === undefined ? [] : [`currency_options.${tiersIn}.tiers`];
    return orUndefined(() =>
      stripe.prices.retrieve(id, { expand: [...PRICE_PARTS, ...ofOption] }, on(account)),
    );
  };

  return {
    /** Includes all items, and all parts of prices that the mapping needs. */
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

    /** Includes discounts, and whether their coupons still exist. */
    findWithDiscounts: (account: string, id: string) =>
      orUndefined(() =>
        stripe.subscriptions.retrieve(
          id,
          { expand: ['discounts.source.coupon', 'items.data.discounts'] },
          on(account),
        ),
      ),

    findSchedule: (account: string, id: string) =>
      orUndefined(() => stripe.subscriptionSchedules.retrieve(id, {}, on(account))),

    findPrice,

    /** Name known to customers; undefined if the key may not read products. */
    findProductName: async (account: string, id: string, patience: Patience = {}) => {
      const product = await ifAllowed(() =>
        stripe.products.retrieve(id, {}, { ...on(account), ...patience }),
      );
      return product?.name;
    },
  };
}

/** Finds a price with tiers and other currencies; `tiersIn` adds the tiers of that currency. */
export type FindPrice = (id: string, tiersIn?: string) => Promise<Stripe.Price | undefined>;

/** Adds the parts of prices that the amount needs, if Stripe still has them; missing items stay missing. */
export async function completePrices(
  subscription: Stripe.Subscription,
  find: FindPrice,
): Promise<Stripe.Subscription> {
  const { items, currency } = subscription;
  if (items.has_more) return subscription;
  const data = await Promise.all(
    items.data.map(async (item) => {
      const price = await completePrice(item.price, currency, find);
      return price === item.price ? item : { ...item, price };
    }),
  );
  return { ...subscription, items: { ...items, data } };
}

async function completePrice(price: Stripe.Price, currency: string, find: FindPrice): Promise<Stripe.Price> {
  // Usage is billed afterwards: such a price is not read.
  if (price.recurring?.usage_type === 'metered') return price;
  const isTiered = price.billing_scheme === 'tiered';
  if (price.currency === currency) {
    return isTiered && !price.tiers ? withParts(price, await find(price.id)) : price;
  }
  const shown = price.currency_options ? price : withParts(price, await find(price.id));
  const option = shown.currency_options?.[currency];
  // Requested only if the option exists: Stripe refuses to expand others.
  return isTiered && option && !option.tiers ? withParts(shown, await find(price.id, currency)) : shown;
}

function withParts(price: Stripe.Price, found: Stripe.Price | undefined): Stripe.Price {
  const { tiers, currency_options: options } = found ?? {};
  return { ...price, ...(tiers && { tiers }), ...(options && { currency_options: options }) };
}

/** More than a catalogue has; bounds memory for a merchant with a price per customer. */
const MOST_REMEMBERED = 5_000;

/** Reads each price once a run, not longer: tiers never change, but amounts in other currencies do. */
export function createPriceMemory(): (run: number, find: FindPrice) => FindPrice {
  const known = new Map<string, Promise<Stripe.Price | undefined>>();
  return (run, find) => (id, tiersIn) => {
    const key = `${run} ${id} ${tiersIn ?? ''}`;
    const remembered = known.get(key);
    if (remembered) return remembered;
    const asked = find(id, tiersIn);
    known.set(key, asked);
    asked.catch(() => known.delete(key));
    for (const oldest of known.keys()) {
      if (known.size <= MOST_REMEMBERED) break;
      known.delete(oldest);
    }
    return asked;
  };
}

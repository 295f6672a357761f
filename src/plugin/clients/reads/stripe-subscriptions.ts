/**
 * What the plugin asks of Stripe about subscriptions, their prices and products.
 * It shows the tiers of a price, and its other currencies, only when asked for them (stripe-facts 2.3, 3.3).
 */
import type Stripe from 'stripe';
import type { Patience } from '../patience.ts';
import { ifAllowed, orUndefined } from '../stripe-refusals.ts';

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

/** A price with its tiers and its amounts in other currencies; with `tiersIn` those of that currency have theirs. */
export type FindPrice = (id: string, tiersIn?: string) => Promise<Stripe.Price | undefined>;

/** The subscription with all that its amount needs, but for items that are missing, and for what Stripe no longer has. */
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
  // Usage is billed afterwards: nothing of such a price is looked at.
  if (price.recurring?.usage_type === 'metered') return price;
  const isTiered = price.billing_scheme === 'tiered';
  if (price.currency === currency) {
    return isTiered && !price.tiers ? withParts(price, await find(price.id)) : price;
  }
  const shown = price.currency_options ? price : withParts(price, await find(price.id));
  const option = shown.currency_options?.[currency];
  // Asked for only where the option is there: Stripe refuses to expand what is not.
  return isTiered && option && !option.tiers ? withParts(shown, await find(price.id, currency)) : shown;
}

function withParts(price: Stripe.Price, found: Stripe.Price | undefined): Stripe.Price {
  const { tiers, currency_options: options } = found ?? {};
  return { ...price, ...(tiers && { tiers }), ...(options && { currency_options: options }) };
}

/** Many more than a catalogue has; a merchant with a price for each customer keeps the memory flat. */
const MOST_REMEMBERED = 5_000;

/**
 * Asks for each price once in a run. Not longer: tiers never change at Stripe, but amounts in other currencies do.
 */
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

/** Lists of subscriptions show prices without tiers or other currencies (stripe-facts 3.3): each is asked for once. */
import type Stripe from 'stripe';
import type { StripeLists } from '../../clients/stripe-lists.ts';

export type CompletePrices = (
  subscriptions: readonly Stripe.Subscription[],
  from: { readonly account: string; readonly perSecond: number },
) => Promise<readonly Stripe.Subscription[]>;

/** Many more than a catalogue has; a merchant with a price for each customer keeps the memory flat. */
const MOST_REMEMBERED = 5_000;

/** Tiers of a price never change at Stripe, and amounts in other currencies seldom: what is known serves for a run. */
export function createPriceCompleter(stripe: {
  readonly findPrice: (account: string, id: string) => Promise<Stripe.Price | undefined>;
  readonly atPace: StripeLists['atPace'];
}): CompletePrices {
  const known = new Map<string, Promise<Stripe.Price | undefined>>();

  function find(account: string, id: string, perSecond: number): Promise<Stripe.Price | undefined> {
    const key = `${account} ${id}`;
    const remembered = known.get(key);
    if (remembered) return remembered;
    const asked = stripe.atPace('price', perSecond, () => stripe.findPrice(account, id));
    known.set(key, asked);
    asked.catch(() => known.delete(key));
    for (const oldest of known.keys()) {
      if (known.size <= MOST_REMEMBERED) break;
      known.delete(oldest);
    }
    return asked;
  }

  return (subscriptions, { account, perSecond }) =>
    Promise.all(
      subscriptions.map(async (subscription) => {
        const { items, currency } = subscription;
        if (items.has_more || !items.data.some(({ price }) => lacksParts(price, currency)))
          return subscription;
        const data = await Promise.all(
          items.data.map(async (item) => {
            if (!lacksParts(item.price, currency)) return item;
            const price = await find(account, item.price.id, perSecond);
            return price ? { ...item, price } : item;
          }),
        );
        return { ...subscription, items: { ...items, data } };
      }),
    );
}

function lacksParts(price: Stripe.Price, currency: string): boolean {
  if (price.billing_scheme === 'tiered' && !price.tiers) return true;
  return price.currency !== currency && !price.currency_options;
}

/** Stripe shows the tiers of a price, and its other currencies, only when asked for them (stripe-facts 2.3, 3.3). */
import type Stripe from 'stripe';

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

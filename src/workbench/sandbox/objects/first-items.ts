import { listOf, type Subscription } from './wire.ts';

/** A subscription shows so many of its items; the others are listed (stripe-facts 2.2). */
const ITEMS_SHOWN = 10;

/** For `JSON.stringify`: subscriptions, wherever they stand in what is answered or sent, as Stripe shows them. */
export function showFirstItems(_key: string, value: unknown): unknown {
  if (!isSubscription(value) || value.items.data.length <= ITEMS_SHOWN) return value;
  const { url, data } = value.items;
  return { ...value, items: listOf(url, data.slice(0, ITEMS_SHOWN), true) };
}

function isSubscription(value: unknown): value is Subscription {
  return typeof value === 'object' && value !== null && 'object' in value && value.object === 'subscription';
}

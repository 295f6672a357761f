import { listOf, type Subscription } from './wire.ts';

/** Items that a subscription shows; the others are listed (stripe-facts 2.2). */
const ITEMS_SHOWN = 10;

/** A `JSON.stringify` replacer that shortens subscriptions at any depth as Stripe shows them. */
export function showFirstItems(_key: string, value: unknown): unknown {
  if (!isSubscription(value) || value.items.data.length <= ITEMS_SHOWN) return value;
  const { url, data } = value.items;
  return { ...value, items: listOf(url, data.slice(0, ITEMS_SHOWN), true) };
}

function isSubscription(value: unknown): value is Subscription {
  return typeof value === 'object' && value !== null && 'object' in value && value.object === 'subscription';
}

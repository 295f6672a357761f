import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { inSlices } from '../../kit/in-slices.ts';

/** As many types as one list of events can be narrowed to (stripe-facts 1.9). */
const TYPES_PER_LIST = 20;

export interface EventRange {
  /** Both are included, in whole seconds. */
  from: DateTime;
  to: DateTime;
  types: readonly string[];
}

export function createStripeEvents(stripe: Stripe, on: (account: string) => Stripe.RequestOptions) {
  return {
    /** Page by page, of each page the newest first. Stripe keeps events for 30 days (stripe-facts 1.9). */
    listEvents: async function* (account: string, range: EventRange): AsyncGenerator<Stripe.Event[]> {
      const created = { gte: Math.floor(range.from.toSeconds()), lte: Math.floor(range.to.toSeconds()) };
      for (const types of inSlices(range.types, TYPES_PER_LIST)) {
        const params: Stripe.EventListParams = { types, created, limit: 100 };
        for (let hasMore = true; hasMore; ) {
          const page = await stripe.events.list(params, on(account));
          // Before the page is given away: its reader may turn it round.
          const last = page.data.at(-1);
          yield page.data;
          hasMore = page.has_more && last !== undefined;
          if (last) params.starting_after = last.id;
        }
      }
    },
  };
}

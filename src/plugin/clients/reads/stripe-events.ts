import type { DateTime } from 'luxon';
import Stripe from 'stripe';
import { inSlices } from '../../../core/base/in-slices.ts';
import { orUndefined } from '../stripe-refusals.ts';

/** Stripe's limit of types in a list of events (stripe-facts 1.9). */
const TYPES_PER_LIST = 20;

export interface EventRange {
  /** Both inclusive, in whole seconds. */
  from: DateTime;
  to: DateTime;
  types: readonly string[];
}

/** Path of a v1 object, as in a signed event. */
const OBJECT_PATH = /^\/v1(\/[a-z_]+){1,2}\/[A-Za-z0-9_-]+$/;

export function createStripeEvents(stripe: Stripe, on: (account: string) => Stripe.RequestOptions) {
  return {
    apiVersion: Stripe.API_VERSION,

    findEvent: (account: string, id: string) =>
      orUndefined(() => stripe.events.retrieve(id, {}, on(account))),

    /** Includes the changes, which its notification lacks (stripe-facts 1.10). */
    findThinEvent: (account: string, id: string) =>
      orUndefined(() => stripe.v2.core.events.retrieve(id, {}, on(account))),

    /** Reads the object of a thin event by its path. */
    findAt: async (account: string, path: string): Promise<object | undefined> => {
      if (!OBJECT_PATH.test(path)) return undefined;
      return orUndefined(() => stripe.rawRequest('GET', path, {}, on(account)));
    },

    /** Same as `listEvents` for types such as `v1.invoice.paid`; times are ISO 8601, unlike in the SDK's types (stripe-facts 1.10). */
    listThinEvents: async function* (
      account: string,
      { from, to, types: all }: EventRange,
    ): AsyncGenerator<Stripe.V2.Core.Event[]> {
      const created: object = { gte: from.startOf('second').toUTC().toISO(), lte: to.toUTC().toISO() };
      for (const types of inSlices(all, TYPES_PER_LIST)) {
        let page: Stripe.V2.Core.Event[] = [];
        for await (const event of stripe.v2.core.events.list({ types, created, limit: 100 }, on(account))) {
          page.push(event);
          if (page.length < 100) continue;
          yield page;
          page = [];
        }
        yield page;
      }
    },

    /** Pages of events, newest first within a page. Stripe keeps events for 30 days (stripe-facts 1.9). */
    listEvents: async function* (account: string, range: EventRange): AsyncGenerator<Stripe.Event[]> {
      const created = { gte: Math.floor(range.from.toSeconds()), lte: Math.floor(range.to.toSeconds()) };
      for (const types of inSlices(range.types, TYPES_PER_LIST)) {
        const params: Stripe.EventListParams = { types, created, limit: 100 };
        for (let hasMore = true; hasMore; ) {
          const page = await stripe.events.list(params, on(account));
          // Read before the page is given away: its reader may reverse it.
          const last = page.data.at(-1);
          yield page.data;
          hasMore = page.has_more && last !== undefined;
          if (last) params.starting_after = last.id;
        }
      }
    },
  };
}

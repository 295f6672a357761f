/** Parts of events that the steps rely on. A signature does not guarantee them, and a retry does not add them. */
import type Stripe from 'stripe';
import { z } from 'zod';
import { lazy } from '../../../core/base/lazy.ts';
import type { EventResult } from '../../reasons/event-result.ts';
import { unreadable } from '../map/fit-message.ts';

/** Id, type or status. */
export const word = z.string().regex(/^[!-~]{1,255}$/, 'must be 1 to 255 printable characters');

export const reference = z
  .union([word, z.object({ id: word })], 'must be an id or an object with an id')
  .nullish();
export const owned = { customer: reference, customer_account: word.nullish() };
export const text = z.string().nullish();

/** A kind of object in events. */
export interface EventObject {
  /** Permissions besides `event_read` that a Stripe App needs for events about it (stripe-facts 7.3). */
  readonly permissions: readonly string[];
  /** Returns why the event is unreadable, or undefined. */
  readonly findUnreadable: (event: Stripe.Event) => EventResult | undefined;
}

export function eventObject(permissions: readonly string[], object: z.ZodType): EventObject {
  const shape = lazy(() =>
    z.compile(
      z.object({
        data: z.object({
          object,
          previous_attributes: z
            .looseObject({ invoice_settings: z.record(z.string(), z.unknown()).optional() })
            .optional(),
        }),
        // Old versions have only an id.
        request: z.union([z.string(), z.object({ idempotency_key: text })], 'must be an object').nullish(),
      }),
    ),
  );
  return {
    permissions,
    findUnreadable: (event) => {
      const parsed = shape().safeParse(event);
      return parsed.success ? undefined : { code: 'dead', reason: unreadable(parsed.error).reason };
    },
  };
}

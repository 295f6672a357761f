/** What the steps rely on in an event. A signature does not promise it, and what fails for a field fails so at every try. */
import type Stripe from 'stripe';
import { z } from 'zod';
import { whenUsed } from '../../../core/base/when-used.ts';
import type { EventResult } from '../../reasons/event-result.ts';
import { unreadable } from '../map/fit-message.ts';

/** An id, a type or a status. */
export const word = z.string().regex(/^[!-~]{1,255}$/, 'must be 1 to 255 printable characters');

export const reference = z
  .union([word, z.object({ id: word })], 'must be an id or an object with an id')
  .nullish();
export const owned = { customer: reference, customer_account: word.nullish() };
export const text = z.string().nullish();

/** One kind of object that events are about. */
export interface EventObject {
  /** Permissions without which an app of Stripe gets no event about it (stripe-facts 7.3), besides `event_read`. */
  readonly permissions: readonly string[];
  /** Returns why the steps cannot read an event about it, or undefined. */
  readonly findUnreadable: (event: Stripe.Event) => EventResult | undefined;
}

export function eventObject(permissions: readonly string[], object: z.ZodType): EventObject {
  const shape = whenUsed(() =>
    z.compile(
      z.object({
        data: z.object({
          object,
          previous_attributes: z
            .looseObject({ invoice_settings: z.record(z.string(), z.unknown()).optional() })
            .optional(),
        }),
        // Of old versions only an id.
        request: z.union([z.string(), z.object({ idempotency_key: text })], 'must be an object').nullish(),
      }),
    ),
  );
  return {
    permissions,
    findUnreadable: (event) => {
      const parsed = shape().safeParse(event);
      return parsed.success ? undefined : { code: 'dead', reason: unreadable(parsed.error) };
    },
  };
}

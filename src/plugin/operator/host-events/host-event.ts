/** Events for the host application and for EVENTS_URL: at least once, in the order in which they happened as far as they are taken. */

import { describeUnknown } from '../../../core/base/nearest-name.ts';
import type { Access } from '../lists/access.ts';

interface EventOf<Type extends string, Data> {
  /** The same for every try, and for the webhook of the same event. */
  readonly id: string;
  readonly type: Type;
  readonly account: string;
  readonly invoice: string | null;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly data: Data;
}

/** A code with parameters (docs/how-to/operations.md). */
interface WhyData {
  readonly reason?: { readonly code: string } & Readonly<Record<string, unknown>>;
}

interface AccessData {
  readonly customer: string;
  readonly reason: Access['reason'];
}

/** What can happen, by type, and the data that is sent (docs/how-to/operations.md, Events). */
export interface HostEvents {
  /** A failed invoice is paid, by any means. */
  readonly recovered: EventOf<
    'recovered',
    {
      readonly customer: string | null;
      readonly subscription: string | null;
      readonly currency: string;
      /** The failed amount, in the smallest unit. */
      readonly amount: number;
    }
  >;
  /** The service asks for nothing more (`exclusive` mode). */
  readonly gaveUp: EventOf<'gaveUp', WhyData>;
  /** The invoice of an ended or paused subscription was paid, and the subscription goes on (`AFTER_END=resume`). */
  readonly resumed: EventOf<
    'resumed',
    {
      readonly customer: string;
      /** The same as `previous` if it was only paused. */
      readonly subscription: string;
      readonly previous: string;
    }
  >;
  /** An attempt of ours has ended. */
  readonly attempted: EventOf<
    'attempted',
    {
      readonly outcome: 'paid' | 'declined' | 'requires_action' | 'pending' | 'not_payable';
      readonly code?: string;
      readonly declineCode?: string;
      readonly chargeId?: string;
    }
  >;
  /** The mail server took an email to the customer. Before a renewal there is no invoice, and `subscription` says what it is about. */
  readonly emailed: EventOf<'emailed', { readonly template: string; readonly subscription?: string }>;
  /** A payment waits for a person's decision, or an email cannot go out. */
  readonly needsAttention: EventOf<
    'needsAttention',
    WhyData & { readonly action?: string; readonly guard?: string; readonly subscription?: string }
  >;
  /** A customer's access has ended; `reason` is that of `customers.access`. */
  readonly accessEnds: EventOf<'accessEnds', AccessData>;
  /** It is there again, after it had ended. */
  readonly accessRestored: EventOf<'accessRestored', AccessData>;
  /** A customer was assigned to the control group of EXPERIMENT: leave them to it. */
  readonly joinedControlGroup: EventOf<
    'joinedControlGroup',
    { readonly customer: string; readonly against: 'stripe' | 'schedule' }
  >;
}

/** Every type; the compiler checks that none is missing. */
export const HOST_EVENT_TYPES = Object.keys({
  recovered: true,
  gaveUp: true,
  resumed: true,
  attempted: true,
  emailed: true,
  needsAttention: true,
  accessEnds: true,
  accessRestored: true,
  joinedControlGroup: true,
} satisfies Record<keyof HostEvents, true>) as (keyof HostEvents)[];

/** Any of them; `type` says which. */
export type HostEvent = HostEvents[keyof HostEvents];

/** One that throws, or rejects, is called again later. */
export type HostHandler<Type extends keyof HostEvents> = (event: HostEvents[Type]) => void | Promise<void>;

/** A handler for each type that is of interest. */
export type HostHandlers = { readonly [Type in keyof HostEvents]?: HostHandler<Type> };

/** A sentence for each handler of an event that there is not, and for each that cannot be called. */
export function findHandlerProblems(handlers: Readonly<Record<string, unknown>>): string[] {
  const given = Object.entries(handlers).filter(([, handler]) => handler !== undefined);
  const wrong = given.filter(([, handler]) => typeof handler !== 'function');
  return [
    ...describeUnknown(
      'event',
      given.map(([type]) => type),
      HOST_EVENT_TYPES,
    ),
    ...wrong.map(([type]) => `on.${type} must be a function`),
  ];
}

/** Adds a handler to an existing one; both are called again later if one of them throws. */
export function addHandler<Type extends keyof HostEvents>(
  handlers: HostHandlers | undefined,
  type: Type,
  handler: HostHandler<Type>,
): HostHandlers {
  const before: HostHandler<Type> | undefined = handlers?.[type];
  const both = async (event: HostEvents[Type]) => {
    await before?.(event);
    await handler(event);
  };
  return { ...handlers, [type]: both };
}

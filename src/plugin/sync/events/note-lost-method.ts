import type Stripe from 'stripe';
import { z } from 'zod';
import { idOf } from '../../clients/chosen-methods.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { noteFoundMethod, noteLostMethod } from '../../store/tables/sync/subscriptions.ts';
import { eventObject, reference, word } from './event-object.ts';
import { ASKS_STRIPE, canAsk, type EventStep } from './event-step.ts';

export const MANDATE = eventObject(
  ['mandate_read'],
  z.object({ object: z.literal('mandate'), payment_method: reference, status: word.nullish() }),
);

interface MethodChange {
  readonly paymentMethod: string;
  /** The customer; unknown for a mandate, whose method names it. */
  readonly customerId: string | undefined;
  readonly isLost: boolean;
}

/** A method for renewals is gone or back: detached, or its mandate ended (stripe-facts 5.13). */
export const noteMethod: EventStep = async (deps, { account, event }) => {
  const change = readChange(event);
  if (change === undefined) return { result: { code: 'no_lost_method' } };
  const { paymentMethod, isLost } = change;
  if (!isLost)
    return {
      result: { code: 'method_found', paymentMethod },
      apply: (tx) => noteFoundMethod(tx, account, paymentMethod),
    };
  let { customerId } = change;
  if (customerId === undefined) {
    if (!canAsk(deps)) return ASKS_STRIPE;
    const method = await deps.stripe.findPaymentMethod(account, paymentMethod);
    customerId = method && customerIdOf(method);
  }
  if (customerId === undefined) return { result: { code: 'no_lost_method' } };
  return {
    result: { code: 'method_lost', paymentMethod },
    apply: (tx) => noteLostMethod(tx, { account, customerId, paymentMethod }),
  };
};

function readChange({ type, data }: Stripe.Event): MethodChange | undefined {
  switch (type) {
    case 'mandate.updated': {
      const { payment_method: method, status } = data.object;
      const paymentMethod = idOf(method);
      if (paymentMethod === undefined || status === 'pending') return undefined;
      return { paymentMethod, customerId: undefined, isLost: status === 'inactive' };
    }
    case 'payment_method.detached': {
      const customerId = data.previous_attributes && customerIdOf(data.previous_attributes);
      return customerId === undefined
        ? undefined
        : { paymentMethod: data.object.id, customerId, isLost: true };
    }
    default:
      return undefined;
  }
}

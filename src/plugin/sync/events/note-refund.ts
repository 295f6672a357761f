import { DateTime } from 'luxon';
import { z } from 'zod';
import { idOf } from '../../clients/chosen-methods.ts';
import { recordRefund } from '../../store/tables/sync/charge-records.ts';
import { eventObject, reference, word } from './event-object.ts';
import type { AskingStep } from './event-step.ts';

export const CHARGE = eventObject(['charge_read'], z.object({ object: z.literal('charge'), id: word }));
export const REFUND = eventObject(
  ['charge_read'],
  z.object({ object: z.literal('refund'), charge: reference }),
);

/** Refunds reduce the recovered amount (stripe-facts 3.12). The charge itself has the amount. */
export const noteRefund: AskingStep = async (deps, { account, event }) => {
  const { object } = event.data;
  const chargeId =
    object.object === 'charge' ? object.id : object.object === 'refund' ? idOf(object.charge) : undefined;
  if (!chargeId) return { result: { code: 'ignored_object', expected: 'charge' } };
  const charge = await deps.stripe.findCharge(account, chargeId);
  if (!charge) return { result: { code: 'gone', object: 'charge' } };
  const refunded = charge.amount_refunded;
  return {
    result: { code: 'refund_noted', chargeId },
    apply: (tx) => recordRefund(tx, { account, chargeId, refunded, at: DateTime.fromSeconds(event.created) }),
  };
};

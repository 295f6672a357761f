import { refused } from '../api-error.ts';
import { nulls } from '../objects/nulls.ts';
import type { Charge, Refund } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';

/** Days until a bank gives a debited amount back; a card is refunded immediately. */
const BANK_DAYS = 5;

export interface RefundInput {
  /** The rest of the charge when not given. */
  amount?: number | undefined;
  reason?: string | undefined;
}

/** The invoice that the charge paid stays paid (stripe-facts 3.12). */
export function refundCharge(world: World, charge: Charge, { amount, reason }: RefundInput = {}): Refund {
  const left = charge.amount - charge.amount_refunded;
  const given = amount ?? left;
  if (charge.status !== 'succeeded') throw refused(`Charge ${charge.id} has not succeeded.`);
  if (left === 0)
    throw refused(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  if (given > left || given <= 0)
    throw refused(`Refund amount (${given}) is not within what is left (${left}).`, { param: 'amount' });
  const isCard = charge.payment_method_details?.type === 'card';
  const ends =
    world.cards.get(charge.payment_method ?? '')?.behaviour.refundsEnd ?? (isCard ? undefined : 'succeeded');
  const refund = world.refunds.add({
    ...nulls(
      'balance_transaction customer_account receipt_number source_transfer_reversal transfer_reversal',
    ),
    id: world.ids.next(isCard ? 're' : 'pyr'),
    object: 'refund',
    amount: given,
    charge: charge.id,
    created: unixNow(world),
    currency: charge.currency,
    customer: charge.customer,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: reason ?? null,
    status: ends === 'succeeded' ? 'pending' : 'succeeded',
  });
  charge.amount_refunded += given;
  charge.refunded = charge.amount_refunded === charge.amount;
  publish(world, 'refund.created', refund);
  publish(world, 'charge.refunded', charge);
  if (ends !== undefined) scheduleEnd(world, charge, refund, ends);
  return refund;
}

/** A failed refund no longer counts as refunded. */
function scheduleEnd(world: World, charge: Charge, refund: Refund, status: 'succeeded' | 'failed'): void {
  world.due.add({
    atMs: world.clock.now().plus({ days: BANK_DAYS }).toMillis(),
    isCurrent: () => refund.status !== 'failed' && refund.status !== 'canceled',
    run: () => {
      const before = snapshotOf(refund);
      refund.status = status;
      if (status === 'failed') {
        refund.failure_reason = 'unknown';
        charge.amount_refunded -= refund.amount;
        charge.refunded = false;
        publish(world, 'refund.failed', refund);
      }
      publishUpdated(world, 'refund.updated', refund, before);
      publishUpdated(world, 'charge.refund.updated', refund, before);
    },
  });
}

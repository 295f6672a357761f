import { refused } from '../api-error.ts';
import { buildDispute } from '../objects/build-dispute.ts';
import type { Charge, Dispute } from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';

/** The cardholder disputes a payment. */
export function disputeCharge(world: World, charge: Charge, reason = 'fraudulent'): Dispute {
  if (charge.status !== 'succeeded')
    throw refused(`Charge ${charge.id} did not succeed; it cannot be disputed.`);
  charge.disputed = true;
  const dispute = world.disputes.add(buildDispute(world.ids.next('dp'), unixNow(world), charge, reason));
  publish(world, 'charge.dispute.created', dispute);
  return dispute;
}

export function closeDispute(world: World, id: string, status: 'won' | 'lost'): void {
  const dispute = world.disputes.get(id);
  if (!dispute) throw new Error(`No dispute ${id}`);
  dispute.status = status;
  publish(world, 'charge.dispute.closed', dispute);
}

/** The bank of the card says that a payment may have been fraud. */
export function warnOfFraud(world: World, charge: Charge): void {
  publish(world, 'radar.early_fraud_warning.created', {
    id: world.ids.next('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: true,
    charge: charge.id,
    created: unixNow(world),
    fraud_type: 'unauthorized_use_of_card',
    livemode: false,
    ...(charge.payment_intent === null ? {} : { payment_intent: charge.payment_intent }),
  });
}

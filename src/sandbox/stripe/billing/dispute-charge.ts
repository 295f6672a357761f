import { refused } from '../api/api-error.ts';
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

import { refused } from '../api-error.ts';
import { buildDispute } from '../objects/build-dispute.ts';
import type { Charge, Dispute } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { endMandateAfter } from './mandates.ts';

/**
 * The holder disputes a payment: money is taken back at once. Of a debit that is final (stripe-facts 5.14). An inquiry
 * comes before a dispute, and takes nothing.
 */
export function disputeCharge(
  world: World,
  charge: Charge,
  reason = 'fraudulent',
  { asInquiry = false }: { asInquiry?: boolean | undefined } = {},
): Dispute {
  if (charge.status !== 'succeeded')
    throw refused(`Charge ${charge.id} did not succeed; it cannot be disputed.`);
  charge.disputed = true;
  const isFinal = DEBITS.has(charge.payment_method_details?.type ?? '');
  const status = isFinal ? 'lost' : asInquiry ? 'warning_needs_response' : 'needs_response';
  const fields = { id: world.ids.next('dp'), created: unixNow(world), charge, reason, status };
  const dispute = world.disputes.add(buildDispute(fields));
  publish(world, 'charge.dispute.created', dispute);
  if (!asInquiry) publish(world, 'charge.dispute.funds_withdrawn', dispute);
  if (isFinal) publish(world, 'charge.dispute.closed', dispute);
  const method = world.paymentMethods.get(charge.payment_method ?? '');
  if (isFinal && method !== undefined) endMandateAfter(world, method, reason);
  return dispute;
}

/** The bank makes a dispute of an inquiry. */
export function escalateDispute(world: World, dispute: Dispute): Dispute {
  assertStatus(dispute, ['warning_needs_response', 'warning_under_review']);
  moveDispute(world, dispute, 'needs_response');
  publish(world, 'charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** The merchant hands evidence in, and the bank looks at it. */
export function answerDispute(world: World, dispute: Dispute): Dispute {
  assertStatus(dispute, ['warning_needs_response', 'needs_response']);
  dispute.evidence_details = { ...dispute.evidence_details, has_evidence: true, submission_count: 1 };
  return moveDispute(world, dispute, dispute.status.replace('needs_response', 'under_review'));
}

export type DisputeEnd = 'won' | 'lost' | 'warning_closed';

export function closeDispute(world: World, dispute: Dispute, status: DisputeEnd): Dispute {
  dispute.status = status;
  if (status === 'won') publish(world, 'charge.dispute.funds_reinstated', dispute);
  publish(world, 'charge.dispute.closed', dispute);
  return dispute;
}

function moveDispute(world: World, dispute: Dispute, status: string): Dispute {
  const before = snapshotOf(dispute);
  dispute.status = status;
  publishUpdated(world, 'charge.dispute.updated', dispute, before);
  return dispute;
}

function assertStatus({ id, status }: Dispute, allowed: readonly string[]): void {
  if (!allowed.includes(status)) throw refused(`Dispute ${id} is ${status}.`);
}

/** Methods whose disputes the bank decides alone. */
const DEBITS: ReadonlySet<string> = new Set([
  'acss_debit',
  'au_becs_debit',
  'bacs_debit',
  'sepa_debit',
  'us_bank_account',
]);

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

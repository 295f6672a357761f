import { refused } from '../api-error.ts';
import { buildDispute } from '../objects/build-dispute.ts';
import type { Charge, Dispute } from '../objects/wire.ts';
import { publish, update } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { endMandateAfter } from './mandates.ts';

/**
 * Disputes a payment for its holder: the money is taken back immediately. A disputed debit is final (stripe-facts 5.14). An
 * inquiry precedes a dispute and takes nothing.
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
  const fields = { id: world.ids.next('dp'), created: unixNow(world), reason, status };
  const dispute = world.disputes.add(buildDispute(fields, charge));
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

/** Submits the merchant's evidence for the bank to review. Test mode decides immediately by some texts (stripe-facts 8.4). */
export function answerDispute(world: World, dispute: Dispute, text?: string): Dispute {
  assertStatus(dispute, ['warning_needs_response', 'needs_response', 'appeal_needs_response']);
  const { evidence_details: details } = dispute;
  const submissions = { has_evidence: true, submission_count: details.submission_count + 1 };
  const status = dispute.status.replace('needs_response', 'under_review');
  moveDispute(world, dispute, status, { evidence_details: { ...details, ...submissions } });
  if (text === 'escalate_inquiry_evidence') return escalateDispute(world, dispute);
  const end = TEST_ENDS[text ?? ''];
  if (end === undefined) return dispute;
  return closeDispute(world, dispute, status.startsWith('warning_') ? 'warning_closed' : end);
}

const TEST_ENDS: Readonly<Record<string, DisputeEnd>> = { winning_evidence: 'won', losing_evidence: 'lost' };

export type DisputeEnd = 'won' | 'lost' | 'warning_closed';

/** The bank's answer to one that was lost can be appealed against, once (stripe-facts 5.14). */
export function appealDispute(world: World, dispute: Dispute): Dispute {
  assertStatus(dispute, ['lost']);
  return moveDispute(world, dispute, 'appeal_needs_response');
}

/** An inquiry takes nothing, so that it cannot be won or lost; a dispute takes what only winning gives back. */
export function closeDispute(world: World, dispute: Dispute, status: DisputeEnd): Dispute {
  const isInquiry = dispute.status.startsWith('warning_');
  if (isInquiry !== (status === 'warning_closed'))
    throw refused(`Dispute ${dispute.id} is ${dispute.status}; it cannot be ${status}.`);
  dispute.status = status;
  if (status === 'won') publish(world, 'charge.dispute.funds_reinstated', dispute);
  publish(world, 'charge.dispute.closed', dispute);
  return dispute;
}

function moveDispute(
  world: World,
  dispute: Dispute,
  status: string,
  changes: Partial<Dispute> = {},
): Dispute {
  update(world, 'charge.dispute.updated', dispute, { ...changes, status });
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
  const warning = world.fraudWarnings.add({
    id: world.ids.next('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: true,
    charge: charge.id,
    created: unixNow(world),
    fraud_type: 'unauthorized_use_of_card',
    livemode: false,
    ...(charge.payment_intent === null ? {} : { payment_intent: charge.payment_intent }),
  });
  publish(world, 'radar.early_fraud_warning.created', warning);
}

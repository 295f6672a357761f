/** Cards whose holder reported a payment as fraud (stripe-facts 5.12). Pure. */
import type { Reason } from '../../reasons/reason.ts';
import type { OpenWarning } from '../../store/tables/sync/card-warnings.ts';
import { type InvoiceHolds, wasReleasedSince } from '../invoice/invoice-holds.ts';

export const FRAUD_REPORTED = 'fraud_reported';

type FraudReport = Extract<Reason, { code: 'fraud_reported' }>;

/** Why the card is not charged; undefined without a report, or after a release by a person. */
export function findFraudReport(
  warning: OpenWarning | undefined,
  holds: Pick<InvoiceHolds, 'releasedAt'>,
): FraudReport | undefined {
  if (!warning || wasReleasedSince(holds, warning.openedAt)) return undefined;
  return { code: 'fraud_reported', warningId: warning.id };
}

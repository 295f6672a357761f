/** A card whose holder reported to the bank that a payment was not theirs (stripe-facts 5.12). Pure. */
import type { Reason } from '../../reasons/reason.ts';
import type { OpenWarning } from '../../store/tables/sync/card-warnings.ts';
import { type InvoiceHolds, wasReleasedSince } from '../invoice/invoice-holds.ts';

/** The guard's name. */
export const FRAUD_REPORTED = 'fraud_reported';

type FraudReport = Extract<Reason, { code: 'fraud_reported' }>;

/** Why the card is left alone; undefined if nothing stands against it, or a person has released the invoice since. */
export function findFraudReport(
  warning: OpenWarning | undefined,
  holds: Pick<InvoiceHolds, 'releasedAt'>,
): FraudReport | undefined {
  if (!warning || wasReleasedSince(holds, warning.openedAt)) return undefined;
  return { code: 'fraud_reported', warningId: warning.id };
}

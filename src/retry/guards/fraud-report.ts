/** A card whose holder told the bank that a payment was not theirs (stripe-facts 5.12). Pure. */
import { DateTime } from 'luxon';
import type { OpenWarning } from '../../store/tables/sync/card-warnings.ts';
import { type FinalSay, wasReleasedSince } from './final-say.ts';

/** The guard's name. */
export const FRAUD_REPORTED = 'fraud_reported';

/** Why the card is left alone; undefined if nothing stands against it, or a person has released the invoice since. */
export function findFraudReport(
  warning: OpenWarning | undefined,
  say: Pick<FinalSay, 'releasedAt'>,
): string | undefined {
  if (!warning || wasReleasedSince(say, DateTime.fromJSDate(warning.openedAt))) return undefined;
  return `the holder of this card told the bank of fraud (${warning.id})`;
}

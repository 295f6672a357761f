/**
 * Bank debits have their own pace: at most two re-presentments (stripe-facts 5.8, 5.10), with room for one to come back
 * unpaid, and on days on which banks work.
 */
import type { DateTime } from 'luxon';
import { PLANNED_GAP_HOURS } from '../../../core/limits/usual-limits.ts';
import { limitsOf } from '../caps.ts';
import type { FailedAttempt, PaymentCase } from '../payment-case.ts';
import { listOwnMornings, moneyDay, zoneNamed } from './own-mornings.ts';

/** Days after the first failure. Bacs: within a month of the first presentation, and a submission takes some days. */
const OFFSETS: Readonly<Record<string, readonly number[]>> = { bacs_debit: [7, 15, 22] };
/** Nacha: within 180 days of the original settlement; SEPA names no limit. */
const OTHER_OFFSETS: readonly number[] = [7, 15, 22, 28];
const SATURDAY = 6;

/** The time of the next presentment in milliseconds; undefined when no day is left. */
export function timeBankDebit(
  paymentCase: PaymentCase,
  { first, latest, now }: { first: FailedAttempt; latest: FailedAttempt; now: DateTime },
): number | undefined {
  const { minGapHours = PLANNED_GAP_HOURS } = limitsOf(paymentCase);
  const begin = moneyDay(first.at.toMillis(), zoneNamed(paymentCase.zone));
  const days = new Set(
    (OFFSETS[latest.methodType] ?? OTHER_OFFSETS).map((offset) => toBankDay(begin + offset)),
  );
  const after = Math.max(now.toMillis(), latest.at.plus({ hours: minGapHours }).toMillis() - 1);
  const until = first.at.plus({ days: WINDOW_DAYS }).toMillis();
  return listOwnMornings(paymentCase, { after, until }).find(({ day }) => days.has(day))?.ms;
}
const WINDOW_DAYS = 31;

/** The next Monday for a weekend. Day 0 was a Thursday. */
function toBankDay(day: number): number {
  const weekday = (day + 4) % 7;
  if (weekday === SATURDAY) return day + 2;
  return weekday === 0 ? day + 1 : day;
}

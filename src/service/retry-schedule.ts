/** When a failed payment is tried again: days after the first failure, at nine in the customer's morning. */
import type { DateTime } from 'luxon';

export interface Schedule {
  /** The first attempt included. */
  maxAttempts: number;
  /** Days after the first morning that follows the first failure. */
  offsets: readonly number[];
}

/** Facts timing 3.5: window, spread and the hour of 09:00 matter most. */
export const WINDOW_DAYS = 28;
export const RETRY_HOUR = 9;
export const MIN_GAP_HOURS = 24;
/** A case that begins longer ago than this when first seen is history, not work. */
export const MAX_CASE_AGE_DAYS = 35;

const GENERIC: Schedule = { maxAttempts: 4, offsets: [3, 9, 16, 24] };

/** Bank debits: at most two re-presentments (facts 5.8, 5.10), with room for one to come back unpaid. */
const SCHEDULES: ReadonlyMap<string, Schedule> = new Map([
  ['soft', { maxAttempts: 8, offsets: [1, 3, 5, 8, 12, 17, 22, 27] }],
  ['generic', GENERIC],
  // Nacha: within 180 days of the original settlement.
  ['us_bank_account', { maxAttempts: 3, offsets: [6, 14, 21, 27] }],
  ['sepa_debit', { maxAttempts: 3, offsets: [6, 14, 21, 27] }],
  // Within one month of the first presentation; a submission takes some days, so the last one starts early.
  ['bacs_debit', { maxAttempts: 3, offsets: [6, 14, 21] }],
]);

export function scheduleFor(name: string): Schedule {
  return SCHEDULES.get(name) ?? GENERIC;
}

/** The next offset later than now and at least a day after the last attempt; undefined when none is left. */
export function nextSlot(
  schedule: Schedule,
  moments: { first: DateTime; last: DateTime; now: DateTime; zone: string },
): DateTime | undefined {
  const { first, last, now, zone } = moments;
  const earliest = last.plus({ hours: MIN_GAP_HOURS });
  return schedule.offsets
    .map((days) => morningAfter(first.setZone(zone), days))
    .find((slot) => slot > now && slot >= earliest);
}

function morningAfter(local: DateTime, days: number): DateTime {
  const today = local.set({ hour: RETRY_HOUR, minute: 0, second: 0, millisecond: 0 });
  return today.plus({ days: today < local ? days + 1 : days });
}

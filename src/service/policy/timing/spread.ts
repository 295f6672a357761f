/** The baseline: mornings spread evenly over the window, without learning (stripe-facts 13.7: it is hard to beat). */
import type { Slot } from './plan-retries.ts';

/** Kept free at the end, so that a late try still has time to be seen. */
const MARGIN_DAYS = 2;

/**
 * The mornings on which the given number of tries spreads over the days after the first failure; those that are past
 * are left out.
 */
export function spreadMornings(
  slots: readonly Slot[],
  { firstDay, windowDays, tries }: { firstDay: number; windowDays: number; tries: number },
): Slot[] {
  const step = (windowDays - MARGIN_DAYS) / tries;
  const days = new Set(
    Array.from({ length: tries }, (_, index) => firstDay + Math.round((index + 1) * step)),
  );
  return slots.filter(({ day }) => days.has(day));
}

import { Duration } from 'luxon';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import type { Price } from '../objects/wire.ts';

export interface BillingPeriod {
  start: number;
  end: number;
}

/**
 * The period that holds an instant, of cycles counted from the anchor. Counting from the anchor, not from the last
 * boundary, keeps the 31st through shorter months. Before the anchor there is one short period up to it.
 */
export function billingPeriodAt(
  instant: number,
  anchor: number,
  recurring: Price['recurring'],
): BillingPeriod {
  if (anchor > instant) return { start: instant, end: anchor };
  const anchorAt = fromUnixSeconds(anchor);
  const step = interval(recurring);
  const boundary = (n: number) => Math.floor(anchorAt.plus(times(step, n)).toSeconds());
  // Luxon's average month is shorter than the calendar's; start a little early and walk.
  const elapsed = ((instant - anchor) / step.as('seconds')) * 0.95;
  let n = Math.max(0, Math.floor(elapsed) - 1);
  while (boundary(n + 1) <= instant) n += 1;
  return { start: boundary(n), end: boundary(n + 1) };
}

const UNITS: Readonly<Record<string, 'days' | 'weeks' | 'months' | 'years'>> = {
  day: 'days',
  week: 'weeks',
  month: 'months',
  year: 'years',
};

function interval(recurring: Price['recurring']): Duration {
  const unit = UNITS[recurring?.interval ?? 'month'] ?? 'months';
  return Duration.fromObject({ [unit]: recurring?.interval_count ?? 1 });
}

function times(duration: Duration, n: number): Duration {
  return duration.mapUnits((amount) => amount * n);
}

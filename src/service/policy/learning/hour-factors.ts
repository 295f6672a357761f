/**
 * What an hour is worth against nine in the morning: payments that came of tries at that hour, by those that their promised odds
 * add up to.
 */
import type { Odds, RetryHour } from '../payment-case.ts';

export const RETRY_HOURS = ['morning', 'evening', 'midnight'] as const satisfies readonly RetryHour[];

export interface HourTally {
  promised: number;
  paid: number;
}
export type HourTallies = Record<RetryHour, HourTally>;
export type HourFactors = Readonly<Record<RetryHour, number>>;

/** Published claims about hours contradict each other (stripe-facts 13.3): nearly equal, so that each is tried now and then. */
const FIRST: HourFactors = { morning: 1, evening: 0.985, midnight: 0.985 };
/** Expected payments that the first guess weighs as much as: hours are thought to differ by about 5 % (one standard deviation). */
const FIRST_PAYMENTS = 300;

export function createHourTallies(): HourTallies {
  const none = () => ({ promised: 0, paid: 0 });
  return { morning: none(), evening: none(), midnight: none() };
}

export function countHour(tallies: HourTallies, { hour, promised }: Odds, isPaid: boolean): void {
  if (!hour) return;
  tallies[hour].promised += promised;
  tallies[hour].paid += Number(isPaid);
}

export function readHours(tallies: HourTallies): HourFactors {
  const { morning } = tallies;
  // Odds that are too high or too low for all hours say nothing about one.
  const usual = (morning.paid + FIRST_PAYMENTS) / (morning.promised + FIRST_PAYMENTS);
  const factor = (hour: RetryHour) =>
    (tallies[hour].paid / usual + FIRST[hour] * FIRST_PAYMENTS) / (tallies[hour].promised + FIRST_PAYMENTS);
  return { morning: 1, evening: factor('evening'), midnight: factor('midnight') };
}

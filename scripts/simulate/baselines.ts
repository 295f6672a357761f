/** The ways of retrying that need no learning. They share no code with the policy. */

import type { Contestant, VisibleCase } from './play.ts';
import { dateOf, weekdayOf } from './simulated-year.ts';

const HARD: ReadonlySet<string> = new Set([
  ...['expired_card', 'invalid_account', 'lost_card', 'stolen_card', 'authentication_required'],
]);
const MORNING = 9;

/** So many days after the failure, at its hour. */
export function createFixed(days: readonly number[]): Contestant {
  return createSchedule(({ failedAt }) => days.map((day) => failedAt + day * 24));
}

/** Nine in the morning on evenly spaced days: the baseline to beat. */
export function createSpread(tries: number, windowDays: number): Contestant {
  return createMornings(evenly(tries, windowDays));
}

/** Nine in the morning, so many days after the failure, once the card has rested for a day. */
export function createMornings(days: readonly number[]): Contestant {
  return createSchedule(({ failedAt }) => {
    const firstMorning = Math.floor((failedAt - MORNING) / 24) * 24 + MORNING;
    const hours: number[] = [];
    for (const day of days) {
      const rested = (hours.at(-1) ?? failedAt) + 24;
      const late = Math.ceil((rested - firstMorning) / 24) * 24;
      hours.push(firstMorning + Math.max(day * 24, late));
    }
    return hours;
  });
}

/** Whole days, the last one at the end of the window. */
export function evenly(tries: number, windowDays: number): number[] {
  return Array.from({ length: tries }, (_, index) => Math.round(((index + 1) * windowDays) / tries));
}

function createSchedule(hoursOf: (seen: VisibleCase) => readonly number[]): Contestant {
  return { next: (seen, tries) => (HARD.has(seen.code) ? undefined : hoursOf(seen)[tries.length]) };
}

/** Never tries; emails and the card updater alone. */
export const createNone = (): Contestant => ({ next: () => undefined });

const WINDOW_DAYS = 14;
const PATIENCE_DAYS = 3;

/**
 * After the published description of Smart Retries: eight tries within two weeks, by rules. Technical refusals soon;
 * others at nine on the next good day (Friday, 1st, 15th, end of the month), or after some days without one.
 */
export function createSmartRules(maxTries: number): Contestant {
  return {
    next: (seen, tries, now) => {
      if (HARD.has(seen.code) || tries.length >= maxTries) return undefined;
      const hour = tries.length === 0 && PASSING.has(seen.code) ? now + 4 : nextGoodMorning(now);
      return hour <= seen.failedAt + WINDOW_DAYS * 24 + MORNING ? hour : undefined;
    },
  };
}
const PASSING: ReadonlySet<string> = new Set(['try_again_later', 'processing_error']);

function nextGoodMorning(now: number): number {
  const today = Math.floor(now / 24);
  const first = now % 24 < MORNING ? today + 1 : today + 2;
  for (let day = first; day < first + PATIENCE_DAYS; day += 1) if (isGoodDay(day)) return day * 24 + MORNING;
  return first * 24 + MORNING;
}

function isGoodDay(day: number): boolean {
  const isFriday = weekdayOf(day) === 5;
  return isFriday || [0, 1, 15].includes(dateOf(day));
}

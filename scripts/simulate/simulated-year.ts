/** The calendar of the simulation: local time of one zone, in days from the start of the year. */

/** 1 January 2026. */
export const START_DAY = Date.UTC(2026, 0, 1) / 86_400_000;
/** A year, and the month in which its last cases end. */
export const DAYS = 365 + 31;
/** Lets every account settle before the year begins. */
export const WARM_UP_DAYS = 60;
/** Spending follows the day: none at night. */
export const SPENT_BY_HOUR = Array.from({ length: 24 }, (_, hour) => (hour >= 8 && hour < 23 ? 24 / 15 : 0));

/** Day 0 of the epoch was a Thursday. */
export const EPOCH_WEEKDAY = 4;

/** Sunday is 0. */
export function weekdayOf(day: number): number {
  return (START_DAY + day + EPOCH_WEEKDAY) % 7;
}

/** The day of the month; 0 is its last. */
export function dateOf(day: number): number {
  const date = new Date((START_DAY + day) * 86_400_000);
  const tomorrow = new Date((START_DAY + day + 1) * 86_400_000);
  return tomorrow.getUTCDate() === 1 ? 0 : date.getUTCDate();
}

/** What falls on a weekend is paid on the Friday before. */
export function toBusinessDay(day: number): number {
  const weekday = weekdayOf(day);
  if (weekday === 6) return day - 1;
  return weekday === 0 ? day - 2 : day;
}

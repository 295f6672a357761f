/** The days on which people are paid: every weekday, every other, twice a month, once a month. Pure arithmetic on days. */

/** Days since 1 January 1970, of a local calendar. */
export type LocalDay = number;

export type PayCycle = 'weekly' | 'biweekly' | 'semimonthly' | 'monthly';

export interface PaySchedule {
  readonly cycle: PayCycle;
  /** Days of the week, from Monday, 1; or of the month, whose last is 0. */
  readonly days: readonly number[];
  /** The latest payday on or before a day. */
  lastPayday(day: LocalDay): LocalDay;
}

const MS_PER_DAY = 86_400_000;
const WEEKDAYS = [1, 2, 3, 4, 5];
const PERIODS = { weekly: 7, biweekly: 14 } as const;
/** 5 January 1970, the first Monday. */
const FIRST_MONDAY = 4;

export const PAY_SCHEDULES: readonly PaySchedule[] = [
  ...WEEKDAYS.map((weekday) => everyDays('weekly', weekday, 0)),
  ...[0, 7].flatMap((phase) => WEEKDAYS.map((weekday) => everyDays('biweekly', weekday, phase))),
  onDates('semimonthly', [1, 15]),
  onDates('semimonthly', [15, 0]),
  ...Array.from({ length: 29 }, (_, date) => onDates('monthly', [date])),
];

function everyDays(cycle: keyof typeof PERIODS, weekday: number, phase: number): PaySchedule {
  const period = PERIODS[cycle];
  const first = FIRST_MONDAY + weekday - 1 + phase;
  return {
    cycle,
    days: [weekday],
    lastPayday: (day) => day - ((((day - first) % period) + period) % period),
  };
}

function onDates(cycle: PayCycle, dates: readonly number[]): PaySchedule {
  return {
    cycle,
    days: dates,
    lastPayday: (day) => {
      const date = new Date(day * MS_PER_DAY);
      const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
      // Pay that is due on the 1st may come in the month before.
      const paydays = [month - 1, month, month + 1].flatMap((one) =>
        dates.map((of) => businessDayOf(one, of)),
      );
      return Math.max(...paydays.filter((payday) => payday <= day));
    },
  };
}

/** A payday on a weekend is moved to the Friday before. Date 0 is the last day of the month before. */
function businessDayOf(month: number, date: number): LocalDay {
  const day = Date.UTC(Math.floor(month / 12), month % 12, date) / MS_PER_DAY;
  const weekday = (((day - FIRST_MONDAY) % 7) + 7) % 7;
  return weekday < 5 ? day : day - (weekday - 4);
}

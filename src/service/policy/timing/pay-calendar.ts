/** The days on which people are paid: every weekday, every other, twice a month, once a month. Pure arithmetic on days. */

/** Days since 1 January 1970, of a local calendar. */
export type LocalDay = number;

export type PayCycle = 'weekly' | 'biweekly' | 'semimonthly' | 'monthly';

export interface PaySchedule {
  readonly cycle: PayCycle;
  /** For an operator. */
  readonly name: string;
  /** The latest payday on or before a day. */
  lastPayday(day: LocalDay): LocalDay;
}

const MS_PER_DAY = 86_400_000;
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
/** 5 January 1970, the first Monday. */
const FIRST_MONDAY = 4;

/** 0 is the last day of a month. */
const TWICE_A_MONTH = [
  { name: 'on the 1st and the 15th', dates: [1, 15] },
  { name: 'on the 15th and the last day of the month', dates: [15, 0] },
];

export const PAY_SCHEDULES: readonly PaySchedule[] = [
  ...WEEKDAYS.map((name, index) => everyDays('weekly', `every ${name}`, 7, FIRST_MONDAY + index)),
  ...[0, 7].flatMap((phase) =>
    WEEKDAYS.map((name, index) =>
      everyDays('biweekly', `every other ${name}`, 14, FIRST_MONDAY + index + phase),
    ),
  ),
  ...TWICE_A_MONTH.map(({ name, dates }) => onDates('semimonthly', name, dates)),
  onDates('monthly', 'on the last day of the month', [0]),
  ...Array.from({ length: 28 }, (_, index) =>
    onDates('monthly', `on day ${index + 1} of the month`, [index + 1]),
  ),
];

function everyDays(cycle: PayCycle, name: string, period: number, phase: number): PaySchedule {
  return { cycle, name, lastPayday: (day) => day - ((((day - phase) % period) + period) % period) };
}

function onDates(cycle: PayCycle, name: string, dates: readonly number[]): PaySchedule {
  return {
    cycle,
    name,
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

/** A payday on a weekend is moved to the Friday before. */
function businessDayOf(month: number, date: number): LocalDay {
  const year = Math.floor(month / 12);
  const day =
    date === 0
      ? Date.UTC(year, (month % 12) + 1, 0) / MS_PER_DAY
      : Date.UTC(year, month % 12, date) / MS_PER_DAY;
  const weekday = (((day - FIRST_MONDAY) % 7) + 7) % 7;
  return weekday < 5 ? day : day - (weekday - 4);
}

/** Remembers the latest payday of every schedule for the days that were asked about. */
export function createPaydayTable(): (day: LocalDay) => Int32Array {
  const known = new Map<LocalDay, Int32Array>();
  return (day) => {
    const found = known.get(day);
    if (found) return found;
    if (known.size > MAX_KNOWN_DAYS) known.clear();
    const paydays = Int32Array.from(PAY_SCHEDULES, (schedule) => schedule.lastPayday(day));
    known.set(day, paydays);
    return paydays;
  };
}
const MAX_KNOWN_DAYS = 2000;

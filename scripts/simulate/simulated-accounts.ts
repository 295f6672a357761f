/** The money of one strained subscriber, hour by hour: enough for the invoice or not. */
import type { Random } from '../../src/workbench/sandbox/random.ts';
import {
  DAYS,
  dateOf,
  EPOCH_WEEKDAY,
  SPENT_BY_HOUR,
  START_DAY,
  toBusinessDay,
  WARM_UP_DAYS,
} from './simulated-year.ts';
import { CYCLES, type Cycle, KINDS, type World } from './worlds.ts';

const HOURS = DAYS * 24;

interface Deposit {
  /** Hours from the start; below 0 during the warm-up. */
  hour: number;
  /** As a multiple of the invoice. */
  cash: number;
}

interface Account {
  deposits: readonly Deposit[];
  /** Mean time constant of spending, in days. */
  drainDays: number;
}

/** One byte for each hour: 1 where the account covers the invoice. */
export function simulateAccount(world: World, random: Random): Uint8Array {
  const { deposits, drainDays } = openAccount(world, random);
  const due = new Map(deposits.map(({ hour, cash }) => [hour, cash]));
  const covers = new Uint8Array(HOURS);
  let balance = 0;
  let rate = 0;
  for (let hour = -WARM_UP_DAYS * 24; hour < HOURS; hour += 1) {
    const ofDay = ((hour % 24) + 24) % 24;
    if (ofDay === 0) rate = random.gamma(2, 1 / drainDays) / 24;
    balance += due.get(hour) ?? 0;
    if (hour >= 0 && balance >= 1) covers[hour] = 1;
    balance *= Math.exp(-rate * (SPENT_BY_HOUR[ofDay] ?? 0));
  }
  return covers;
}

function openAccount(world: World, random: Random): Account {
  const kind = random.pick(KINDS.map((one) => [one, world.kinds[one]]));
  if (kind === 'dry') {
    const { everyDays, cash, drainDays } = world.flash;
    return { deposits: comeAndGo(random, everyDays, random.lognormal(cash, 0.4)), drainDays };
  }
  const cycle = random.pick(CYCLES.map((one) => [one, world.cycles[one]]));
  const share = random.between(...world.drain);
  const cash = random.lognormal(world.cash, 0.5);
  const cycleDays = CYCLE_DAYS[cycle];
  const isSwallowed = () => random.uniform() < world.swallowed;
  const drainDays = share * cycleDays;
  if (kind === 'irregular') {
    const deposits = comeAndGo(random, cycleDays, cash).filter(() => !isSwallowed());
    return { deposits, drainDays };
  }
  const bankHour = Math.floor(random.between(0, 9));
  const deposits = listPaydays(cycle, random).map((day) => ({
    hour: day * 24 + bankHour,
    cash: isSwallowed() ? 0 : cash * random.lognormal(1, 0.2),
  }));
  return { deposits, drainDays };
}

const CYCLE_DAYS: Readonly<Record<Cycle, number>> = {
  weekly: 7,
  biweekly: 14,
  semimonthly: 15.2,
  monthly: 30.4,
};

/** Inflows without a pattern. */
function comeAndGo(random: Random, everyDays: number, cash: number): Deposit[] {
  const deposits: Deposit[] = [];
  let day = -WARM_UP_DAYS + random.exponential(everyDays);
  while (day < DAYS) {
    const bankHour = Math.floor(random.between(0, 9));
    deposits.push({ hour: Math.floor(day) * 24 + bankHour, cash: cash * random.lognormal(1, 0.4) });
    day += random.exponential(everyDays);
  }
  return deposits;
}

/** Days from the start on which pay arrives; one that falls on a weekend is paid on the Friday before. */
function listPaydays(cycle: Cycle, random: Random): number[] {
  const isPayday = choosePattern(cycle, random);
  const days = Array.from({ length: WARM_UP_DAYS + DAYS + 3 }, (_, index) => index - WARM_UP_DAYS);
  return [...new Set(days.filter(isPayday).map(toBusinessDay))];
}

function choosePattern(cycle: Cycle, random: Random): (day: number) => boolean {
  if (cycle === 'weekly' || cycle === 'biweekly') {
    const weekday = random.pick([
      [5, 0.6],
      [4, 0.2],
      [3, 0.1],
      [2, 0.05],
      [1, 0.05],
    ]);
    const period = cycle === 'weekly' ? 7 : 14;
    const phase = random.uniform() < 0.5 ? 0 : 7;
    return (day) => (START_DAY + day - phase - (weekday - EPOCH_WEEKDAY)) % period === 0;
  }
  const dates =
    cycle === 'monthly'
      ? [
          random.pick([
            [0, 0.4],
            [1, 0.15],
            [25, 0.15],
            [28, 0.1],
            [15, 0.1],
            [10, 0.1],
          ]),
        ]
      : random.pick([
          [[15, 0], 0.6],
          [[1, 15], 0.4],
        ]);
  return (day) => dates.includes(dateOf(day));
}

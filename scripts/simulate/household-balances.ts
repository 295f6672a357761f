/**
 * Balances in money, day by day: income, rent, standing orders, cash, daily spending, and what nobody expects. A payment passes
 * where the balance covers it.
 *
 * How this was written: from the sources below, in November 2026, before any policy was played on it. The author knew the policy;
 * none of its explanations was taken over, some sources contradict them on purpose (benefits on Wednesdays, pay that comes early,
 * bills that take the pay). One figure was set by looking, at the share of charges that fail alone: the median of BUFFER_DAYS.
 * No policy is chosen on this world.
 *
 * - How often US employers pay: https://www.bls.gov/ces/publications/length-pay-period.htm
 * - Benefits on the 2nd, 3rd and 4th Wednesday, some on the 3rd: https://www.thebalancemoney.com/when-and-how-social-security-checks-should-arrive-2388919
 * - Buffers in days of spending, and their return to a level of one's own:
 *   https://www.jpmorganchase.com/institute/all-topics/financial-health-wealth-creation/household-cash-buffer-management-from-the-great-recession-through-covid-19
 * - Income and spending that vary by 30 % from month to month: Farrell and Greig, JPMorgan Chase Institute, 2015
 * - Bills due near the pay day, and who has little spends more on it: https://doi.org/10.1126/science.1247727
 * - 40 % of what is paid is bills and credit, 16 % of payments are cash: https://doi.org/10.29338/rdr2020-04 and the 2024 findings
 *
 * Assumed, as nothing is published: shares of those without a rhythm, of early pay and of overdrafts; help by others; hours.
 */
import type { Random } from '../../src/workbench/sandbox/random.ts';
import { DAYS, dateOf, SPENT_BY_HOUR, toBusinessDay, WARM_UP_DAYS, weekdayOf } from './simulated-year.ts';

const MONTH_DAYS = 30.4;
/** Median income a month, in minor units, as those of invoices. */
const INCOME = 320_000;
const BUFFER_DAYS = { median: 30, spread: 1.5 };
const BILL_HOUR = 6;
const CASH_HOUR = 17;
const NOTE = 2_000;

type Rhythm = 'weekly' | 'biweekly' | 'semimonthly' | 'monthly' | 'benefits' | 'varying';
/** The first four by the Bureau of Labor Statistics. */
const RHYTHMS: readonly (readonly [Rhythm, number])[] = [
  ['weekly', 0.17],
  ['biweekly', 0.27],
  ['semimonthly', 0.125],
  ['monthly', 0.065],
  ['benefits', 0.15],
  ['varying', 0.22],
];

interface Bill {
  readonly date: number;
  readonly amount: number;
}

/** One byte for each hour: 1 where the balance covers the amount. */
export function simulateHousehold(amount: number, random: Random): Uint8Array {
  const monthly = random.lognormal(INCOME, 0.5);
  const pay = listIncome(monthly, random);
  const bills = listBills(monthly, random);
  const cashAWeek = monthly * random.between(0.01, 0.06);
  const fixed = bills.reduce((sum, bill) => sum + bill.amount, 0) + cashAWeek * (MONTH_DAYS / 7);
  const daily = Math.max(500, (0.97 * (monthly - fixed)) / MONTH_DAYS);
  const target = daily * random.lognormal(BUFFER_DAYS.median, BUFFER_DAYS.spread);
  const overdraft = random.uniform() < 0.15 ? random.between(5_000, 40_000) : 0;
  const bankHour = Math.floor(random.between(0, 9));
  const covers = new Uint8Array(DAYS * 24);
  let balance = target;
  let owed = 0;
  let paidDaysAgo = 99;
  for (let day = -WARM_UP_DAYS; day < DAYS; day += 1) {
    const income = (pay.get(day) ?? 0) + helpFrom(balance, daily, random);
    paidDaysAgo = pay.has(day) ? 0 : paidDaysAgo + 1;
    owed += bills.reduce((sum, bill) => sum + (isDue(bill, day) ? bill.amount : 0), 0);
    if (random.uniform() < 1 / 90) owed += random.lognormal(0.08 * monthly, 0.8);
    const withdrawn = random.uniform() < 1 / 7 ? NOTE * Math.round(cashAWeek / NOTE) : 0;
    const wanted = spendOn({ daily, balance, target, paidDaysAgo }, random);
    for (let hour = 0; hour < 24; hour += 1) {
      if (hour === bankHour) balance += income;
      // What is due is taken before all else, in whole or as far as it goes.
      if (hour === BILL_HOUR) {
        const taken = Math.min(owed, Math.max(0, balance + overdraft));
        balance -= taken;
        owed -= taken;
      }
      if (hour === CASH_HOUR && withdrawn <= balance) balance -= withdrawn;
      if (day >= 0 && balance + overdraft >= amount) covers[day * 24 + hour] = 1;
      balance -= Math.min((wanted * (SPENT_BY_HOUR[hour] ?? 0)) / 24, Math.max(0, balance + overdraft));
    }
  }
  return covers;
}

/** More in the days after the pay, more where the buffer is above one's own level, less below it. */
function spendOn(
  { daily, balance, target, paidDaysAgo }: Record<'daily' | 'balance' | 'target' | 'paidDaysAgo', number>,
  random: Random,
): number {
  const level = Math.min(1.6, Math.max(0.4, 0.5 + (0.5 * balance) / target));
  const afterPay = paidDaysAgo < 3 ? 1.5 : 0.9;
  return daily * level * afterPay * random.lognormal(0.85, 0.6);
}

/** Family, a loan, something sold: in one of ten days without money. */
function helpFrom(balance: number, daily: number, random: Random): number {
  return balance < daily / 4 && random.uniform() < 0.1 ? daily * random.lognormal(1.5, 0.5) : 0;
}

/** Rent or mortgage on the 1st, two to five standing orders on dates of their own. */
function listBills(monthly: number, random: Random): Bill[] {
  const rent = { date: random.uniform() < 0.75 ? 1 : 5, amount: monthly * random.between(0.22, 0.38) };
  const orders = Array.from({ length: Math.floor(random.between(2, 6)) }, () => ({
    date: 1 + Math.floor(random.between(0, 28)),
    amount: monthly * random.between(0.01, 0.06),
  }));
  return [rent, ...orders];
}

function isDue({ date }: Bill, day: number): boolean {
  return dateOf(day) === date;
}

function listIncome(monthly: number, random: Random): Map<number, number> {
  const rhythm = random.pick(RHYTHMS);
  const days = Array.from({ length: WARM_UP_DAYS + DAYS + 7 }, (_, index) => index - WARM_UP_DAYS);
  if (rhythm === 'varying') return comeAsTheyMay(monthly, days, random);
  const isPayday = choosePaydays(rhythm, random);
  const early = rhythm !== 'benefits' && random.uniform() < 0.2 ? Math.floor(random.between(1, 3)) : 0;
  const paydays = new Set(days.filter(isPayday).map((day) => toBusinessDay(day) - early));
  const share = (monthly * days.length) / MONTH_DAYS / Math.max(1, paydays.size);
  return new Map([...paydays].map((day) => [day, share * random.lognormal(1, 0.12)]));
}

function choosePaydays(rhythm: Exclude<Rhythm, 'varying'>, random: Random): (day: number) => boolean {
  const weekday = random.uniform() < 0.6 ? 5 : 1 + Math.floor(random.between(0, 4));
  const phase = random.uniform() < 0.5 ? 0 : 7;
  const week = 2 + Math.floor(random.between(0, 3));
  const isOnThird = random.uniform() < 0.15;
  const date = random.uniform() < 0.5 ? 0 : 1 + Math.floor(random.between(0, 28));
  if (rhythm === 'weekly') return (day) => weekdayOf(day) === weekday;
  if (rhythm === 'biweekly') return (day) => weekdayOf(day) === weekday && (day + 700 + phase) % 14 < 7;
  if (rhythm === 'semimonthly') return (day) => [15, 0].includes(dateOf(day));
  if (rhythm === 'monthly') return (day) => dateOf(day) === date;
  if (isOnThird) return (day) => dateOf(day) === 3;
  return (day) => weekdayOf(day) === 3 && Math.ceil(dateOf(day) / 7) === week;
}

/** Tips, orders, shifts: some amounts a week, and weeks without any. */
function comeAsTheyMay(monthly: number, days: readonly number[], random: Random): Map<number, number> {
  const perWeek = random.between(0.5, 4);
  const each = (monthly * 7) / MONTH_DAYS / perWeek;
  const paid = days.filter(() => random.uniform() < perWeek / 7);
  return new Map(paid.map((day) => [day, each * random.lognormal(0.85, 0.6)]));
}

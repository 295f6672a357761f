/**
 * What may be behind the refusals of a payment, as far as it matters for when it can pass. Each explanation has a share; every answer
 * multiplies the shares by the chance that each explanation gave it. Nothing is kept between customers. Pure.
 */
import { createPaydayTable, type LocalDay, PAY_SCHEDULES } from '../calendar/pay-calendar.ts';

export interface Morning {
  readonly ms: number;
  readonly day: LocalDay;
}

export interface Answer extends Morning {
  readonly isPaid: boolean;
}

export interface Evidence {
  readonly family: Family;
  /** Answers to the customer's earlier invoices, oldest first. */
  readonly past: readonly Answer[];
  /** Of this invoice, oldest first. */
  readonly refusals: readonly Answer[];
}

/**
 * `payday`: money comes on pay days and runs out. `renewal`: a refusal is followed by a new chance some days later, without a pattern.
 * `passes`: an obstacle is gone after hours to weeks. `dead`: nothing helps.
 */
export const KINDS = ['payday', 'renewal', 'passes', 'dead'] as const;
export type Kind = (typeof KINDS)[number];

/** What the bank says sets the first shares. */
export type Family = 'funds' | 'generic' | 'passing';

const FUNDS: ReadonlySet<string | undefined> = new Set([
  'insufficient_funds',
  'withdrawal_count_limit_exceeded',
]);
const PASSING: ReadonlySet<string | undefined> = new Set([
  'issuer_not_available',
  'processing_error',
  'reenter_transaction',
  'try_again_later',
  'approve_with_id',
  'card_velocity_exceeded',
]);

export function familyOf(code: string | undefined): Family {
  if (FUNDS.has(code)) return 'funds';
  return PASSING.has(code) ? 'passing' : 'generic';
}

/** Neutral, but for two published statements: lack of funds is about money, and half of `do_not_honor` hides it (stripe-facts 13.2). */
const FIRST_SHARES: Readonly<Record<Family, Readonly<Record<Kind, number>>>> = {
  funds: { payday: 0.4, renewal: 0.4, passes: 0.1, dead: 0.1 },
  generic: { payday: 0.25, renewal: 0.25, passes: 0.25, dead: 0.25 },
  passing: { payday: 0.1, renewal: 0.1, passes: 0.7, dead: 0.1 },
};
const CYCLE_DAYS = { weekly: 7, biweekly: 14, semimonthly: 15, monthly: 30 } as const;
const RENEWAL_DAYS = [1, 3, 7, 15];
/** Technical faults are over in hours, limits at midnight or with the month (stripe-facts 13.4). */
const PASSING_DAYS = [0.3, 1, 2, 4, 7, 11, 16, 22];
/** Money is there on a pay day so often, and falls to a third after this share of the cycle. */
const ON_PAYDAY = 0.6;
const SPENT_AFTER = 0.4;
const LEAST_COVER = 0.02;
const RENEWED = 0.5;
const PASSED = 0.9;
/** Nothing is certain: a refusal that should not be, an approval that nobody explains. */
export const SURPRISE = 0.01;

export const PAYDAYS = PAY_SCHEDULES.length;
export const MONEY = PAYDAYS + RENEWAL_DAYS.length;
const LIVING = MONEY + PASSING_DAYS.length;
export const COUNT = LIVING + 1;
export const MS_PER_DAY = 86_400_000;
const NEVER = Number.MIN_SAFE_INTEGER;

export function kindOf(index: number): Kind {
  if (index < PAYDAYS) return 'payday';
  if (index < MONEY) return 'renewal';
  return index < LIVING ? 'passes' : 'dead';
}

const FIRST: Readonly<Record<Family, Float64Array>> = {
  funds: firstShares('funds'),
  generic: firstShares('generic'),
  passing: firstShares('passing'),
};

/** Equal for each cycle of pay, and within it for each schedule. */
function firstShares(family: Family): Float64Array {
  const groupOf = (index: number) => PAY_SCHEDULES[index]?.cycle ?? kindOf(index);
  const groups = Array.from({ length: COUNT }, (_, index) => groupOf(index));
  return Float64Array.from(groups, (group, index) => {
    const alike = groups.filter((one) => one === group).length;
    const share = FIRST_SHARES[family][kindOf(index)] / alike;
    return index < PAYDAYS ? share / Object.keys(CYCLE_DAYS).length : share;
  });
}

/** So many days are told apart; more than any window or cycle has. */
const DAYS = 64;
/** A row for each explanation about money. */
const CHANCES = Float64Array.from({ length: MONEY * DAYS }, (_, cell) => {
  const [index, days] = [Math.floor(cell / DAYS), cell % DAYS];
  const schedule = PAY_SCHEDULES[index];
  if (!schedule) return RENEWED * (1 - Math.exp(-days / (RENEWAL_DAYS[index - PAYDAYS] ?? 1)));
  return Math.max(LEAST_COVER, ON_PAYDAY * Math.exp(-days / (SPENT_AFTER * CYCLE_DAYS[schedule.cycle])));
});

export const paydaysOf = createPaydayTable();

/** A case as its answers leave it. */
interface Belief {
  readonly shares: Float64Array;
  /** The pay day of each schedule whose money was refused: nothing more comes before the next. */
  readonly spent: Float64Array;
  readonly firstMs: number;
  lastMs: number;
}

export function weigh({ family, past, refusals }: Evidence): Belief {
  const belief: Belief = {
    shares: FIRST[family].slice(),
    spent: new Float64Array(PAYDAYS).fill(NEVER),
    firstMs: refusals[0]?.ms ?? 0,
    lastMs: NEVER,
  };
  // A customer's invoices are charged on one date, so that each answer repeats half of the one before.
  for (const answer of past) take(belief, answer, { upTo: MONEY, weigh: Math.sqrt });
  // Earlier invoices show which money it is, not whether it is money.
  const { payday, renewal } = FIRST_SHARES[family];
  scale(belief.shares, MONEY, payday + renewal);
  for (const answer of refusals) take(belief, answer, { upTo: COUNT, weigh: (chance) => chance });
  scale(belief.shares, COUNT, 1);
  return belief;
}

function take(
  belief: Belief,
  answer: Answer,
  { upTo, weigh }: { upTo: number; weigh(chance: number): number },
): void {
  const { shares, spent } = belief;
  const chances = chancesAt(answer, belief);
  const latest = paydaysOf(answer.day);
  for (let index = 0; index < upTo; index += 1) {
    const chance = chances[index] ?? 0;
    shares[index] = (shares[index] ?? 0) * weigh(answer.isPaid ? chance : 1 - chance);
  }
  for (let index = 0; index < PAYDAYS; index += 1)
    spent[index] = answer.isPaid ? NEVER : (latest[index] ?? NEVER);
  belief.lastMs = answer.isPaid ? NEVER : answer.ms;
}

function scale(shares: Float64Array, upTo: number, sum: number): void {
  let before = 0;
  for (let index = 0; index < upTo; index += 1) before += shares[index] ?? 0;
  for (let index = 0; index < upTo; index += 1) shares[index] = ((shares[index] ?? 0) * sum) / before;
}

/** For each explanation: that a payment passes at a moment, after the answers so far. */
export function chancesAt({ ms, day }: Morning, { spent, firstMs, lastMs }: Belief): Float64Array {
  const chances = new Float64Array(COUNT).fill(SURPRISE);
  const latest = paydaysOf(day);
  for (let index = 0; index < PAYDAYS; index += 1) {
    const payday = latest[index] ?? 0;
    if (spent[index] !== payday) chances[index] = chanceAfterDays(index, day - payday);
  }
  const gap = Math.round((ms - lastMs) / MS_PER_DAY);
  for (let index = PAYDAYS; index < MONEY; index += 1) chances[index] = chanceAfterDays(index, gap);
  const age = (ms - firstMs) / MS_PER_DAY;
  PASSING_DAYS.forEach((days, place) => {
    if (age >= days) chances[MONEY + place] = PASSED;
  });
  return chances;
}

/** The chance of an explanation about money so many days after its pay day, or after the last refusal. */
export function chanceAfterDays(index: number, days: number): number {
  return CHANCES[index * DAYS + Math.min(days, DAYS - 1)] ?? 0;
}

/**
 * What may be behind the refusals of a payment, as far as it matters for when it can pass. Each explanation has a share; every answer
 * multiplies the shares by the chance that each explanation gave it. Nothing is kept between customers. Pure.
 */
import { type LocalDay, PAY_SCHEDULES } from '../calendar/pay-calendar.ts';

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
const SURPRISE = 0.01;

const PAYDAYS = PAY_SCHEDULES.length;
const MONEY = PAYDAYS + RENEWAL_DAYS.length;
const LIVING = MONEY + PASSING_DAYS.length;
export const COUNT = LIVING + 1;
export const MS_PER_DAY = 86_400_000;
/** Long before any day that is asked about. */
const NEVER = -1_000_000;

export function kindOf(index: number): Kind {
  if (index < PAYDAYS) return 'payday';
  if (index < MONEY) return 'renewal';
  return index < LIVING ? 'passes' : 'dead';
}

const FIRST: Readonly<Record<Family, readonly number[]>> = {
  funds: firstShares('funds'),
  generic: firstShares('generic'),
  passing: firstShares('passing'),
};

/** Equal for each cycle of pay, and within it for each schedule. */
function firstShares(family: Family): number[] {
  const groupOf = (index: number) => PAY_SCHEDULES[index]?.cycle ?? kindOf(index);
  const groups = Array.from({ length: COUNT }, (_, index) => groupOf(index));
  return groups.map((group, index) => {
    const alike = groups.filter((one) => one === group).length;
    const share = FIRST_SHARES[family][kindOf(index)] / alike;
    return index < PAYDAYS ? share / Object.keys(CYCLE_DAYS).length : share;
  });
}

/** So many days are told apart; more than any window or cycle has. */
const DAYS = 64;
/** Of a chance that renews itself, by days since the last refusal. */
const RENEWALS = Float64Array.from({ length: RENEWAL_DAYS.length * DAYS }, (_, cell) => {
  const mean = RENEWAL_DAYS[Math.floor(cell / DAYS)] ?? 1;
  return RENEWED * (1 - Math.exp(-(cell % DAYS) / mean));
});

/** What a day says by itself of each schedule: its latest pay day, and the chance that the money of it is there. */
interface PayRow {
  readonly paydays: Int32Array;
  readonly chances: Float64Array;
  /** The schedules, that of the latest pay day first. */
  readonly order: Uint8Array;
}
const MAX_ROWS = 2000;
const payRows = new Map<LocalDay, PayRow>();

/** The same for every case, so it is remembered. */
function payRowOf(day: LocalDay): PayRow {
  const known = payRows.get(day);
  if (known) return known;
  if (payRows.size >= MAX_ROWS) payRows.clear();
  const paydays = Int32Array.from(PAY_SCHEDULES, (schedule) => schedule.lastPayday(day));
  const chances = Float64Array.from(PAY_SCHEDULES, ({ cycle }, index) => {
    const cycles = (day - (paydays[index] ?? 0)) / CYCLE_DAYS[cycle];
    return Math.max(LEAST_COVER, ON_PAYDAY * Math.exp(-cycles / SPENT_AFTER));
  });
  const order = Uint8Array.from(paydays.keys()).sort(
    (one, other) => (paydays[other] ?? 0) - (paydays[one] ?? 0),
  );
  const row = { paydays, chances, order };
  payRows.set(day, row);
  return row;
}

/** A moment of one case. */
export interface Row {
  readonly day: LocalDay;
  readonly pay: PayRow;
  /** Obstacles that are gone by then. */
  readonly passed: number;
}

export function rowOf({ ms, day }: Morning, firstMs: number): Row {
  let passed = 0;
  while (ms - firstMs >= (PASSING_DAYS[passed] ?? Number.POSITIVE_INFINITY) * MS_PER_DAY) passed += 1;
  return { day, pay: payRowOf(day), passed };
}

/** That a payment passes, by one explanation, when the last refusal since a payment was on that day. */
export function chanceOn({ day, pay, passed }: Row, index: number, refusedOn: LocalDay): number {
  // Refused money is gone until the next pay day.
  if (index < PAYDAYS) return (pay.paydays[index] ?? 0) > refusedOn ? (pay.chances[index] ?? 0) : 0;
  if (index < MONEY) return renewedAfter(day - refusedOn, index - PAYDAYS);
  return index - MONEY < passed ? PASSED : 0;
}

/** Explanations that give a row any chance, as many as its first `count` places say, and the chances. */
export interface Live {
  readonly indexes: Uint8Array;
  readonly chances: Float64Array;
  count: number;
}

export function createLive(): Live {
  return { indexes: new Uint8Array(COUNT), chances: new Float64Array(COUNT), count: 0 };
}

export function listLive(row: Row, refusedOn: LocalDay, live: Live): void {
  const { indexes, chances } = live;
  const { paydays, chances: paid, order } = row.pay;
  let count = 0;
  for (; count < PAYDAYS; count += 1) {
    const index = order[count] ?? 0;
    if ((paydays[index] ?? 0) <= refusedOn) break;
    indexes[count] = index;
    chances[count] = paid[index] ?? 0;
  }
  for (let index = PAYDAYS; index < MONEY + row.passed; index += 1) {
    indexes[count] = index;
    chances[count] = index < MONEY ? renewedAfter(row.day - refusedOn, index - PAYDAYS) : PASSED;
    count += 1;
  }
  live.count = count;
}

function renewedAfter(days: number, place: number): number {
  return RENEWALS[place * DAYS + (days < DAYS ? days : DAYS - 1)] ?? 0;
}

/** A case as its answers leave it. */
interface Belief {
  readonly shares: Float64Array;
  readonly firstMs: number;
  /** The day of the last refusal that no payment followed. */
  readonly refusedOn: LocalDay;
}

export function weigh({ family, past, refusals }: Evidence): Belief {
  const firstMs = refusals[0]?.ms ?? 0;
  const first = FIRST[family];
  const shares = new Float64Array(COUNT).fill(1);
  const before = take(past, { shares, firstMs, refusedOn: NEVER });
  // A customer's invoices are charged on one date, so that each answer repeats half of the one before.
  for (let index = 0; index < COUNT; index += 1)
    shares[index] = (first[index] ?? 0) * (index < MONEY ? Math.sqrt(shares[index] ?? 0) : 1);
  // Earlier invoices show which money it is, not whether it is money.
  const { payday, renewal } = FIRST_SHARES[family];
  scale(shares, MONEY, payday + renewal);
  const belief = take(refusals, before);
  scale(shares, COUNT, 1);
  return belief;
}

const live = createLive();

/** Of explanations that gave it no chance, a payment leaves a small part: nothing is certain. */
function take(answers: readonly Answer[], { shares, firstMs, refusedOn: before }: Belief): Belief {
  let refusedOn = before;
  for (const answer of answers) {
    listLive(rowOf(answer, firstMs), refusedOn, live);
    for (let place = 0; place < live.count; place += 1) {
      const index = live.indexes[place] ?? 0;
      const chance = live.chances[place] ?? 0;
      const factor = answer.isPaid ? Math.max(1, chance / SURPRISE) : 1 - chance;
      shares[index] = (shares[index] ?? 0) * factor;
    }
    refusedOn = answer.isPaid ? NEVER : answer.day;
  }
  return { shares, firstMs, refusedOn };
}

function scale(shares: Float64Array, upTo: number, sum: number): void {
  let before = 0;
  for (let index = 0; index < upTo; index += 1) before += shares[index] ?? 0;
  for (let index = 0; index < upTo; index += 1) shares[index] = ((shares[index] ?? 0) * sum) / before;
}

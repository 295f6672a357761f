/**
 * What may be behind the refusals of a payment, as far as it matters for when it can pass. Each explanation has a share; every answer
 * multiplies the shares by the chance that each explanation gave it. Nothing is kept between customers. Pure.
 */

import type { Morning } from './own-mornings.ts';
import { type LocalDay, PAY_SCHEDULES } from './pay-calendar.ts';

export interface Answer extends Morning {
  readonly isPaid: boolean;
}

export interface Evidence {
  readonly family: Family;
  /** Answers to the customer's earlier invoices, oldest first. */
  readonly past: readonly Answer[];
  /** Refusals of this invoice, oldest first. */
  readonly refusals: readonly Answer[];
}

/**
 * `payday`: money comes on pay days and runs out. `renewal`: a refusal is followed by a new chance some days later, without a pattern.
 * `passes`: an obstacle is gone after hours to weeks. `dead`: nothing helps.
 */
export const KINDS = ['payday', 'renewal', 'passes', 'dead'] as const;
export type Kind = (typeof KINDS)[number];

/** The bank's decline sets the first shares. */
export type Family = 'funds' | 'generic' | 'passing';

const FAMILIES: ReadonlyMap<string | undefined, Family> = new Map([
  ['insufficient_funds', 'funds'],
  ['withdrawal_count_limit_exceeded', 'funds'],
  ['issuer_not_available', 'passing'],
  ['processing_error', 'passing'],
  ['reenter_transaction', 'passing'],
  ['try_again_later', 'passing'],
  ['approve_with_id', 'passing'],
  ['card_velocity_exceeded', 'passing'],
]);

export function familyOf(code: string | undefined): Family {
  return FAMILIES.get(code) ?? 'generic';
}

/** Neutral, but for two published statements: lack of funds is about money, and half of `do_not_honor` hides it (stripe-facts 13.2). */
const FIRST_SHARES: Readonly<Record<Family, Readonly<Record<Kind, number>>>> = {
  funds: { payday: 0.4, renewal: 0.4, passes: 0.1, dead: 0.1 },
  generic: { payday: 0.25, renewal: 0.25, passes: 0.25, dead: 0.25 },
  passing: { payday: 0.1, renewal: 0.1, passes: 0.7, dead: 0.1 },
};
const CYCLE_DAYS = { weekly: 7, biweekly: 14, semimonthly: 15, monthly: 30 } as const;
const CYCLES = Object.keys(CYCLE_DAYS).length;
const RENEWAL_DAYS = [1, 3, 7, 15];
/** Technical faults are over in hours, limits at midnight or with the month (stripe-facts 13.4). */
const PASSING_DAYS = [0.3, 1, 2, 4, 7, 11, 16, 22];
/** The chance of money on a pay day; it falls to a third after this share of the cycle. */
const ON_PAYDAY = 0.6;
const SPENT_AFTER = 0.4;
const LEAST_COVER = 0.02;
const RENEWED = 0.5;
const PASSED = 0.9;
/** Nothing is certain: a refusal that should not be, an approval that nobody explains. */
const SURPRISE = 0.01;

/** Every explanation, with the divisor of its kind's share: equal for each cycle of pay, and within it for each schedule. */
export const EXPLANATIONS: readonly { readonly kind: Kind; readonly parts: number }[] = [
  ...PAY_SCHEDULES.map(({ cycle }) => {
    const alike = PAY_SCHEDULES.filter((one) => one.cycle === cycle).length;
    return { kind: 'payday', parts: CYCLES * alike } as const;
  }),
  ...RENEWAL_DAYS.map(() => ({ kind: 'renewal', parts: RENEWAL_DAYS.length }) as const),
  ...PASSING_DAYS.map(() => ({ kind: 'passes', parts: PASSING_DAYS.length }) as const),
  { kind: 'dead', parts: 1 },
];
const PAYDAYS = PAY_SCHEDULES.length;
const MONEY = PAYDAYS + RENEWAL_DAYS.length;
export const COUNT = EXPLANATIONS.length;
export const MS_PER_DAY = 86_400_000;
const NEVER = -1_000_000;

/** The number of days that are distinguished; more than any window or cycle has. */
const DAYS = 64;
/** The chance of each renewing explanation, by days since the last refusal. */
const RENEWALS = Float64Array.from({ length: RENEWAL_DAYS.length * DAYS }, (_, cell) => {
  const mean = RENEWAL_DAYS[Math.floor(cell / DAYS)] ?? 1;
  return RENEWED * (1 - Math.exp(-(cell % DAYS) / mean));
});

/** The latest pay day of each schedule on a day, and the chance that its money is still there. */
interface PayRow {
  readonly day: LocalDay;
  readonly paydays: Int32Array;
  readonly chances: Float64Array;
  /** The schedules, that of the latest pay day first. */
  readonly order: Uint8Array;
}
/** The same for every case, so it is remembered: a place for each day of some years. */
const MAX_ROWS = 2000;
const payRows = Array.from<PayRow | undefined>({ length: MAX_ROWS });

function payRowOf(day: LocalDay): PayRow {
  const known = payRows[day % MAX_ROWS];
  if (known?.day === day) return known;
  const paydays = Int32Array.from(PAY_SCHEDULES, (schedule) => schedule.lastPayday(day));
  const chances = Float64Array.from(PAY_SCHEDULES, ({ cycle }, index) => {
    const cycles = (day - (paydays[index] ?? 0)) / CYCLE_DAYS[cycle];
    return Math.max(LEAST_COVER, ON_PAYDAY * Math.exp(-cycles / SPENT_AFTER));
  });
  const order = Uint8Array.from(paydays.keys()).sort(
    (one, other) => (paydays[other] ?? 0) - (paydays[one] ?? 0),
  );
  const row = { day, paydays, chances, order };
  payRows[day % MAX_ROWS] = row;
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
  if (index >= MONEY) return index - MONEY < passed ? PASSED : 0;
  const days = Math.min(day - refusedOn, DAYS - 1);
  return RENEWALS[(index - PAYDAYS) * DAYS + days] ?? 0;
}

/** Explanations that give a row any chance, in the first `count` places: until the next question. */
const live = { indexes: new Uint8Array(COUNT), chances: new Float64Array(COUNT), count: 0 };

export function listLive(row: Row, refusedOn: LocalDay): typeof live {
  const { paydays, order, chances } = row.pay;
  let count = 0;
  for (; count < PAYDAYS; count += 1) {
    const index = order[count] ?? 0;
    if ((paydays[index] ?? 0) <= refusedOn) break;
    live.indexes[count] = index;
    live.chances[count] = chances[index] ?? 0;
  }
  for (let index = PAYDAYS; index < MONEY + row.passed; index += 1) {
    live.indexes[count] = index;
    live.chances[count] = chanceOn(row, index, refusedOn);
    count += 1;
  }
  live.count = count;
  return live;
}

/** A case as its answers leave it. */
export interface Belief {
  readonly shares: Float64Array;
  readonly firstMs: number;
  /** The day of the last refusal that no payment followed. */
  readonly refusedOn: LocalDay;
}

export function weigh({ family, past, refusals }: Evidence): Belief {
  const firstMs = refusals[0]?.ms ?? 0;
  const ofKinds = FIRST_SHARES[family];
  const shares = new Float64Array(COUNT).fill(1);
  const refusedOn = take(past, { shares, firstMs, refusedOn: NEVER });
  // A customer's invoices are charged on one date, so that each answer repeats half of the one before. Earlier invoices show which
  // money it is, not whether it is money.
  for (const [index, { kind, parts }] of EXPLANATIONS.entries()) {
    const first = ofKinds[kind] / parts;
    shares[index] = index < MONEY ? first * Math.sqrt(shares[index] ?? 0) : first;
  }
  scale(shares, MONEY, ofKinds.payday + ofKinds.renewal);
  const last = take(refusals, { shares, firstMs, refusedOn });
  scale(shares, COUNT, 1);
  return { shares, firstMs, refusedOn: last };
}

/** Multiplies the shares; a payment leaves a small part to explanations that gave it no chance. */
function take(answers: readonly Answer[], { shares, firstMs, refusedOn }: Belief): LocalDay {
  let last = refusedOn;
  for (const answer of answers) {
    const { indexes, chances, count } = listLive(rowOf(answer, firstMs), last);
    for (let place = 0; place < count; place += 1) {
      const index = indexes[place] ?? 0;
      const chance = chances[place] ?? 0;
      const factor = answer.isPaid ? Math.max(1, chance / SURPRISE) : 1 - chance;
      shares[index] = (shares[index] ?? 0) * factor;
    }
    last = answer.isPaid ? NEVER : answer.day;
  }
  return last;
}

function scale(shares: Float64Array, upTo: number, sum: number): void {
  let before = 0;
  for (let index = 0; index < upTo; index += 1) before += shares[index] ?? 0;
  for (let index = 0; index < upTo; index += 1) shares[index] = ((shares[index] ?? 0) * sum) / before;
}

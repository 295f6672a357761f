/** What may be behind a failed payment, as far as it matters for when it can succeed. */
import { PAY_SCHEDULES, type PayCycle } from '../calendar/pay-calendar.ts';

export type Hypothesis =
  /** Money comes on paydays and runs out until the next. */
  | { readonly kind: 'payday'; readonly cycle: PayCycle }
  /** Money comes and goes without a pattern; after a refusal it takes days of this order for a new chance. */
  | { readonly kind: 'chance'; readonly days: number }
  /** An obstacle that is gone after so many days. */
  | { readonly kind: 'heals'; readonly days: number }
  | { readonly kind: 'dead' };

const CHANCE_DAYS = [1, 3, 7, 15];
/** Technical faults are over in hours, limits at midnight or with the month (stripe-facts 13.4). */
const HEALING_DAYS = [0.3, 1, 2, 4, 7, 11, 16, 22];

/** The schedules come first: their index is that of PAY_SCHEDULES. */
export const HYPOTHESES: readonly Hypothesis[] = [
  ...PAY_SCHEDULES.map(({ cycle }) => ({ kind: 'payday' as const, cycle })),
  ...CHANCE_DAYS.map((days) => ({ kind: 'chance' as const, days })),
  ...HEALING_DAYS.map((days) => ({ kind: 'heals' as const, days })),
  { kind: 'dead' },
];

/** Those about money: they hold for the customer, not only for this invoice. */
export const MONEY = HYPOTHESES.flatMap(({ kind }, index) =>
  kind === 'payday' || kind === 'chance' ? [index] : [],
);

/** What the issuer says sets the first belief. */
export const FAMILIES = ['funds', 'generic', 'passing'] as const;
export type Family = (typeof FAMILIES)[number];

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

type Kind = Hypothesis['kind'];

/**
 * First beliefs: neutral, but for two published statements: lack of funds is about money, and about half of what
 * issuers call `do_not_honor` is hidden lack of funds (stripe-facts 13.2).
 */
const FIRST_BELIEF: Readonly<Record<Family, Readonly<Record<Kind, number>>>> = {
  funds: { payday: 0.4, chance: 0.4, heals: 0.1, dead: 0.1 },
  generic: { payday: 0.25, chance: 0.25, heals: 0.25, dead: 0.25 },
  passing: { payday: 0.1, chance: 0.1, heals: 0.7, dead: 0.1 },
};

/** Of one family: a weight for each hypothesis, together 1. Equal for each cycle, and within it for each schedule. */
export function firstBelief(family: Family): number[] {
  return HYPOTHESES.map((hypothesis) => {
    const share = FIRST_BELIEF[family][hypothesis.kind];
    if (hypothesis.kind !== 'payday') return share / countOf(({ kind }) => kind === hypothesis.kind);
    const sameCycle = countOf((other) => other.kind === 'payday' && other.cycle === hypothesis.cycle);
    return share / 4 / sameCycle;
  });
}

function countOf(isAlike: (hypothesis: Hypothesis) => boolean): number {
  return HYPOTHESES.filter(isAlike).length;
}

export const PAY_CYCLES: readonly PayCycle[] = ['weekly', 'biweekly', 'semimonthly', 'monthly'];
const CYCLE_DAYS: Readonly<Record<PayCycle, number>> = {
  weekly: 7,
  biweekly: 14,
  semimonthly: 15,
  monthly: 30,
};

/** First day of each step of the days since payday; money runs out in these steps. */
const STEPS = [0, 1, 2, 3, 5, 7, 10, 14, 20];
export const STEP_COUNT = STEPS.length;
export const STEP_OF_DAY: readonly number[] = Array.from({ length: 32 }, (_, day) =>
  STEPS.findLastIndex((first) => first <= day),
);

/** The first guess at how likely money is there so many days after payday: even odds, and evenly less until the next. */
export function firstCover(cycle: PayCycle): number[] {
  return STEPS.map((day) => Math.max(0.02, 0.5 * (1 - day / CYCLE_DAYS[cycle])));
}

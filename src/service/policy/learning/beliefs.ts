/**
 * Bayes over the hypotheses: every answer to a payment makes some of them likelier. What the answers of all cases say
 * together (which hypotheses are common, how long money lasts) is learned from fractions of cases.
 */
import type { Zone } from 'luxon';
import { moneyDay } from '../calendar/local-time.ts';
import { type LocalDay, PAY_SCHEDULES, type PayCycle } from '../calendar/pay-calendar.ts';
import { type Family, firstBelief, firstCover, HYPOTHESES, MONEY, STEP_OF_DAY } from './hypotheses.ts';
import type { LearnedState } from './learned.ts';

export interface Answer {
  readonly ms: number;
  readonly isPaid: boolean;
}

/** Everything about one case that its beliefs rest on, oldest first. The case's first answer is its first failure. */
export interface Evidence {
  readonly family: Family;
  readonly zone: Zone;
  readonly past: readonly Answer[];
  readonly answers: readonly Answer[];
}

/** How many cases the first belief weighs as much as. */
const FIRST_BELIEF_CASES = 40;
const FIRST_COVER_TRIES = 6;
const FIRST_CHANCE = { paid: 2, tried: 4 };
const FIRST_BELIEFS: Readonly<Record<Family, readonly number[]>> = {
  funds: firstBelief('funds'),
  generic: firstBelief('generic'),
  passing: firstBelief('passing'),
};
const FIRST_COVERS = byCycle(firstCover);
/** Nothing is certain: a refusal that should not be, an approval that nobody explains. */
const HEALED = 0.9;
export const SURPRISE = 0.01;
const MS_PER_DAY = 86_400_000;

/** The learned figures in the form in which they are used. */
export interface Figures {
  readonly belief: Readonly<Record<Family, readonly number[]>>;
  /** For each pay schedule a row: how likely money is there so many days after payday. */
  readonly cover: Float64Array;
  readonly chance: number;
}

export function readFigures(state: LearnedState): Figures {
  const belief = (family: Family) => {
    const explained = state.explained[family];
    const total = explained.reduce((sum, one) => sum + one, FIRST_BELIEF_CASES);
    return FIRST_BELIEFS[family].map(
      (first, index) => (first * FIRST_BELIEF_CASES + (explained[index] ?? 0)) / total,
    );
  };
  const cover = (cycle: PayCycle) =>
    FIRST_COVERS[cycle].map((first, step) => {
      const { paid, tried } = state.cover[cycle][step] ?? { paid: 0, tried: 0 };
      return (first * FIRST_COVER_TRIES + paid) / (FIRST_COVER_TRIES + tried);
    });
  return {
    belief: { funds: belief('funds'), generic: belief('generic'), passing: belief('passing') },
    cover: spellOut(byCycle(cover)),
    chance: (FIRST_CHANCE.paid + state.chance.paid) / (FIRST_CHANCE.tried + state.chance.tried),
  };
}

function byCycle<Value>(of: (cycle: PayCycle) => Value): Record<PayCycle, Value> {
  return {
    weekly: of('weekly'),
    biweekly: of('biweekly'),
    semimonthly: of('semimonthly'),
    monthly: of('monthly'),
  };
}

/** Days after a payday that are distinguished. */
const COVER_DAYS = STEP_OF_DAY.length;

function spellOut(cover: Record<PayCycle, readonly number[]>): Float64Array {
  const rows = new Float64Array(PAY_SCHEDULES.length * COVER_DAYS);
  PAY_SCHEDULES.forEach(({ cycle }, index) => {
    for (let day = 0; day < COVER_DAYS; day += 1)
      rows[index * COVER_DAYS + day] = cover[cycle][STEP_OF_DAY[day] ?? 0] ?? SURPRISE;
  });
  return rows;
}

export type PaydayTable = (day: LocalDay) => Int32Array;

/** A case as the answers so far leave it. */
export interface Belief {
  /** Of each hypothesis; together 1. */
  readonly weights: Float64Array;
  /** For each pay schedule the payday after which a payment was refused: nothing more comes before the next. */
  readonly spentSince: Int32Array;
  readonly firstMs: number;
  readonly lastMs: number;
}

const NEVER = -1_000_000;

export function weigh(evidence: Evidence, figures: Figures, paydays: PaydayTable): Belief {
  const { family, zone, past, answers } = evidence;
  const belief: Belief & { lastMs: number } = {
    weights: Float64Array.from(figures.belief[family]),
    spentSince: new Int32Array(PAY_SCHEDULES.length).fill(NEVER),
    firstMs: answers[0]?.ms ?? 0,
    lastMs: Number.NEGATIVE_INFINITY,
  };
  const moneyBefore = sumOf(belief.weights, MONEY);
  for (const answer of past) take(belief, answer, { figures, zone, paydays, only: MONEY.length });
  // Earlier invoices show which money it is, not whether it is money.
  const scale = moneyBefore / sumOf(belief.weights, MONEY);
  for (const index of MONEY) belief.weights[index] = (belief.weights[index] ?? 0) * scale;
  for (const answer of answers) take(belief, answer, { figures, zone, paydays, only: HYPOTHESES.length });
  return belief;
}

interface Knowledge {
  figures: Figures;
  zone: Zone;
  paydays: PaydayTable;
  /** How many hypotheses the answer speaks about: the first ones are about money. */
  only: number;
}

function take(belief: Belief & { lastMs: number }, answer: Answer, knowledge: Knowledge): void {
  const { weights, spentSince } = belief;
  const day = moneyDay(answer.ms, knowledge.zone);
  const latest = knowledge.paydays(day);
  let total = 0;
  for (let index = 0; index < knowledge.only; index += 1) {
    const payday = latest[index];
    const chance =
      payday === undefined
        ? unpaidChance(index, answer.ms, belief, knowledge.figures)
        : coverOn(index, { payday, day, spentSince }, knowledge.figures);
    const likely = (weights[index] ?? 0) * (answer.isPaid ? chance : 1 - chance);
    weights[index] = likely;
    total += likely;
    if (payday !== undefined) spentSince[index] = answer.isPaid ? NEVER : payday;
  }
  for (let index = 0; index < knowledge.only; index += 1) weights[index] = (weights[index] ?? 0) / total;
  belief.lastMs = answer.isPaid ? Number.NEGATIVE_INFINITY : answer.ms;
}

function coverOn(
  index: number,
  on: { payday: LocalDay; day: LocalDay; spentSince: Int32Array },
  figures: Figures,
): number {
  if (on.spentSince[index] === on.payday) return SURPRISE;
  return coverAfter(index, on.day - on.payday, figures);
}

/** How likely money is there so many days after a schedule's payday. */
export function coverAfter(index: number, days: number, { cover }: Figures): number {
  return cover[index * COVER_DAYS + Math.min(days, COVER_DAYS - 1)] ?? SURPRISE;
}

function unpaidChance(index: number, ms: number, { firstMs, lastMs }: Belief, figures: Figures): number {
  return chanceOf(index, { age: (ms - firstMs) / MS_PER_DAY, gap: (ms - lastMs) / MS_PER_DAY }, figures);
}

/** Of a hypothesis without paydays: `age` of the case and `gap` to the nearest other try, in days. */
export function chanceOf(
  index: number,
  { age, gap }: { age: number; gap: number },
  figures: Figures,
): number {
  const hypothesis = HYPOTHESES[index];
  if (hypothesis?.kind === 'chance') return figures.chance * (1 - Math.exp(-gap / hypothesis.days));
  if (hypothesis?.kind === 'heals') return age >= hypothesis.days ? HEALED : SURPRISE;
  return SURPRISE;
}

/** Learns from the last of the answers: each hypothesis by its share in explaining it. */
export function learn(
  state: LearnedState,
  evidence: Evidence,
  { figures, paydays }: { figures: Figures; paydays: PaydayTable },
): void {
  const last = evidence.answers.at(-1);
  if (!last || evidence.answers.length < 2) return;
  const before = weigh({ ...evidence, answers: evidence.answers.slice(0, -1) }, figures, paydays);
  const after = { ...before, weights: before.weights.slice(), spentSince: before.spentSince.slice() };
  take(after, last, { figures, zone: evidence.zone, paydays, only: HYPOTHESES.length });
  const explained = state.explained[evidence.family];
  const isFirst = evidence.answers.length === 2;
  const day = moneyDay(last.ms, evidence.zone);
  const latest = paydays(day);
  for (let index = 0; index < HYPOTHESES.length; index += 1) {
    const share = after.weights[index] ?? 0;
    // The case as a whole counts once: what it said so far is replaced by what it says now.
    const change = share - (isFirst ? 0 : (before.weights[index] ?? 0));
    explained[index] = Math.max(0, (explained[index] ?? 0) + change);
    learnHypothesis(state, { index, share, day, payday: latest[index], before, last });
  }
}

interface Lesson {
  index: number;
  share: number;
  day: LocalDay;
  payday: LocalDay | undefined;
  before: Belief;
  last: Answer;
}

function learnHypothesis(state: LearnedState, { index, share, day, payday, before, last }: Lesson): void {
  const hypothesis = HYPOTHESES[index];
  if (hypothesis?.kind === 'payday' && payday !== undefined && before.spentSince[index] !== payday) {
    const step = STEP_OF_DAY[Math.min(day - payday, STEP_OF_DAY.length - 1)] ?? 0;
    add(state.cover[hypothesis.cycle][step], share, last.isPaid);
  }
  if (hypothesis?.kind === 'chance') {
    const gap = (last.ms - before.lastMs) / MS_PER_DAY;
    add(state.chance, share * (1 - Math.exp(-gap / hypothesis.days)), last.isPaid, share);
  }
}

function add(
  counter: { paid: number; tried: number } | undefined,
  tried: number,
  isPaid: boolean,
  paid = tried,
): void {
  if (!counter) return;
  counter.tried += Math.max(tried, isPaid ? paid : 0);
  if (isPaid) counter.paid += paid;
}

function sumOf(weights: Float64Array, indexes: readonly number[]): number {
  return indexes.reduce((sum, index) => sum + (weights[index] ?? 0), 0);
}

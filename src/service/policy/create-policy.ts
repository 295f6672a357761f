/** The timing policy: what to suggest for an unpaid invoice, and when. Pure: `now` is an argument, chance has a seed. */
import type { DateTime } from 'luxon';
import { createPaydayTable } from './calendar/pay-calendar.ts';
import { chooseArm, type TimingArm } from './compare/compare-arms.ts';
import { decideByClass } from './decide-by-class.ts';
import { learn, readFigures } from './learning/beliefs.ts';
import { countPromise, countRetry, fade, readOdds } from './learning/calibration.ts';
import { evidenceOf } from './learning/evidence.ts';
import { countHour, readHours } from './learning/hour-factors.ts';
import { createLearnedState, type LearnedState, learnedState } from './learning/learned.ts';
import type { Decision, Odds, PaymentCase } from './payment-case.ts';
import { drawHoldout } from './timing/static-schedule.ts';

/** An answer to a payment, what came of a retry that was suggested, or the end of a case. Each counts once, whenever it comes and however often. */
export type Outcome =
  | {
      readonly kind: 'attempt';
      /** Of the payment attempt. */
      readonly id: string;
      /** As it was before the attempt. */
      readonly paymentCase: PaymentCase;
      readonly at: DateTime;
      readonly isPaid: boolean;
    }
  | {
      readonly kind: 'retry';
      /** Of the action that asked for it. */
      readonly id: string;
      readonly odds: Odds;
      readonly isPaid: boolean;
    }
  | {
      readonly kind: 'closed';
      /** Of the case. */
      readonly id: string;
      readonly arm: TimingArm;
      readonly isRecovered: boolean;
      readonly attempts: number;
    };

export interface Policy {
  /** The next suggestion for a case. Never one in the past, never one outside the caps. */
  decide(paymentCase: PaymentCase, now: DateTime): Decision;
  observe(outcome: Outcome): void;
  /** To continue from: plain JSON. */
  snapshot(): LearnedState;
}

const DEFAULT_SEED = 1;
const REMEMBERED = 512;
/** A calendar, so shared: it depends on nothing but days. */
const paydays = createPaydayTable();

/** Continues from a snapshot; one that is not understood (an older model's) is not continued: learning begins anew. */
export function createPolicy(
  state?: unknown,
  seed: number = DEFAULT_SEED,
  /** Share of the cases that keep the static schedule. */
  holdoutPercent = 0,
  /** Without it, always the best time: for comparisons. */
  isSoft = true,
): Policy {
  const parsed = learnedState.safeParse(state);
  const learned = parsed.success ? parsed.data : createLearnedState(seed);
  const seen = new Set(learned.seen);
  let figures = readFigures(learned);
  let odds = readOdds(learned.odds);
  let hours = readHours(learned.hours);

  return {
    decide: (paymentCase, now) =>
      decideByClass(paymentCase, now, {
        figures,
        paydays,
        choice: chooseArm(learned, paymentCase.id),
        draw: drawHoldout(paymentCase, learned.seed, holdoutPercent),
        odds,
        softness: isSoft ? { hours, seed: learned.seed } : undefined,
      }),
    observe: (outcome) => {
      const key = `${outcome.kind} ${outcome.id}`;
      if (seen.has(key)) return;
      seen.add(key);
      for (const oldest of seen) {
        if (seen.size <= REMEMBERED) break;
        seen.delete(oldest);
      }
      if (outcome.kind === 'closed') count(learned, outcome);
      else if (outcome.kind === 'retry') {
        fade(learned.odds);
        countRetry(learned.odds, outcome.odds, outcome.isPaid);
        countPromise(learned.promises, outcome.odds, outcome.isPaid);
        countHour(learned.hours, outcome.odds, outcome.isPaid);
        odds = readOdds(learned.odds);
        hours = readHours(learned.hours);
      } else {
        const { zone, family, past, answers } = evidenceOf(outcome.paymentCase);
        const answer = { ms: outcome.at.toMillis(), isPaid: outcome.isPaid };
        learn(learned, { zone, family, past, answers: [...answers, answer] }, { figures, paydays });
        figures = readFigures(learned);
      }
    },
    snapshot: () => structuredClone({ ...learned, seen: [...seen] }),
  };
}

function count({ compared }: LearnedState, closed: Extract<Outcome, { kind: 'closed' }>): void {
  const sum = compared[closed.arm];
  sum.cases += 1;
  sum.attempts += closed.attempts;
  if (closed.isRecovered) sum.recovered += 1;
}

/** What the policy has learned: plain numbers, kept as JSON. */
import { z } from 'zod';
import {
  createOddsTallies,
  createPromiseTallies,
  ODDS_GROUPS,
  ODDS_STEPS,
  PROMISE_RANGES,
} from './calibration.ts';
import { createHourTallies, RETRY_HOURS } from './hour-factors.ts';
import { FAMILIES, HYPOTHESES, PAY_CYCLES, STEP_COUNT } from './hypotheses.ts';

const count = z.number().min(0);
const beta = z.object({ paid: count, tried: count });
const sumOf = z.object({ cases: z.int().min(0), recovered: z.int().min(0), attempts: z.int().min(0) });

/** Another number of hypotheses is another model: such a state is not continued. */
export const learnedState = z.object({
  version: z.literal(1),
  seed: z.int(),
  /** Cases that each hypothesis explained, by family. */
  explained: z.record(z.enum(FAMILIES), z.array(count).length(HYPOTHESES.length)),
  /** How often money was there so many days after payday, by cycle. */
  cover: z.record(z.enum(PAY_CYCLES), z.array(beta).length(STEP_COUNT)),
  /** How often a new chance was one. */
  chance: beta,
  /** What retries with such odds came to. */
  odds: z
    .record(z.enum(ODDS_GROUPS), z.array(z.object({ tried: count, paid: count })).length(ODDS_STEPS))
    .default(createOddsTallies),
  /** Whether promised odds were kept, by their ranges. */
  promises: z
    .array(z.object({ tried: count, paid: count, promised: count, squares: count }))
    .length(PROMISE_RANGES.length)
    .default(createPromiseTallies),
  /** What retries at each hour came to, and what was promised of them. */
  hours: z.record(z.enum(RETRY_HOURS), z.object({ promised: count, paid: count })).default(createHourTallies),
  compared: z.object({ engine: sumOf, spread: sumOf }),
  /** Outcomes taken in lately, oldest first: one that comes twice counts once. */
  seen: z.array(z.string()).max(512),
});
export type LearnedState = z.infer<typeof learnedState>;

export function createLearnedState(seed: number): LearnedState {
  const zeros = (length: number) => Array.from({ length }, () => 0);
  const fresh = () => ({ paid: 0, tried: 0 });
  const perCycle = () => Array.from({ length: STEP_COUNT }, fresh);
  const none = { cases: 0, recovered: 0, attempts: 0 };
  return {
    version: 1,
    seed,
    explained: {
      funds: zeros(HYPOTHESES.length),
      generic: zeros(HYPOTHESES.length),
      passing: zeros(HYPOTHESES.length),
    },
    cover: { weekly: perCycle(), biweekly: perCycle(), semimonthly: perCycle(), monthly: perCycle() },
    chance: fresh(),
    odds: createOddsTallies(),
    promises: createPromiseTallies(),
    hours: createHourTallies(),
    compared: { engine: { ...none }, spread: { ...none } },
    seen: [],
  };
}

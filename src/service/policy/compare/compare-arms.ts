/**
 * Which of the two ways chooses the times of a case. A tenth of the cases is always spread, a tenth always left to the
 * engine; the rest follows the engine until the comparison says that it recovers less.
 */

import { sequentialReach } from '../../../core/base/sequential-bound.ts';
import type { LearnedState } from '../learning/learned.ts';
import { chanceOf } from './chance.ts';

export type TimingArm = 'engine' | 'spread';

const SLICE = 0.1;
/** One comparison in twenty may go wrong, however often it is looked at. */
const ERROR = 0.05;
/** Cases of each arm at which the comparison is sharpest. */
const SHARPEST_AT = 300;

export interface ArmChoice {
  readonly arm: TimingArm;
  /** With which probability this case would have come to each arm. */
  readonly odds: Readonly<Record<TimingArm, number>>;
}

export function chooseArm(state: LearnedState, caseId: string): ArmChoice {
  const favorite: TimingArm = isEngineWorse(state) ? 'spread' : 'engine';
  const other: TimingArm = favorite === 'engine' ? 'spread' : 'engine';
  const isOther = chanceOf(`${state.seed} ${caseId}`) < SLICE;
  const odds = { engine: SLICE, spread: SLICE, [favorite]: 1 - SLICE };
  return { arm: isOther ? other : favorite, odds };
}

/**
 * A mixture sequential test (Robbins): its bound holds at every look at once, so that looking after each case costs
 * nothing.
 */
export function isEngineWorse({ compared: { engine, spread } }: LearnedState): boolean {
  const difference = rate(engine) - rate(spread);
  const variance = varianceOf(engine) + varianceOf(spread);
  return difference < -sequentialReach(variance, 0.5 / SHARPEST_AT, ERROR);
}

interface Sum {
  cases: number;
  recovered: number;
}

/** One imagined case each way keeps the first ones from certainty. */
function rate({ cases, recovered }: Sum): number {
  return (recovered + 1) / (cases + 2);
}

function varianceOf(sum: Sum): number {
  return (rate(sum) * (1 - rate(sum))) / (sum.cases + 2);
}

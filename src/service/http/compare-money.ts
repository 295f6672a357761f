/** How far apart two shares of money are: the difference in percentage points, with its 95 % interval. */
import type { MoneySums } from '../store/holdout-cases.ts';
import { type Difference, MIN_CASES, Z } from './compare-shares.ts';

/**
 * A share of money is a ratio of two sums, both by chance; the interval is that of the delta method. Undefined for too few cases,
 * for as many of which a few weigh most, and where a side has recovered all or nothing, which would seem certain.
 */
export function compareMoney(one: MoneySums, other: MoneySums): Difference | undefined {
  if (effectiveCases(one) < MIN_CASES || effectiveCases(other) < MIN_CASES) return undefined;
  const [v, w] = [variance(one), variance(other)];
  if (v === 0 || w === 0) return undefined;
  const difference = share(one) - share(other);
  const reach = Z * Math.sqrt(v + w);
  return {
    points: 100 * difference,
    low: 100 * Math.max(-1, difference - reach),
    high: 100 * Math.min(1, difference + reach),
  };
}

/** Kish's: so many cases of equal amounts would say as much. */
function effectiveCases({ amount, squares }: MoneySums): number {
  return squares === 0 ? 0 : amount ** 2 / squares;
}

function share({ amount, recovered }: MoneySums): number {
  return recovered / amount;
}

/** Of the share: the squared distances of what each case recovered from the share of its amount, added up. */
function variance(sums: MoneySums): number {
  const { cases, amount, squares, recoveredSquares } = sums;
  const p = share(sums);
  const distances = recoveredSquares * (1 - 2 * p) + p ** 2 * squares;
  return ((cases / (cases - 1)) * distances) / amount ** 2;
}

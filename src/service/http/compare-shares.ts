/** How far apart two shares are: the difference in percentage points, with its 95 % interval. */

export interface Counted {
  readonly cases: number;
  readonly recovered: number;
}

export interface Difference {
  readonly points: number;
  readonly low: number;
  readonly high: number;
}

/** On each side; with fewer an interval would say next to nothing. */
export const MIN_CASES = 30;
export const Z = 1.959964;

/** Newcombe's interval from two of Wilson: it holds for few cases and for shares near 0 or 1. Undefined for too few. */
export function compareShares(one: Counted, other: Counted): Difference | undefined {
  if (one.cases < MIN_CASES || other.cases < MIN_CASES) return undefined;
  const [p, q] = [share(one), share(other)];
  const [pw, qw] = [wilson(one), wilson(other)];
  return {
    points: 100 * (p - q),
    low: 100 * (p - q - Math.hypot(p - pw.low, qw.high - q)),
    high: 100 * (p - q + Math.hypot(pw.high - p, q - qw.low)),
  };
}

function share({ cases, recovered }: Counted): number {
  return recovered / cases;
}

/** Of the share: it holds for few cases and near 0 or 1. `cases` is at least 1. */
export function wilson(counted: Counted): { low: number; high: number } {
  const p = share(counted);
  const n = counted.cases;
  const middle = p + Z ** 2 / (2 * n);
  const reach = Z * Math.sqrt((p * (1 - p)) / n + Z ** 2 / (4 * n ** 2));
  const scale = 1 + Z ** 2 / n;
  return { low: (middle - reach) / scale, high: (middle + reach) / scale };
}

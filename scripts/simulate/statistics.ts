/** Means over seeds with their uncertainty. */

export interface Estimate {
  readonly mean: number;
  /** Half the width of the 95 % interval; NaN for fewer than two values. */
  readonly margin: number;
}

/** Two-sided 97.5 % quantiles of Student's t for 1, 2, 3, … degrees of freedom. */
const T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const NORMAL = 1.96;

export function estimate(values: readonly number[]): Estimate {
  const mean = average(values);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  const t = T[values.length - 2] ?? NORMAL;
  return { mean, margin: values.length < 2 ? Number.NaN : t * Math.sqrt(variance / values.length) };
}

/** The mean of the differences, seed by seed: what the seeds have in common cancels out. */
export function estimateDifference(some: readonly number[], others: readonly number[]): Estimate {
  return estimate(some.map((value, index) => value - (others[index] ?? Number.NaN)));
}

export function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** One seed alone has no margin. */
export function formatEstimate({ mean, margin }: Estimate, digits: number): string {
  const value = mean.toFixed(digits);
  return Number.isNaN(margin) || margin === 0 ? value : `${value} ±${margin.toFixed(digits)}`;
}

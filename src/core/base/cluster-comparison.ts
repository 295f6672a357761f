/** Difference in recovery between two arms of customers, and the number of customers it takes. Pure. */

/** Sums over customers, the unit of assignment: `x` is at stake, `y` recovered. */
export interface ClusterSums {
  readonly customers: number;
  readonly x: number;
  readonly y: number;
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
}

export interface Difference {
  /** Percentage points, with an interval that holds at all looks together with 95 %. */
  readonly points: number;
  readonly low: number;
  readonly high: number;
}

/** Effective customers a side; with fewer an interval would claim too much. */
export const MIN_CUSTOMERS = 100;
/** Makes the interval narrowest at a standard error of 1.25 points. */
const MIXTURE = 8.2 * 0.0125 ** 2;

/**
 * Compares shares as ratios of two sums over customers, with the delta method's variance by customer. Undefined with too little data: too
 * few customers, a few that dominate (Kish), or an arm without variation.
 */
export function compareClusters(ours: ClusterSums, control: ClusterSums): Difference | undefined {
  if (Math.min(effectiveCustomers(ours), effectiveCustomers(control)) < MIN_CUSTOMERS) return undefined;
  const [v, w] = [varianceOf(ours), varianceOf(control)];
  if (v <= 0 || w <= 0) return undefined;
  const difference = ours.y / ours.x - control.y / control.x;
  const reach = sequentialReach(v + w, MIXTURE);
  return {
    points: 100 * difference,
    low: 100 * Math.max(-1, difference - reach),
    high: 100 * Math.min(1, difference + reach),
  };
}

function effectiveCustomers({ x, xx }: ClusterSums): number {
  return xx === 0 ? 0 : x ** 2 / xx;
}

function varianceOf({ customers, x, y, xx, xy, yy }: ClusterSums): number {
  const p = y / x;
  return ((customers / (customers - 1)) * (yy - 2 * p * xy + p ** 2 * xx)) / x ** 2;
}

/** Effects in points to plan for. */
export const PLANNED_POINTS = [1, 2, 3, 5, 10] as const;
/** Standard errors that leave four of five comparisons beyond the bound. */
const Z_POWER = 0.8416;

export interface Expected {
  /** Recovered share of cases with Stripe's own retries. */
  readonly share: number;
  readonly casesOfCustomer: number;
  /** Correlation of the cases of a customer: 0 none, 1 complete. */
  readonly likeness: number;
  /** Control group in percent. */
  readonly percent: number;
}

/** Customers of both arms needed until an effect of `points` shows in four of five comparisons. */
export function planCustomers(points: number, expected: Expected): number {
  const { share, casesOfCustomer, likeness, percent } = expected;
  const other = Math.min(0.99, share + points / 100);
  const alike = (1 + (casesOfCustomer - 1) * likeness) / casesOfCustomer;
  const w = percent / 100;
  const ofOne = alike * ((share * (1 - share)) / w + (other * (1 - other)) / (1 - w));
  return Math.max(
    Math.ceil(ofOne / findVariance(points / 100)),
    Math.ceil(MIN_CUSTOMERS / Math.min(w, 1 - w)),
  );
}

/** Largest variance at which the effect minus `Z_POWER` errors is beyond the bound, by bisection. */
function findVariance(effect: number): number {
  let [low, high] = [1e-12, 1];
  for (let step = 0; step < 100; step += 1) {
    const variance = (low + high) / 2;
    if (sequentialReach(variance, MIXTURE) + Z_POWER * Math.sqrt(variance) < effect) low = variance;
    else high = variance;
  }
  return low;
}

/**
 * Largest distance of an estimate from the truth, with error `alpha` over all looks together: Robbins's normal mixture bound. With an estimated
 * variance it is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (Time-uniform central limit theory and
 * asymptotic confidence sequences, Annals of Statistics 52(6), 2024, https://arxiv.org/abs/2103.06476). `mixture` is the mixture's
 * variance: relative to a bound for a single look it is narrowest at a `variance` of about an eighth of it (alpha 0.05).
 */
export function sequentialReach(variance: number, mixture: number, alpha = 0.05): number {
  const total = variance + mixture;
  return Math.sqrt(((variance * total) / mixture) * (Math.log(total / variance) + 2 * Math.log(1 / alpha)));
}

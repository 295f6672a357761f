/** How far apart what two arms recovered is, where customers were drawn, and how many of them it takes. Pure. */
import { sequentialReach } from './sequential-bound.ts';

/** Customers are drawn, not their cases: of each, what was at stake (`x`) and what of it was recovered (`y`), added up. */
export interface ClusterSums {
  readonly customers: number;
  readonly x: number;
  readonly y: number;
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
}

export interface Difference {
  /** In percentage points, with an interval that holds at every look together with 95 %. */
  readonly points: number;
  readonly low: number;
  readonly high: number;
}

/** On each side, of customers as weighty as each other; with fewer an interval would say more than is known. */
export const MIN_CUSTOMERS = 100;
/** Narrowest where the difference is known to a standard error of 1.25 points. */
const MIXTURE = 8.2 * 0.0125 ** 2;

/**
 * A share is a ratio of two sums over customers; its variance is the delta method's, with the customer as the unit. Undefined where
 * there is too little to say: too few customers, a few that weigh most (Kish), or a side on which all fared alike.
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

/** Effects in points for which a plan is made. */
export const PLANNED_POINTS = [1, 2, 3, 5, 10] as const;
/** The standard error that leaves four of five comparisons beyond the bound. */
const Z_POWER = 0.8416;

export interface Expected {
  /** Of cases, with Stripe's own retries. */
  readonly share: number;
  readonly casesOfCustomer: number;
  /** How much alike the cases of one customer end: 0 not at all, 1 always. */
  readonly likeness: number;
  /** Left to Stripe, in percent. */
  readonly percent: number;
}

/** How many customers must be drawn, both arms together, until an effect of so many points shows in four of five comparisons. */
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

/** The largest at which the effect, short of its usual bad luck, is beyond the bound; by halving. */
function findVariance(effect: number): number {
  let [low, high] = [1e-12, 1];
  for (let step = 0; step < 100; step += 1) {
    const variance = (low + high) / 2;
    if (sequentialReach(variance, MIXTURE) + Z_POWER * Math.sqrt(variance) < effect) low = variance;
    else high = variance;
  }
  return low;
}

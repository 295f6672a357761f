/** `GET /v1/timing_report` of the embedded service: what its timing is worth, as far as the holdout shows. */
import { z } from 'zod';

const counted = z.object({ cases: z.int().nonnegative(), recovered: z.int().nonnegative() });

const money = z.object({
  cases: z.int().nonnegative(),
  /** What was at stake and what of it was recovered, in the currency's smallest unit. */
  amount: z.number(),
  recovered: z.number(),
});
/** In percentage points with a 95 % interval. */
const difference = z.object({ points: z.number(), low: z.number(), high: z.number() });

/** Retries with promised odds in this range, in percent, and how many of them were paid. */
const kept = z.object({
  from: z.number(),
  to: z.number(),
  retries: z.int().nonnegative(),
  /** What was promised, on average. */
  promised: z.number(),
  paid: z.int().nonnegative(),
});

const promises = z.object({
  retries: z.int().nonnegative(),
  paid: z.int().nonnegative(),
  /** Mean squared distance of the odds from what came: the lower the better, 0.25 for always saying even odds. */
  brier: z.number(),
  /** How far the shares paid are from the odds, on average over the retries, in percentage points. */
  deviation: z.number(),
  ranges: z.array(kept),
});
export type KeptPromises = z.infer<typeof promises>;

/** Of the planned retries in one currency, in its smallest unit: what they are about, and what they should bring by their odds. */
const expected = z.object({
  currency: z.string(),
  retries: z.int().nonnegative(),
  amount: z.number(),
  expected: z.number(),
  /** Of what each customer owes. */
  squares: z.number(),
  /** Of what comes, if the odds are right. */
  variance: z.number(),
  /** By how much the odds may be wrong for all of them: one standard deviation. */
  drift: z.number(),
});
export type ExpectedMoney = z.infer<typeof expected>;

export const timingReport = z.object({
  /** Share that is drawn now, in percent. */
  holdoutPercent: z.int(),
  /** Days after the first failure on which the holdout is retried. */
  staticDays: z.array(z.int()),
  /** Only cases that began at least so many days ago count. */
  matureDays: z.int(),
  /** The share with which the counted cases were drawn; absent while none is. */
  drawnPercent: z.int().optional(),
  /** Closed cases whose times the policy chose, and those on the static schedule. */
  timed: counted,
  static: counted,
  /** Of the shares of cases; absent while there are too few. */
  difference: difference.optional(),
  /** The same in money, for each currency. A service of an earlier version leaves it out. */
  money: z
    .array(z.object({ currency: z.string(), timed: money, static: money, difference: difference.optional() }))
    .optional(),
  /** Whether the odds of retries were kept; absent before the first with an outcome. A service of an earlier version leaves it out. */
  promises: promises.optional(),
  /** Absent until the odds are calibrated for this merchant. A service of an earlier version leaves it out. */
  expected: z.array(expected).optional(),
  /** The result in cases, in one sentence. */
  summary: z.string(),
});
export type TimingReport = z.infer<typeof timingReport>;

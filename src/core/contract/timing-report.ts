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
  /** The result in cases, in one sentence. */
  summary: z.string(),
});
export type TimingReport = z.infer<typeof timingReport>;

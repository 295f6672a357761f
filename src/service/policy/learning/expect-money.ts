/** What the retries that are planned should bring, by the odds as they are calibrated now. Pure. */
import type { ExpectedMoney, KeptPromises } from '../../../core/contract/timing-report.ts';
import type { Odds } from '../payment-case.ts';
import { MOST_REMEMBERED, type OddsTallies, promise, readOdds } from './calibration.ts';

/** A retry that is asked for and has no outcome yet. */
export interface OpenRetry {
  readonly customer: string;
  readonly currency: string;
  /** Minor units. */
  readonly amount: number;
  readonly odds: Odds;
}

/** Retries of the merchant's own whose outcome is known, below which the odds are still those of simulated customers. */
const MIN_RETRIES = 500;
/** In points, more than chance alone makes. */
const MOST_OFF = 1;

/**
 * Nothing before the odds are calibrated for this merchant. A customer's invoices are taken to be paid together or not at all, as
 * they hang on one card; customers are independent, but for the error that the odds themselves have: that of their mean so far.
 */
export function expectMoney(
  open: readonly OpenRetry[],
  tallies: OddsTallies,
  kept: KeptPromises | undefined,
): ExpectedMoney[] {
  if (!kept || kept.retries < MIN_RETRIES || kept.deviation > chanceOff(kept) + MOST_OFF) return [];
  const curves = readOdds(tallies);
  const sums = new Map<string, { retries: number; expected: number; customers: Map<string, Exposure> }>();
  for (const { customer, currency, amount, odds } of open) {
    const { promised } = promise(curves, odds.group, odds.believed);
    const sum = sums.get(currency) ?? { retries: 0, expected: 0, customers: new Map<string, Exposure>() };
    const known = sum.customers.get(customer) ?? { amount: 0, deviation: 0 };
    sum.customers.set(customer, {
      amount: known.amount + amount,
      deviation: known.deviation + amount * Math.sqrt(promised * (1 - promised)),
    });
    sum.retries += 1;
    sum.expected += amount * promised;
    sums.set(currency, sum);
  }
  return [...sums].map(([currency, { retries, expected, customers }]) => {
    const all = [...customers.values()];
    const amount = all.reduce((total, one) => total + one.amount, 0);
    return {
      currency,
      retries,
      amount,
      expected,
      squares: all.reduce((total, one) => total + one.amount ** 2, 0),
      variance: all.reduce((total, one) => total + one.deviation ** 2, 0),
      drift: amount * Math.sqrt(kept.brier / Math.min(kept.retries, MOST_REMEMBERED)),
    };
  });
}

/** How far the shares paid are from odds that are right, in points: of each range the mean distance of a normal variable. */
function chanceOff({ retries, ranges }: KeptPromises): number {
  const off = ranges.map(({ retries: tried, promised }) =>
    Math.sqrt((2 / Math.PI) * tried * promised * (100 - promised)),
  );
  return off.reduce((sum, one) => sum + one, 0) / retries;
}

interface Exposure {
  readonly amount: number;
  readonly deviation: number;
}

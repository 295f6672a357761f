/** GET /v1/timing_report: what the policy's timing is worth, measured on the cases that keep a static schedule. */
import type { RequestHandler } from 'express';
import type { Clock } from '../../core/base/clock.ts';
import { orUnavailable } from '../../core/base/errors.ts';
import type { TimingReport } from '../../core/contract/timing-report.ts';
import type { Database } from '../../core/database/database.ts';
import { organizationOf } from '../keys/api-keys.ts';
import { STATIC_DAYS } from '../policy/timing/static-schedule.ts';
import {
  countHoldoutCases,
  type HoldoutCount,
  type HoldoutMoney,
  type MoneySums,
  sumHoldoutMoney,
} from '../store/holdout-cases.ts';
import { compareMoney } from './compare-money.ts';
import { compareShares, MIN_CASES } from './compare-shares.ts';

export interface ReportDeps {
  database: Database;
  clock: Clock;
  /** Share of the cases that is drawn now. */
  holdoutPercent: number;
  /** Invoices are kept at least so long. */
  historyDays: number;
}

/** The window of a case, and some days in which what was asked last may come in. */
export const MATURE_DAYS = 35;

export function createReportHandler(deps: ReportDeps): RequestHandler {
  return async (_request, response) => {
    response.json(await orUnavailable(readTimingReport(deps, organizationOf(response))));
  };
}

async function readTimingReport(deps: ReportDeps, organization: string): Promise<TimingReport> {
  const { database, clock, holdoutPercent, historyDays } = deps;
  const begunBefore = clock.now().minus({ days: MATURE_DAYS });
  const keptSince = clock.now().minus({ days: historyDays });
  const counts = await countHoldoutCases(database, organization, begunBefore);
  const money =
    counts.length === 0 ? [] : await sumHoldoutMoney(database, organization, { begunBefore, keptSince });
  return buildTimingReport(counts, holdoutPercent, money);
}

type Findings = Omit<TimingReport, 'summary'>;

export function buildTimingReport(
  counts: readonly HoldoutCount[],
  holdoutPercent: number,
  money: readonly HoldoutMoney[] = [],
): TimingReport {
  const sideOf = (isHeldOut: boolean) => {
    const { cases = 0, recovered = 0 } = counts.find((one) => one.isHeldOut === isHeldOut) ?? {};
    return { cases, recovered };
  };
  const [timed, kept, drawnPercent] = [sideOf(false), sideOf(true), counts[0]?.percent];
  const difference = compareShares(timed, kept);
  const findings: Findings = {
    holdoutPercent,
    staticDays: [...STATIC_DAYS],
    matureDays: MATURE_DAYS,
    ...(drawnPercent === undefined ? {} : { drawnPercent }),
    timed,
    static: kept,
    ...(difference ? { difference } : {}),
    money: [...new Set(money.map(({ currency }) => currency))].map((currency) =>
      compareInCurrency(
        currency,
        money.filter((one) => one.currency === currency),
      ),
    ),
  };
  return { ...findings, summary: summarize(findings) };
}

const NOTHING = { cases: 0, amount: 0, recovered: 0, squares: 0, recoveredSquares: 0 };

function compareInCurrency(currency: string, sums: readonly HoldoutMoney[]) {
  const [timed = NOTHING, kept = NOTHING] = [false, true].map((isHeldOut) =>
    sums.find((one) => one.isHeldOut === isHeldOut),
  );
  const difference = compareMoney(timed, kept);
  const shown = ({ cases, amount, recovered }: MoneySums) => ({ cases, amount, recovered });
  return { currency, timed: shown(timed), static: shown(kept), ...(difference ? { difference } : {}) };
}

function summarize({ holdoutPercent, timed, difference, drawnPercent, ...findings }: Findings): string {
  const kept = findings.static;
  if (drawnPercent === undefined)
    return holdoutPercent === 0
      ? 'No case keeps a static schedule, so what the timing is worth is not known (TIMING_HOLDOUT_PERCENT).'
      : `${holdoutPercent} % of the cases keep a static schedule; none of those that closed began ${MATURE_DAYS} days ago or earlier.`;
  const total = timed.cases + kept.cases;
  const base =
    `Of ${total} closed cases that began ${MATURE_DAYS} days ago or earlier, ${kept.cases} on the static schedule ` +
    `(${STATIC_DAYS.join(', ')} days; drawn with ${drawnPercent} %)`;
  if (!difference) return `${base}: too few to compare, at least ${MIN_CASES} on each side are needed.`;
  return (
    `${base}: recovered ${shareOf(timed)} with timing, ${shareOf(kept)} without; difference ` +
    `${signed(difference.points)} points, 95 % interval ${signed(difference.low)} to ${signed(difference.high)}.`
  );
}

function shareOf({ cases, recovered }: { cases: number; recovered: number }): string {
  return `${((100 * recovered) / cases).toFixed(1)} % (${recovered} of ${cases})`;
}

function signed(points: number): string {
  return `${points >= 0 ? '+' : '−'}${Math.abs(points).toFixed(1)}`;
}

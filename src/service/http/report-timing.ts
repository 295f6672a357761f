/** GET /v1/timing_report: what the policy's timing is worth, measured on the cases that keep a static schedule. */
import type { RequestHandler } from 'express';
import type { Clock } from '../../core/base/clock.ts';
import { orUnavailable } from '../../core/base/errors.ts';
import type { KeptPromises, TimingReport } from '../../core/contract/timing-report.ts';
import type { Database } from '../../core/database/database.ts';
import { readState } from '../decide/policy-memory.ts';
import { organizationOf } from '../keys/api-keys.ts';
import { compareMoney, type MoneySums } from '../policy/compare/compare-money.ts';
import { compareShares, MIN_CASES } from '../policy/compare/compare-shares.ts';
import { createPolicy } from '../policy/create-policy.ts';
import { PROMISE_RANGES, type PromiseTally } from '../policy/learning/calibration.ts';
import { expectMoney } from '../policy/learning/expect-money.ts';
import { STATIC_DAYS } from '../policy/timing/static-schedule.ts';
import {
  countHoldoutCases,
  type HoldoutCount,
  type HoldoutMoney,
  sumHoldoutMoney,
} from '../store/holdout-cases.ts';
import { listOpenRetries } from '../store/open-retries.ts';
import { readPolicyState } from '../store/policy-states.ts';

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
  const { promises, odds } = createPolicy(
    readState(await readPolicyState(database, organization)),
  ).snapshot();
  const report = buildTimingReport(counts, holdoutPercent, money, promises);
  const open = report.promises ? await listOpenRetries(database, organization) : [];
  const expected = expectMoney(open, odds, report.promises);
  return expected.length === 0 ? report : { ...report, expected };
}

type Findings = Omit<TimingReport, 'summary'>;

export function buildTimingReport(
  counts: readonly HoldoutCount[],
  holdoutPercent: number,
  money: readonly HoldoutMoney[] = [],
  promises: readonly PromiseTally[] = [],
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
    ...(promises.some(({ tried }) => tried > 0) ? { promises: judgePromises(promises) } : {}),
  };
  return { ...findings, summary: summarize(findings) };
}

function judgePromises(tallies: readonly PromiseTally[]): KeptPromises {
  const sumOf = (of: (tally: PromiseTally) => number) => tallies.reduce((sum, one) => sum + of(one), 0);
  const retries = sumOf(({ tried }) => tried);
  return {
    retries,
    paid: sumOf(({ paid }) => paid),
    brier: sumOf(({ squares }) => squares) / retries,
    deviation: (100 * sumOf(({ promised, paid }) => Math.abs(promised - paid))) / retries,
    ranges: tallies.flatMap(({ tried, paid, promised }, place) =>
      tried === 0
        ? []
        : [
            {
              from: 100 * (PROMISE_RANGES[place] ?? 0),
              to: 100 * (PROMISE_RANGES[place + 1] ?? 1),
              retries: tried,
              promised: (100 * promised) / tried,
              paid,
            },
          ],
    ),
  };
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

/** GET /v1/timing_report: what the policy's timing is worth, measured on the cases that keep a static schedule. */
import type { RequestHandler } from 'express';
import type { Clock } from '../../clock.ts';
import type { TimingReport } from '../../contract/timing-report.ts';
import { StoreUnavailableError } from '../../errors.ts';
import type { Database } from '../../store/engine/database.ts';
import { organizationOf } from '../keys/api-keys.ts';
import { compareShares, MIN_CASES } from '../policy/compare/compare-shares.ts';
import { STATIC_DAYS } from '../policy/timing/static-schedule.ts';
import { countHoldoutCases, type HoldoutCount } from '../store/holdout-cases.ts';

export interface ReportDeps {
  database: Database;
  clock: Clock;
  /** Share of the cases that is drawn now. */
  holdoutPercent: number;
}

/** The window of a case, and some days in which what was asked last may come in. */
const MATURE_DAYS = 35;

export function createReportHandler({ database, clock, holdoutPercent }: ReportDeps): RequestHandler {
  return async (_request, response) => {
    const begunBefore = clock.now().minus({ days: MATURE_DAYS });
    const counts = await countHoldoutCases(database, organizationOf(response), begunBefore).catch(
      (cause: unknown) => {
        throw new StoreUnavailableError(cause);
      },
    );
    response.json(buildTimingReport(counts, holdoutPercent));
  };
}

type Findings = Omit<TimingReport, 'summary'>;

export function buildTimingReport(counts: readonly HoldoutCount[], holdoutPercent: number): TimingReport {
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
  };
  return { ...findings, summary: summarize(findings) };
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

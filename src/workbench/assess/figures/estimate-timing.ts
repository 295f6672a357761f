/**
 * What more attempts at other times could be worth, from times that were really tried in this account, and from nothing else.
 * Pure.
 */

import { classifyDecline } from '../../../core/declines/decline-classes.ts';
import { ATTEMPT_LIMITS } from '../../../core/limits/attempt-limits.ts';
import { isSameMethod } from '../../../core/limits/next-method.ts';
import { codesOf, type FailedRenewal, type HistoryAttempt } from '../history/failed-renewals.ts';
import { wilson } from './wilson.ts';

/** Days after the first failure at which a stretch of time begins; the last one ends at 30. */
const STRETCH_DAYS = [1, 2, 3, 4, 5, 7, 10, 14, 21] as const;
const LAST_DAY = 30;
/** Fewer tries of a kind are no evidence. */
export const MIN_TRIES = 30;

/** Attempts of one kind: the same number of refusals before, the same time since the first. */
interface Tries {
  cases: number;
  recovered: number;
}

export interface Evidence {
  /** 1, 2 or 3 (three and more). */
  readonly refusals: number;
  readonly fromDay: number;
  readonly toDay: number;
  readonly tries: number;
  readonly paid: number;
}

export interface Worth {
  readonly currency: string;
  /** Unpaid renewals with a decline that time may cure. */
  readonly cases: number;
  readonly amount: number;
  /** Minor units that more attempts at times with evidence would have brought: estimate, and its lower and upper end. */
  readonly expected: number;
  readonly low: number;
  readonly high: number;
  /** More attempts in all. */
  readonly attempts: number;
}

export interface TimingEstimate {
  readonly evidence: readonly Evidence[];
  readonly worth: readonly Worth[];
}

/** `mature` are renewals that failed at least 30 days ago: younger ones may still be paid. */
export function estimateTiming(mature: readonly FailedRenewal[]): TimingEstimate {
  const curable = mature.filter(isCurable);
  const counted = countTries(curable);
  const unpaid = curable.filter(({ ending }) => ending.kind !== 'recovered');
  const currencies = [...new Set(unpaid.map(({ invoice }) => invoice.currency))].sort();
  return {
    evidence: listEvidence(counted),
    worth: currencies.map((currency) =>
      sumWorth(
        currency,
        unpaid.filter(({ invoice }) => invoice.currency === currency),
        counted,
      ),
    ),
  };
}

/** Every answer so far was one that time may cure, on one card. */
function isCurable({ attempts }: FailedRenewal): boolean {
  const [first] = attempts;
  return (
    first !== undefined &&
    attempts.every((attempt) => {
      if (attempt.outcome !== 'declined') return true;
      const { class: decline } = classifyDecline(codesOf(attempt));
      return isSameMethod(first, attempt) && (decline === 'retryable' || decline === 'wait');
    })
  );
}

function countTries(cases: readonly FailedRenewal[]): Map<string, Tries> {
  const counted = new Map<string, Tries>();
  for (const { attempts, failedAt } of cases) {
    const [first, ...repeated] = attempts;
    let refusals = 1;
    for (const attempt of repeated) {
      const stretch = stretchOf(daysBetween(failedAt, attempt));
      // A payment with another card says nothing about the time.
      if (stretch !== undefined && first !== undefined && isSameMethod(first, attempt)) {
        const key = keyOf(refusals, stretch);
        const tries = counted.get(key) ?? { cases: 0, recovered: 0 };
        tries.cases += 1;
        if (attempt.outcome === 'paid') tries.recovered += 1;
        counted.set(key, tries);
      }
      if (attempt.outcome === 'declined') refusals += 1;
    }
  }
  return counted;
}

function daysBetween(failedAt: FailedRenewal['failedAt'], { startedAt }: HistoryAttempt): number {
  return startedAt.diff(failedAt).as('days');
}

function stretchOf(days: number): number | undefined {
  if (days >= LAST_DAY) return undefined;
  return STRETCH_DAYS.findLast((from) => from <= days);
}

function keyOf(refusals: number, stretch: number): string {
  return `${Math.min(refusals, 3)} ${stretch}`;
}

function endOf(stretch: number): number {
  return STRETCH_DAYS.find((from) => from > stretch) ?? LAST_DAY;
}

function listEvidence(counted: ReadonlyMap<string, Tries>): Evidence[] {
  return [1, 2, 3].flatMap((refusals) =>
    STRETCH_DAYS.flatMap((fromDay) => {
      const tries = counted.get(keyOf(refusals, fromDay));
      if (tries === undefined) return [];
      return [{ refusals, fromDay, toDay: endOf(fromDay), tries: tries.cases, paid: tries.recovered }];
    }),
  );
}

function sumWorth(
  currency: string,
  cases: readonly FailedRenewal[],
  counted: ReadonlyMap<string, Tries>,
): Worth {
  let [amount, expected, low, high, attempts] = [0, 0, 0, 0, 0];
  for (const failed of cases) {
    const chance = chanceOf(failed, counted);
    const { amountDue } = failed.invoice;
    amount += amountDue;
    expected += amountDue * chance.expected;
    low += amountDue * chance.low;
    high += amountDue * chance.high;
    attempts += chance.attempts;
  }
  return {
    currency,
    cases: cases.length,
    amount,
    expected: Math.round(expected),
    low: Math.round(low),
    high: Math.round(high),
    attempts: Math.round(attempts),
  };
}

interface Chance {
  readonly expected: number;
  readonly low: number;
  readonly high: number;
  /** How many more attempts are likely to be made. */
  readonly attempts: number;
}

/** One more attempt in each later stretch for which there is evidence, within the limits. */
function chanceOf(
  { attempts, failedAt, decline }: FailedRenewal,
  counted: ReadonlyMap<string, Tries>,
): Chance {
  const last = attempts.at(-1);
  const lastDay = last ? daysBetween(failedAt, last) : 0;
  const most = decline?.isUnexplained ? ATTEMPT_LIMITS.unexplained : ATTEMPT_LIMITS.perInvoice;
  const unpaid = { expected: 1, low: 1, high: 1 };
  let made = attempts.length;
  let more = 0;
  for (const stretch of STRETCH_DAYS) {
    const tries = counted.get(keyOf(made, stretch));
    if (stretch <= lastDay || made >= most || tries === undefined || tries.cases < MIN_TRIES) continue;
    const { low, high } = wilson(tries);
    more += unpaid.expected;
    unpaid.expected *= 1 - tries.recovered / tries.cases;
    unpaid.low *= 1 - low;
    unpaid.high *= 1 - high;
    made += 1;
  }
  return {
    expected: 1 - unpaid.expected,
    low: 1 - unpaid.low,
    high: 1 - unpaid.high,
    attempts: more,
  };
}

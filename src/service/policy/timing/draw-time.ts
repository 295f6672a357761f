/**
 * Draws the moment of a try among those that are about as good as the best one. What is never done teaches nothing: where several
 * mornings promise the same, and at which hour, only tries can tell. The whole distribution is kept, so that another policy can be
 * judged by what this one did.
 */
import { midnightOf, morningOf, zoneNamed } from '../calendar/local-time.ts';
import { chanceOf } from '../compare/chance.ts';
import type { HourFactors } from '../learning/hour-factors.ts';
import type { PaymentCase, RetryHour } from '../payment-case.ts';
import { ownDelayMs } from './own-mornings.ts';
import { NEAR, type NearRetry, type PlannedRetry } from './plan-retries.ts';

export interface DrawnRetry extends PlannedRetry {
  /** Unless the static schedule names the time. */
  readonly hour: RetryHour | undefined;
}

export interface Option {
  readonly retry: DrawnRetry;
  /** That it is drawn. */
  readonly probability: number;
}

/** By how much less likely one that is worth `NEAR` of the best is drawn than the best: e to the minus this. */
const STEEPNESS = 14;
const MS_PER_HOUR = 3_600_000;

export interface DrawRequest {
  readonly paymentCase: PaymentCase;
  readonly near: readonly NearRetry[];
  readonly hours: HourFactors;
  /** Whether the card has rested by then, and every cap allows it. */
  isAllowed(ms: number): boolean;
}

/** Each option with its probability; none where no try is worth making. */
export function listOptions(request: DrawRequest): Option[] {
  const options = request.near.flatMap((near) =>
    listMoments(near, request).flatMap(({ hour, ms }) => {
      const share = near.share * request.hours[hour];
      return share >= NEAR ? [{ retry: { ...near, ms, hour }, share }] : [];
    }),
  );
  const most = Math.max(...options.map(({ share }) => share));
  const weights = options.map(({ share }) => Math.exp((STEEPNESS * (share / most - 1)) / (1 - NEAR)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return options.map(({ retry }, index) => ({ retry, probability: (weights[index] ?? 0) / total }));
}

function listMoments(
  { ms, day }: NearRetry,
  { paymentCase, isAllowed }: DrawRequest,
): { hour: RetryHour; ms: number }[] {
  const zone = zoneNamed(paymentCase.zone);
  const { id, funding } = paymentCase;
  const later = ownDelayMs(id);
  const evening = { hour: 'evening' as const, ms: morningOf(day, zone, EVENING_AFTER_NINE_MS + later) };
  const afterMidnight = MIDNIGHT_MS + Math.floor(later / 2000) * 1000;
  const midnight = { hour: 'midnight' as const, ms: midnightOf(day, zone, afterMidnight) };
  const others = funding === 'debit' ? [evening, midnight] : [evening];
  return [{ hour: 'morning', ms }, ...others.filter((one) => isAllowed(one.ms))];
}
/** From six to half past seven. */
const EVENING_AFTER_NINE_MS = 9 * MS_PER_HOUR;
/** From five to ten to one: banks decline more from one o'clock on (stripe-facts 13.3). */
const MIDNIGHT_MS = 5 * 60_000;

/**
 * The same one for the same case and number of attempts, however often it is asked: each option draws its own luck (the Gumbel
 * trick), so that one that comes or goes changes nothing among the others.
 */
export function drawOption(
  options: readonly Option[],
  { id, attempts }: PaymentCase,
  seed = 0,
): Option | undefined {
  let best: Option | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const option of options) {
    const { day, hour } = option.retry;
    const luck = chanceOf(`time ${seed} ${id} ${attempts.length} ${day} ${hour}`);
    const score = Math.log(option.probability) - Math.log(-Math.log(Math.max(luck, Number.EPSILON)));
    if (score <= most) continue;
    most = score;
    best = option;
  }
  return best;
}

/**
 * The control group: a stable share of the customers keeps a plain schedule, so that an experiment shows the worth of the
 * timing. Each case is assigned once, by a hash of the customer's id and a seed, before anything depends on it.
 */
import type { DateTime } from 'luxon';
import type { HoldoutDraw, PaymentCase } from '../payment-case.ts';

/** Days after the first failure, at its hour: the schedule from which the simulation measures too. */
export const STATIC_DAYS = [1, 3, 5, 7] as const;

/** A case that was drawn before keeps its draw, even if the share has changed. */
export function drawHoldout(paymentCase: PaymentCase, seed: number, percent: number): HoldoutDraw {
  if (paymentCase.draw) return paymentCase.draw;
  const isHeldOut = chanceOf(`holdout ${seed} ${paymentCase.customerId ?? paymentCase.id}`) * 100 < percent;
  return { isHeldOut, percent, seed };
}

export function listStaticTimes(first: DateTime): number[] {
  return STATIC_DAYS.map((days) => first.plus({ days }).toMillis());
}

/** A number between 0 and 1, the same for the same text: FNV-1a, then mixed. */
export function chanceOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}

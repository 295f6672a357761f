/** The timing policy: what to suggest for an unpaid invoice, and when. Pure: `now` is an argument. */
import type { DateTime } from 'luxon';
import { decideByClass } from './decide-by-class.ts';
import type { Decision, PaymentCase } from './payment-case.ts';
import { drawHoldout } from './timing/static-schedule.ts';

/** The answer to a payment attempt. */
export interface Outcome {
  /** The case before the attempt. */
  readonly paymentCase: PaymentCase;
  readonly at: DateTime;
  readonly isPaid: boolean;
}

export interface Policy {
  /** Returns the next suggestion for a case: never one in the past, never one outside the caps. */
  decide(paymentCase: PaymentCase, now: DateTime): Decision;
  /**
   * Accepts an outcome, and keeps nothing of it: a case holds its customer's answers. A policy that learned from its own tries would
   * never learn what it did not try.
   */
  observe(outcome: Outcome): void;
}

export interface PolicyOptions {
  /** Share of the cases that keep the static schedule. */
  readonly holdoutPercent?: number;
  /** The seed of the draw of that share. */
  readonly seed?: number;
}

export function createPolicy({ holdoutPercent = 0, seed = 1 }: PolicyOptions = {}): Policy {
  return {
    decide: (paymentCase, now) =>
      decideByClass(paymentCase, now, drawHoldout(paymentCase, seed, holdoutPercent)),
    observe: () => {},
  };
}

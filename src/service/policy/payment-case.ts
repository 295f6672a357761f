/** The policy's view of an unpaid invoice, and its decisions. */
import type { DateTime } from 'luxon';
import type { Suggestion } from '../../core/contract/contract.ts';
import type { AttemptLimits } from '../../core/limits/attempt-limits.ts';
import { listAttemptsWith } from '../../core/limits/next-method.ts';
import type { DecisionReason } from '../reasons/decision-reason.ts';

export interface FailedAttempt {
  readonly at: DateTime;
  /** Minor units. */
  readonly amount?: number | undefined;
  /** Stripe's decline code, or the bank's failure code. */
  readonly code: string | undefined;
  readonly methodType: string;
  /** Stripe's `advice_code`, where it is known. */
  readonly adviceCode?: string | undefined;
  /** The network's own decline and advice codes: to be read with the brand. */
  readonly networkCode?: string | undefined;
  readonly networkAdviceCode?: string | undefined;
  /** Distinguishes cards: what holds for one card does not hold for the next. */
  readonly fingerprint?: string | undefined;
  /** `2030-04`, of cards: renewed by its network, a card keeps its fingerprint. */
  readonly expiry?: string | undefined;
  /** The card's brand; the case's where it is not given. */
  readonly brand?: string | undefined;
}

/** An instruction that was sent, or refused by its receiver; not one that was replaced before its time. */
export interface GivenInstruction {
  readonly suggestion: Suggestion;
  /** Its ideal retry time. */
  readonly at: DateTime;
  /** The `reason` of the decision that led to it. */
  readonly reason: string;
}

/** An answer to a payment of another invoice of the customer, or a payment of a part of this one. */
export interface PastAttempt extends Partial<FailedAttempt> {
  /** The transaction's id. */
  readonly id?: string | undefined;
  readonly subscriptionId?: string | undefined;
  readonly at: DateTime;
  readonly isPaid: boolean;
}

/** Those that the plugin's guards hold to, and what a case is worth the trouble. */
export interface CaseLimits extends AttemptLimits {
  /** Days on which a customer is asked, counted from the first request. */
  readonly reminderDays: readonly number[];
  readonly windowDays: number;
  /** What one attempt costs, in minor units of the case's currency. */
  readonly attemptCost: number;
}

export interface PaymentCase {
  /** The same for every question about one invoice: chance is drawn from it. */
  readonly id: string;
  readonly customerId?: string | undefined;
  readonly subscriptionId?: string | undefined;
  /** Remaining, in minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly country?: string | undefined;
  /** IANA zone of the customer. */
  readonly zone: string;
  readonly brand?: string | undefined;
  /** The merchant has paused collection: nothing is asked meanwhile. `until` where an end is set. */
  readonly pause?: { readonly until?: DateTime | undefined } | undefined;
  /** The code of the receiver's rule by which no retry with this card is carried out. */
  readonly cardBarredBy?: string | undefined;
  /** Every failed attempt, Stripe's own too, oldest first. A decision is about the method of the latest, and counts its attempts alone. */
  readonly attempts: readonly FailedAttempt[];
  /** When the invoice failed first, with any method; else its first attempt. */
  readonly failedAt?: DateTime | undefined;
  readonly instructions: readonly GivenInstruction[];
  /** Oldest first. Those before the case began show when the customer has money; all count for the networks' caps. */
  readonly past?: readonly PastAttempt[];
  /** Limits that differ from the usual ones. */
  readonly limits?: Partial<CaseLimits> | undefined;
  /** Whether the case belongs to the holdout, once that is drawn. */
  readonly draw?: HoldoutDraw | undefined;
}

/** The case as far as it is about the method that would be charged next. */
export function aboutNextMethod(paymentCase: PaymentCase): PaymentCase {
  const { attempts, failedAt = attempts.at(0)?.at } = paymentCase;
  return { ...paymentCase, failedAt, attempts: listAttemptsWith(attempts, attempts.at(-1)) };
}

/** Whether a case keeps the static schedule, with the chance of it in percent and the seed of the draw. */
export interface HoldoutDraw {
  readonly isHeldOut: boolean;
  readonly percent: number;
  readonly seed: number;
}

interface Reasoned {
  /** A stable word for the case: the subject of the instruction or of the waiting. */
  readonly reason: string;
  readonly reasons: readonly DecisionReason[];
  /** Set where the time of a retry is the question, with any answer. */
  readonly draw?: HoldoutDraw;
}

/** Chances of a retry on a planned morning, and of all that are planned with it. */
export interface Odds {
  readonly retry: number;
  readonly plan: number;
}

export interface SuggestedAction extends Reasoned {
  readonly suggestion: Suggestion;
  /** The ideal retry time. */
  readonly at: DateTime;
  readonly odds?: Odds;
}

/** `waitUntil`: nothing to say now; look again then. `stop`: the case is given up. */
export type Decision =
  | SuggestedAction
  | (Reasoned & { readonly waitUntil: DateTime })
  | (Reasoned & { readonly stop: true });

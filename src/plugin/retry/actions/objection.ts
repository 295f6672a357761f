import type { DateTime } from 'luxon';
import type { CARD_REPORTED, MISSING_PAYMENT_METHOD } from '../../../core/contract/failed-transaction.ts';
import type { InstructedEmail } from '../../actions/action-kinds.ts';
import type { Reason } from '../../reasons/reason.ts';

/** Codes of ours for an untried payment, at which the service asks for a card. */
export type Untried = typeof CARD_REPORTED | typeof MISSING_PAYMENT_METHOD;

/** Consequences of an objection, in addition to the omitted action. */
export interface Follows {
  /** Reports a failure with this code to the service. */
  readonly untried?: Untried;
  /** Email to the customer instead of the payment: about the card, or once after a cancellation request. */
  readonly asks?: { readonly email: InstructedEmail; readonly cause: 'instruction' | 'cancel_request' };
  /** Stripe must not collect the invoice either. */
  readonly bindsStripe?: true;
  /** Different treatment of payments with a new card, because the customer has acted. */
  readonly forNewCard?: Pick<Objection, 'until' | 'asksPerson'>;
}

export interface Objection {
  /** Name of the guard. */
  readonly guard: string;
  readonly reason: Reason;
  /** Time of the next check; without it the action ends, and only a new instruction can bring it back. */
  readonly until?: DateTime;
  /** The action waits for a person instead of ending: `release` runs it. */
  readonly asksPerson?: true;
  readonly follows?: Follows | undefined;
}

/** Consequence of a card that rules out a payment: an email that tells the customer what to do. */
export function asksInstead(email: InstructedEmail): Follows {
  return { asks: { email, cause: 'instruction' } };
}

/** The email that replaces an instructed payment ruled out by the card. */
export function findAskedInstead(
  objection: Pick<Objection, 'follows'> | undefined,
): InstructedEmail | undefined {
  const asks = objection?.follows?.asks;
  return asks?.cause === 'instruction' ? asks.email : undefined;
}

/** A reason alone ends the action. */
export type Verdict = Reason | Omit<Objection, 'guard'> | false | undefined;

/** A rule that may object to a planned action. */
export interface Guard<Context> {
  readonly name: string;
  readonly check: (context: Context) => Verdict;
}

export function guard<Context>(name: string, check: Guard<Context>['check']): Guard<Context> {
  return { name, check };
}

/** Returns the first objection. */
export function findObjection<Context>(
  guards: readonly Guard<Context>[],
  context: Context,
): Objection | undefined {
  for (const { name, check } of guards) {
    const verdict = check(context);
    if (verdict) return { guard: name, ...('code' in verdict ? { reason: verdict } : verdict) };
  }
  return undefined;
}

import type { DateTime } from 'luxon';
import type { CARD_REPORTED, MISSING_PAYMENT_METHOD } from '../../../core/contract/failed-transaction.ts';
import type { InstructedMail } from '../../actions/action-kinds.ts';
import type { Reason } from '../../reasons/reason.ts';

/** Why a payment was not tried: a code of ours for the service, which asks for a card then. */
export type Untried = typeof CARD_REPORTED | typeof MISSING_PAYMENT_METHOD;

/** Consequences of an objection, beside that the action is not carried out. */
export interface Follows {
  /** The service is notified of a failure with this code. */
  readonly untried?: Untried;
  /** The customer is asked by this email instead of being charged: what the card ended, or once where they asked to end. */
  readonly asks?: { readonly email: InstructedMail; readonly cause: 'instruction' | 'cancel_request' };
  /** Stripe must not collect the invoice, either. */
  readonly bindsStripe?: true;
  /** How a payment with a new card is treated instead: the customer has done what was asked. */
  readonly forNewCard?: Pick<Objection, 'until' | 'asksPerson'>;
}

/** Not now, because. */
export interface Objection {
  /** The name of what stands against it. */
  readonly guard: string;
  readonly reason: Reason;
  /** When it is looked at again; without it, it ends, and only a new instruction can bring it back. */
  readonly until?: DateTime;
  /** It waits for a person instead of ending: `release` lets it happen. */
  readonly asksPerson?: true;
  readonly follows?: Follows | undefined;
}

/** What follows where the card ends a payment: the email that says what the customer can do instead. */
export function asksInstead(email: InstructedMail): Follows {
  return { asks: { email, cause: 'instruction' } };
}

/** The email that replaces an instructed payment which the card ends. */
export function findAskedInstead(
  objection: Pick<Objection, 'follows'> | undefined,
): InstructedMail | undefined {
  const asks = objection?.follows?.asks;
  return asks?.cause === 'instruction' ? asks.email : undefined;
}

/** One thing that may stand against what is planned. */
export interface Guard<Context> {
  readonly name: string;
  readonly check: (context: Context) => Omit<Objection, 'guard'> | undefined;
}

/** The first guard that objects decides. */
export function findObjection<Context>(
  guards: readonly Guard<Context>[],
  context: Context,
): Objection | undefined {
  for (const { name, check } of guards) {
    const objection = check(context);
    if (objection !== undefined) return { guard: name, ...objection };
  }
  return undefined;
}

/**
 * What a decline means, in the classes of stripe-facts 5.4. `hard`: this payment method is finished. `update`: the
 * customer must give other details. `authentication`: the customer must confirm. `soft`: time helps. `generic`: time
 * may help, few attempts. `merchant`: neither an attempt nor a mail to the customer helps; the merchant decides.
 */
export type DeclineClass = 'hard' | 'update' | 'authentication' | 'soft' | 'generic' | 'merchant';

/** One code of Stripe with what is known about it. */
export interface DeclineRow {
  readonly code: string;
  readonly class: DeclineClass;
  /** For the merchant, in plain words. */
  readonly meaning: string;
  /** Sections of docs/stripe-facts.md. */
  readonly source: string;
  /** Hours before the next attempt, where more is known than the class says. */
  readonly waitHours?: number;
  /** What stood in the way is over within hours: so long the card rests after the first such refusal in a row, the second … */
  readonly briefRests?: readonly number[];
  /** The class holds only once an invoice was refused so a second time: until then it waits, and is tried once more. */
  readonly isOnceMore?: true;
  /** Days for which it binds the card, where that is not for good (stripe-facts 5.3). */
  readonly bindsDays?: number;
  /** The customer must not learn this reason (stripe-facts 5.4). */
  readonly isSecret?: true;
  /** Stripe's own retries leave it alone (stripe-facts 4.2). */
  readonly isNeverRetriedByStripe?: true;
  /** A reason for which Stripe itself blocked the charge: it outweighs all else (stripe-facts 5.3). */
  readonly isBlock?: true;
  /** The attempt never left Stripe, so the card network does not count it. */
  readonly isNotSent?: true;
}

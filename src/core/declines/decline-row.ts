/**
 * Meaning of a decline, in the classes of stripe-facts 5.4. `hard`: the method is unusable. `update`: the customer must correct
 * details. `authentication`: the customer must confirm. `soft`: time helps. `generic`: time may help, few attempts. `merchant`: neither
 * attempts nor emails help; the merchant decides.
 */
export type DeclineClass = 'hard' | 'update' | 'authentication' | 'soft' | 'generic' | 'merchant';

/** A code of Stripe with its properties. */
export interface DeclineRow {
  readonly code: string;
  readonly class: DeclineClass;
  /** Plain explanation for the merchant. */
  readonly meaning: string;
  /** Sections of docs/stripe-facts.md. */
  readonly source: string;
  /** Hours before the next attempt, if more precise than the class. */
  readonly waitHours?: number;
  /** Rests in hours after consecutive refusals with a short-lived cause. */
  readonly briefRests?: readonly number[];
  /** The class holds after a second refusal of an invoice; until then it waits, and is tried once more. */
  readonly isOnceMore?: true;
  /** Days for which it binds the card, if not for ever (stripe-facts 5.3). */
  readonly bindsDays?: number;
  /** The customer must not learn this reason (stripe-facts 5.4). */
  readonly isSecret?: true;
  /** Stripe's own retries skip it (stripe-facts 4.2). */
  readonly isNeverRetriedByStripe?: true;
  /** Stripe blocked the charge: it outweighs all other codes (stripe-facts 5.3). */
  readonly isBlock?: true;
  /** The attempt never left Stripe, so the network does not count it. */
  readonly isNotSent?: true;
}

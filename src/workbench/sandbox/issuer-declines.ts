/** Declines as issuers really give them: often bare, sometimes contradictory, and with codes nobody documented (stripe-facts 8.3). */
import { type Decline, type DeclineDetails, describeDecline } from './decline-details.ts';
import { mulberry32, pickOne, type Weighted } from './random.ts';

const SHARES = { bare: 1 / 3, contradictory: 0.1, undocumented: 0.05 };

/** How many of a hundred. */
const USUAL: Weighted<string> = [
  ['insufficient_funds', 42],
  ['do_not_honor', 18],
  ['generic_decline', 12],
  ['card_velocity_exceeded', 4],
  ['issuer_not_available', 3],
  ['processing_error', 3],
  ['expired_card', 4],
  ['incorrect_cvc', 2],
  ['transaction_not_allowed', 4],
  ['lost_card', 3],
  ['stolen_card', 2],
  ['pickup_card', 1],
  ['revocation_of_authorization', 2],
];

type Odd = readonly [string, DeclineDetails];

/** One code says never, another one later. */
const CONTRADICTORY: readonly Odd[] = [
  ['insufficient_funds', { adviceCode: 'do_not_try_again' }],
  ['insufficient_funds', { networkAdviceCode: '03' }],
  ['do_not_honor', { adviceCode: 'try_again_later', networkDeclineCode: '04' }],
  ['generic_decline', { adviceCode: 'confirm_card_data', networkDeclineCode: '51' }],
  ['lost_card', { adviceCode: 'try_again_later' }],
  ['expired_card', { adviceCode: 'try_again_later', networkDeclineCode: '51' }],
];

const UNDOCUMENTED: readonly Odd[] = [
  ['issuer_policy_7781', {}],
  ['account_under_review', { adviceCode: 'contact_issuer', networkDeclineCode: 'ZX' }],
  ['generic_decline', { networkDeclineCode: 'Q7', networkAdviceCode: '77' }],
  ['insufficient_funds', { adviceCode: 'try_again_next_cycle' }],
];

/** The same for the same seed. */
export function drawDecline(seed: number): Decline {
  const roll = mulberry32(seed);
  const kind = roll();
  if (kind < SHARES.undocumented) return describeDecline(...pick(UNDOCUMENTED, roll()));
  if (kind < SHARES.undocumented + SHARES.contradictory)
    return describeDecline(...pick(CONTRADICTORY, roll()));
  const usual = describeDecline(pickOne(USUAL, roll()), {});
  if (kind >= SHARES.undocumented + SHARES.contradictory + SHARES.bare) return usual;
  return { ...usual, adviceCode: null, networkDeclineCode: null, networkAdviceCode: null };
}

function pick(from: readonly Odd[], chance: number): Odd {
  return from[Math.floor(chance * from.length)] ?? ['generic_decline', {}];
}

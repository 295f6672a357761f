import type { Decline } from '../decline-details.ts';
import type { Charge } from '../objects/wire.ts';

/** What a charge says about how it went; null means nothing stood against it (stripe-facts 5.1, 5.3). */
export function outcomeOf(details: Decline | null): NonNullable<Charge['outcome']> {
  if (details === null) return ACCEPTED;
  const isBlocked = details.outcomeType === 'blocked';
  return {
    advice_code: details.adviceCode,
    network_advice_code: details.networkAdviceCode,
    network_decline_code: details.networkDeclineCode,
    network_status: isBlocked ? 'not_sent_to_network' : 'declined_by_network',
    reason: details.outcomeReason,
    risk_level: isBlocked ? 'highest' : 'normal',
    seller_message: isBlocked ? 'Stripe blocked this payment.' : 'The bank declined the payment.',
    type: details.outcomeType,
  };
}

const ACCEPTED: NonNullable<Charge['outcome']> = {
  advice_code: null,
  network_advice_code: null,
  network_decline_code: null,
  network_status: 'approved_by_network',
  reason: null,
  risk_level: 'normal',
  seller_message: 'Payment complete.',
  type: 'authorized',
};

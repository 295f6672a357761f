/** What a declined charge says; the codes are Stripe's and the network's own. */
export interface Decline {
  /** `error.code` and `charge.failure_code`. */
  errorCode: string;
  declineCode: string | null;
  adviceCode: string | null;
  networkDeclineCode: string | null;
  networkAdviceCode: string | null;
  outcomeType: string;
  outcomeReason: string;
}

export interface DeclineDetails {
  adviceCode?: string;
  networkDeclineCode?: string;
  networkAdviceCode?: string;
  outcomeType?: string;
  outcomeReason?: string;
}

/** Stripe reports these as the error code itself; every other decline code comes under `card_declined`. */
const CODES_OF_THEIR_OWN: ReadonlySet<string> = new Set([
  'authentication_required',
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'processing_error',
]);

/** The issuers' usual details of a code, when the caller gives none (stripe-facts 5.2, 5.5). */
const USUAL_DETAILS: Readonly<Record<string, DeclineDetails>> = {
  insufficient_funds: { networkDeclineCode: '51', adviceCode: 'try_again_later' },
  do_not_honor: { networkDeclineCode: '05' },
  generic_decline: { networkDeclineCode: '05' },
  card_velocity_exceeded: { networkDeclineCode: '65', adviceCode: 'try_again_later' },
  issuer_not_available: { networkDeclineCode: '91', adviceCode: 'try_again_later' },
  processing_error: { networkDeclineCode: '96', adviceCode: 'try_again_later' },
  expired_card: { networkDeclineCode: '54', adviceCode: 'confirm_card_data' },
  incorrect_number: { networkDeclineCode: '14', adviceCode: 'confirm_card_data' },
  incorrect_cvc: { networkDeclineCode: 'N7', adviceCode: 'confirm_card_data' },
  pickup_card: { networkDeclineCode: '04', adviceCode: 'do_not_try_again' },
  lost_card: { networkDeclineCode: '41', adviceCode: 'do_not_try_again' },
  stolen_card: { networkDeclineCode: '43', adviceCode: 'do_not_try_again' },
  transaction_not_allowed: { networkDeclineCode: '57', adviceCode: 'do_not_try_again' },
  revocation_of_authorization: { networkDeclineCode: 'R1', adviceCode: 'do_not_try_again' },
  revocation_of_all_authorizations: { networkDeclineCode: 'R3', adviceCode: 'do_not_try_again' },
  stop_payment_order: { networkDeclineCode: 'R0', adviceCode: 'do_not_try_again' },
  highest_risk_level: { outcomeType: 'blocked' },
};

/** Fills missing details with the issuers' usual ones. */
export function describeDecline(code: string, chosen: DeclineDetails): Decline {
  const details = { ...USUAL_DETAILS[code], ...chosen };
  const hasOwnCode = CODES_OF_THEIR_OWN.has(code);
  return {
    errorCode: hasOwnCode ? code : 'card_declined',
    // Stripe gives an expired card without a decline code (stripe-facts 8.2).
    declineCode: code === 'expired_card' ? null : code === 'highest_risk_level' ? 'fraudulent' : code,
    adviceCode: details.adviceCode ?? null,
    networkDeclineCode: details.networkDeclineCode ?? null,
    networkAdviceCode: details.networkAdviceCode ?? null,
    outcomeType: details.outcomeType ?? 'issuer_declined',
    outcomeReason: details.outcomeReason ?? code,
  };
}

export function declineMessage(decline: Decline): string {
  if (decline.errorCode === 'expired_card') return 'Your card has expired.';
  if (decline.declineCode === null) return `The debit was returned by the bank (${decline.errorCode}).`;
  if (decline.declineCode === 'insufficient_funds') return 'Your card has insufficient funds.';
  if (decline.errorCode === 'authentication_required')
    return 'Your card was declined. This transaction requires authentication.';
  return 'Your card was declined.';
}

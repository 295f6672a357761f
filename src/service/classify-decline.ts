/** What a decline means for the next try. The codes and their classes: facts 5.3, 5.4 and 5.9. */

/**
 * `hard`, `update`: another card is needed. `authentication`: the customer must confirm. `soft`: time helps.
 * `generic`: time may help, few attempts. `bank_retry`: a bank debit that may be presented again.
 * `never`: neither a retry nor a mail to the customer.
 */
export type DeclineClass = 'hard' | 'update' | 'authentication' | 'soft' | 'generic' | 'bank_retry' | 'never';

const CODES: Record<Exclude<DeclineClass, 'generic' | 'bank_retry'>, readonly string[]> = {
  // The merchant or Radar blocked it: the merchant decides (facts 5.3). A dead customer gets no mail (facts 5.9).
  never: ['highest_risk_level', 'rule', 'merchant_blacklist', 'recipient_deceased'],
  hard: [
    ...['lost_card', 'stolen_card', 'pickup_card', 'lost_or_stolen_card', 'incorrect_number', 'fraudulent'],
    ...['revocation_of_authorization', 'revocation_of_all_authorizations', 'stop_payment_order'],
    ...['transaction_not_allowed', 'do_not_try_again', 'invalid_account', 'invalid_track_data'],
    ...['invalid_billing_agreement', 'compliance_violation', 'invalid_authorization'],
    ...['invalid_payment_information', 'partner_action_not_supported', 'card_already_activated'],
    ...['partner_high_risk_customer', 'previously_declined_do_not_retry', 'low_probability_of_authorization'],
  ],
  update: [
    ...['expired_card', 'new_account_information_available', 'invalid_number', 'invalid_expiry_month'],
    ...['invalid_expiry_year', 'incorrect_cvc', 'invalid_cvc', 'incorrect_zip', 'incorrect_address'],
    ...['restricted_card', 'card_not_supported', 'currency_not_supported', 'not_permitted', 'invalid_amount'],
    ...['incorrect_pin', 'invalid_pin', 'pin_try_exceeded', 'offline_pin_required', 'testmode_decline'],
    ...['online_or_offline_pin_required', 'invalid_customer_account', 'payment_limit_exceeded'],
    ...['expired_payment_information', 'recurring_not_supported_by_bank'],
  ],
  authentication: [
    ...['authentication_required', 'authentication_not_handled', 'mobile_device_authentication_required'],
  ],
  soft: [
    ...['insufficient_funds', 'withdrawal_count_limit_exceeded', 'card_velocity_exceeded'],
    ...['issuer_not_available', 'processing_error', 'reenter_transaction', 'approve_with_id'],
    ...['try_again_later'],
  ],
};

const CLASS_OF_CODE: ReadonlyMap<string, DeclineClass> = new Map([
  ...entriesOf('never'),
  ...entriesOf('hard'),
  ...entriesOf('update'),
  ...entriesOf('authentication'),
  ...entriesOf('soft'),
]);

/** Bank debits and the codes after which they may be presented again: facts 5.8, 5.10. */
const BANK_DEBITS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['us_bank_account', new Set(['insufficient_funds'])],
  ['sepa_debit', new Set(['insufficient_funds'])],
  ['bacs_debit', new Set(['insufficient_funds', 'generic_could_not_process'])],
]);

export function isBankDebit(methodType: string): boolean {
  return BANK_DEBITS.has(methodType);
}

/** A code that is not known, or is absent, counts as generic; on a bank debit it asks for another account. */
export function classifyDecline(methodType: string, code: string | undefined): DeclineClass {
  const known = CLASS_OF_CODE.get(code ?? '');
  const retryable = BANK_DEBITS.get(methodType);
  if (!retryable) return known ?? 'generic';
  if (known === 'never') return 'never';
  return retryable.has(code ?? '') ? 'bank_retry' : 'hard';
}

function entriesOf(declineClass: keyof typeof CODES): [string, DeclineClass][] {
  return CODES[declineClass].map((code) => [code, declineClass]);
}

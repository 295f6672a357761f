import type { DeclineRow } from './decline-row.ts';

/** Decline codes of other methods, in the order of stripe-facts 5.4. Codes shared with cards are in the table of cards. */
export const OTHER_METHOD_DECLINES: readonly DeclineRow[] = [
  {
    code: 'invalid_billing_agreement',
    class: 'hard',
    meaning: 'The customer’s agreement with the provider is not valid any more.',
    source: '5.4',
  },
  {
    code: 'compliance_violation',
    class: 'hard',
    meaning: 'The provider refuses for legal reasons.',
    source: '5.4',
  },
  {
    code: 'invalid_authorization',
    class: 'hard',
    meaning: 'The authorization is not valid.',
    source: '5.4',
  },
  {
    code: 'invalid_payment_information',
    class: 'hard',
    meaning: 'The payment details are not valid.',
    source: '5.4',
  },
  {
    code: 'partner_action_not_supported',
    class: 'hard',
    meaning: 'The provider does not support this payment.',
    source: '5.4',
  },
  {
    code: 'card_already_activated',
    class: 'hard',
    meaning: 'The card was activated before.',
    source: '5.4',
  },
  {
    code: 'invalid_customer_account',
    class: 'update',
    meaning: 'The customer’s account with the provider has a problem.',
    source: '5.4',
  },
  {
    code: 'payment_limit_exceeded',
    class: 'update',
    meaning: 'The payment is above the customer’s limit with the provider.',
    source: '5.4',
  },
  {
    code: 'expired_payment_information',
    class: 'update',
    meaning: 'The stored payment details have expired.',
    source: '5.4',
  },
  {
    code: 'recurring_not_supported_by_bank',
    class: 'update',
    meaning: 'The customer’s bank does not take recurring payments; another one is needed.',
    source: '5.4',
  },
  {
    code: 'invalid_business_account',
    class: 'merchant',
    meaning: 'Your account with the provider has a problem.',
    source: '5.4',
  },
  {
    code: 'payment_disputed',
    class: 'merchant',
    meaning: 'The customer disputes the payment: settle that first.',
    source: '5.4',
  },
  {
    code: 'partner_high_risk_customer',
    class: 'hard',
    meaning: 'The provider considers the customer a risk.',
    source: '5.4',
    isSecret: true,
  },
  {
    code: 'lost_or_stolen_card',
    class: 'hard',
    meaning: 'The card was reported lost or stolen.',
    source: '5.4',
    isSecret: true,
  },
  {
    code: 'invalid_track_data',
    class: 'hard',
    meaning: 'The card’s data could not be read.',
    source: '5.4',
  },
  {
    code: 'partner_generic_decline',
    class: 'generic',
    meaning: 'The provider refused without a reason.',
    source: '5.4',
  },
  {
    code: 'partner_payment_not_found',
    class: 'merchant',
    meaning: 'The provider does not know the payment: check it there.',
    source: '5.4',
  },
];

/**
 * `charge.failure_code` of bank debits, in the order of stripe-facts 5.9; `insufficient_funds` is in the table of cards. Two hard ones are the
 * merchant's here, because no email may ask for another account: a dispute is resolved first, and the deceased are not written to.
 */
export const BANK_DEBIT_DECLINES: readonly DeclineRow[] = [
  {
    code: 'refer_to_customer',
    class: 'update',
    meaning: 'The bank returned the debit without a reason; the customer may ask it.',
    source: '5.9, 3.7',
  },
  {
    code: 'debit_disputed',
    class: 'merchant',
    meaning: 'The customer disputed the debit: settle that first.',
    source: '5.9',
  },
  {
    code: 'authorization_revoked',
    class: 'hard',
    meaning: 'The customer revoked the mandate.',
    source: '5.9',
  },
  {
    code: 'debit_not_authorized',
    class: 'hard',
    meaning: 'The customer says that the debit was not authorized.',
    source: '5.9, 3.7',
  },
  {
    code: 'debit_authorization_not_match',
    class: 'hard',
    meaning: 'The mandate does not match the bank’s record.',
    source: '5.9',
  },
  { code: 'account_closed', class: 'hard', meaning: 'The bank account is closed.', source: '5.9' },
  {
    code: 'branch_does_not_exist',
    class: 'hard',
    meaning: 'The bank’s branch does not exist.',
    source: '5.9',
  },
  { code: 'invalid_account_number', class: 'hard', meaning: 'The account number is wrong.', source: '5.9' },
  {
    code: 'incorrect_account_holder_name',
    class: 'hard',
    meaning: 'The name does not belong to the account.',
    source: '5.9',
  },
  {
    code: 'bank_account_restricted',
    class: 'update',
    meaning: 'The account cannot be debited until the bank lifts a block.',
    source: '5.9, 3.7',
  },
  {
    code: 'bank_account_unusable',
    class: 'hard',
    meaning: 'Stripe does not debit this account any more after an earlier return.',
    source: '5.8, 3.7',
    isNotSent: true,
  },
  {
    code: 'recipient_deceased',
    class: 'merchant',
    meaning: 'The customer has died. No email is sent.',
    source: '5.9',
  },
  {
    code: 'generic_could_not_process',
    class: 'update',
    meaning: 'The debit could not be processed.',
    source: '5.9',
  },
  {
    code: 'bank_ownership_changed',
    class: 'hard',
    meaning: 'The account moved to another bank or owner.',
    source: '5.9',
  },
];

/** Codes of errors without a decline code (stripe-facts 3.7). */
export const ERROR_CODES: readonly DeclineRow[] = [
  {
    code: 'card_declined',
    class: 'generic',
    meaning: 'The card was declined; the decline code next to it says why.',
    source: '3.7',
  },
  {
    code: 'invoice_payment_intent_requires_action',
    class: 'authentication',
    meaning: 'The invoice’s payment waits for the customer.',
    source: '3.7',
    isNotSent: true,
  },
  {
    code: 'payment_intent_action_required',
    class: 'authentication',
    meaning: 'The payment waits for the customer.',
    source: '3.7',
    isNotSent: true,
  },
  {
    code: 'payment_intent_authentication_failure',
    class: 'authentication',
    meaning: 'The customer’s confirmation failed.',
    source: '3.7',
    isNotSent: true,
  },
  {
    code: 'card_decline_rate_limit_exceeded',
    class: 'soft',
    meaning: 'The card was declined too often; Stripe lets it rest for a day.',
    source: '3.7',
    waitHours: 24,
    isNotSent: true,
  },
  {
    code: 'payment_method_provider_decline',
    class: 'generic',
    meaning: 'The provider of the payment method refused.',
    source: '3.7',
  },
  {
    code: 'payment_method_customer_decline',
    class: 'update',
    meaning: 'The customer refused the payment with the provider.',
    source: '3.7',
  },
  {
    code: 'india_recurring_payment_mandate_canceled',
    class: 'hard',
    meaning: 'The customer canceled the mandate that recurring payments in India need.',
    source: '3.7',
    isNotSent: true,
  },
  {
    code: 'missing_payment_method',
    class: 'update',
    meaning: 'There is no payment method to charge.',
    source: '3.7, 4.2',
    isNotSent: true,
  },
  {
    code: 'card_reported_fraudulent',
    class: 'hard',
    meaning: 'The holder of the card reported fraud to the bank, so the plugin did not charge it.',
    source: '5.12',
    isSecret: true,
    isNotSent: true,
  },
  {
    code: 'amount_too_small',
    class: 'merchant',
    meaning: 'The amount is below the least that Stripe charges in this currency.',
    source: '3.7',
    isNotSent: true,
  },
  {
    code: 'billing_invalid_mandate',
    class: 'hard',
    meaning: 'The mandate of the payment method is not valid for this payment.',
    source: '3.7',
    isNotSent: true,
  },
  {
    code: 'payment_intent_mandate_invalid',
    class: 'hard',
    meaning: 'The mandate of the payment is not valid.',
    source: '3.7',
    isNotSent: true,
  },
  {
    code: 'payment_method_currency_mismatch',
    class: 'merchant',
    meaning: 'The payment method does not take the currency of the invoice.',
    source: '3.7',
    isNotSent: true,
  },
  {
    code: 'testmode_charges_only',
    class: 'merchant',
    meaning: 'Your Stripe account may not make live charges yet.',
    source: '3.7',
    isNotSent: true,
  },
];

/**
 * What a decline means for the next attempt (facts 5.2 to 5.6, 5.9). Codes are Stripe's; the classes are ours:
 * `retryable` time helps · `wait` not before a stated time · `needs_new_card` this method will not do ·
 * `needs_customer` the customer must act, usually 3-D Secure · `never` no automatic attempt at all.
 */
export type DeclineClass = 'retryable' | 'wait' | 'needs_new_card' | 'needs_customer' | 'never';

export interface DeclineCodes {
  readonly methodType: string | undefined;
  readonly brand: string | undefined;
  readonly code: string | undefined;
  /** For a blocked charge this is the reason of the block. */
  readonly declineCode: string | undefined;
  readonly adviceCode: string | undefined;
  readonly networkCode: string | undefined;
  readonly networkAdvice: string | undefined;
}

export interface Classification {
  readonly class: DeclineClass;
  /** Hours to wait, with class `wait`. */
  readonly waitHours?: number;
  /** The code that decided. */
  readonly because: string;
}

const NEVER = [
  'highest_risk_level',
  'rule',
  'merchant_blacklist',
  'fraudulent',
  'duplicate_transaction',
  'testmode_decline',
  'invalid_business_account',
  'payment_disputed',
  'partner_payment_not_found',
  'partner_high_risk_customer',
  'debit_disputed',
  'recipient_deceased',
] as const;

const NEEDS_NEW_CARD = [
  'low_probability_of_authorization',
  'previously_declined_do_not_retry',
  'lost_card',
  'stolen_card',
  'pickup_card',
  'incorrect_number',
  'revocation_of_authorization',
  'revocation_of_all_authorizations',
  'stop_payment_order',
  'transaction_not_allowed',
  'expired_card',
  'new_account_information_available',
  'invalid_account',
  'invalid_number',
  'invalid_expiry_month',
  'invalid_expiry_year',
  'incorrect_cvc',
  'invalid_cvc',
  'incorrect_zip',
  'incorrect_address',
  'restricted_card',
  'card_not_supported',
  'currency_not_supported',
  'not_permitted',
  'invalid_amount',
  'do_not_try_again',
  'incorrect_pin',
  'invalid_pin',
  'pin_try_exceeded',
  'offline_pin_required',
  'online_or_offline_pin_required',
  'invalid_billing_agreement',
  'compliance_violation',
  'invalid_authorization',
  'invalid_payment_information',
  'partner_action_not_supported',
  'card_already_activated',
  'invalid_customer_account',
  'expired_payment_information',
  'payment_limit_exceeded',
  'recurring_not_supported_by_bank',
  'lost_or_stolen_card',
  'invalid_track_data',
  'authorization_revoked',
  'debit_not_authorized',
  'debit_authorization_not_match',
  'account_closed',
  'branch_does_not_exist',
  'invalid_account_number',
  'incorrect_account_holder_name',
  'bank_account_restricted',
  'bank_account_unusable',
  'bank_ownership_changed',
  'refer_to_customer',
  'payment_method_customer_decline',
  'india_recurring_payment_mandate_canceled',
] as const;

const NEEDS_CUSTOMER = [
  'authentication_required',
  'authentication_not_handled',
  'mobile_device_authentication_required',
  'payment_intent_authentication_failure',
  'invoice_payment_intent_requires_action',
] as const;

const WAIT_A_DAY = [
  'withdrawal_count_limit_exceeded',
  'card_velocity_exceeded',
  'card_decline_rate_limit_exceeded',
] as const;

const BY_CODE: ReadonlyMap<string, Omit<Classification, 'because'>> = new Map([
  ...classed(NEVER, { class: 'never' }),
  ...classed(NEEDS_NEW_CARD, { class: 'needs_new_card' }),
  ...classed(NEEDS_CUSTOMER, { class: 'needs_customer' }),
  ...classed(WAIT_A_DAY, { class: 'wait', waitHours: 24 }),
]);

function classed(codes: readonly string[], classification: Omit<Classification, 'because'>) {
  return codes.map((code) => [code, classification] as const);
}

/** Reasons of a charge that Stripe blocked; they weigh more than anything the bank said (facts 5.3). */
const BLOCKED: ReadonlySet<string> = new Set([
  'highest_risk_level',
  'rule',
  'low_probability_of_authorization',
  'previously_declined_do_not_retry',
  'merchant_blacklist',
]);

/** Stripe itself never retries these (facts 4.2). */
const STRIPE_NEVER_RETRIES: ReadonlySet<string> = new Set([
  'incorrect_number',
  'lost_card',
  'pickup_card',
  'stolen_card',
  'revocation_of_authorization',
  'revocation_of_all_authorizations',
  'authentication_required',
  'highest_risk_level',
  'transaction_not_allowed',
]);

/** Visa: the issuer will never approve (facts 5.5, category 1). */
const VISA_NEVER: ReadonlySet<string> = new Set([
  '04',
  '07',
  '12',
  '14',
  '15',
  '41',
  '43',
  '46',
  '57',
  'R0',
  'R1',
  'R3',
]);
/** Mastercard advice: not again with this card (facts 5.6, 5.10). */
const MASTERCARD_NEVER: ReadonlySet<string> = new Set(['03', '21', '41', '42']);
/** What else it advises about the card, the customer or the merchant's set-up (facts 5.6). */
const MASTERCARD_ADVICE: ReadonlyMap<string, DeclineClass> = new Map([
  ['01', 'needs_new_card'],
  ['04', 'never'],
  ['05', 'needs_new_card'],
  ['22', 'never'],
  ['40', 'needs_new_card'],
]);
const MASTERCARD_WAIT_HOURS: ReadonlyMap<string, number> = new Map([
  ['02', 72],
  ['24', 1],
  ['25', 24],
  ['26', 48],
  ['27', 96],
  ['28', 144],
  ['29', 192],
  ['30', 240],
]);

/** Debits are presented again only for these (facts 5.8); for cards they are ordinary soft declines. */
const BANK_DEBIT_RETRYABLE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['us_bank_account', new Set(['insufficient_funds'])],
  ['sepa_debit', new Set(['insufficient_funds'])],
  ['bacs_debit', new Set(['insufficient_funds', 'generic_could_not_process'])],
]);

type Rule = (codes: DeclineCodes) => Classification | undefined;

/** Strongest first (facts 5.4, Precedence). */
const RULES: readonly Rule[] = [
  (codes) => byCodeIn(BLOCKED, codes.declineCode),
  ({ adviceCode }) =>
    adviceCode === 'do_not_try_again' ? { class: 'needs_new_card', because: adviceCode } : undefined,
  (codes) => networkVerdict(codes),
  (codes) => byCodeIn(STRIPE_NEVER_RETRIES, codes.declineCode ?? codes.code),
  (codes) => (BY_CODE.get(codes.code ?? '')?.class === 'needs_customer' ? byCode(codes.code) : undefined),
  (codes) => bankDebitVerdict(codes),
  ({ adviceCode }) =>
    adviceCode === 'confirm_card_data' ? { class: 'needs_new_card', because: adviceCode } : undefined,
  (codes) => mastercardAdvice(codes),
  (codes) => byCode(codes.declineCode),
  (codes) => byCode(codes.code),
];

export function classifyDecline(codes: DeclineCodes): Classification {
  for (const rule of RULES) {
    const classification = rule(codes);
    if (classification) return classification;
  }
  return { class: 'retryable', because: codes.declineCode ?? codes.code ?? 'no code given' };
}

function byCode(code: string | undefined): Classification | undefined {
  const known = code === undefined ? undefined : BY_CODE.get(code);
  return known && code !== undefined ? { ...known, because: code } : undefined;
}

function byCodeIn(codes: ReadonlySet<string>, code: string | undefined): Classification | undefined {
  return code !== undefined && codes.has(code) ? byCode(code) : undefined;
}

function networkVerdict({ brand, networkCode, networkAdvice }: DeclineCodes): Classification | undefined {
  if (brand === 'mastercard' && networkAdvice !== undefined && MASTERCARD_NEVER.has(networkAdvice)) {
    return { class: 'needs_new_card', because: `Mastercard advice ${networkAdvice}` };
  }
  if (brand === 'visa' && networkCode !== undefined && VISA_NEVER.has(networkCode)) {
    return { class: 'needs_new_card', because: `Visa code ${networkCode}` };
  }
  return undefined;
}

function mastercardAdvice({ brand, networkCode, networkAdvice }: DeclineCodes): Classification | undefined {
  if (brand !== 'mastercard' || networkAdvice === undefined) return undefined;
  const because = `Mastercard advice ${networkAdvice}`;
  const waitHours = MASTERCARD_WAIT_HOURS.get(networkAdvice);
  if (waitHours !== undefined) return { class: 'wait', waitHours, because };
  // A security decline (83) with advice 01 asks for authentication.
  if (networkAdvice === '01' && networkCode === '83') return { class: 'needs_customer', because };
  const known = MASTERCARD_ADVICE.get(networkAdvice);
  return known && { class: known, because };
}

function bankDebitVerdict({ methodType, code, declineCode }: DeclineCodes): Classification | undefined {
  const retryable = BANK_DEBIT_RETRYABLE.get(methodType ?? '');
  if (!retryable) return undefined;
  const because = declineCode ?? code ?? 'no code given';
  if (retryable.has(because)) return { class: 'retryable', because };
  const known = byCode(because);
  return known && known.class !== 'wait' ? known : { class: 'needs_new_card', because };
}

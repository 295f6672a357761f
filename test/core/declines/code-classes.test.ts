/** Each code's class, written down a second time, against what the plugin and the service make of it. */

import type { DeclineCodes } from '../../../src/core/declines/classify.ts';
import { classifyDecline } from '../../../src/core/declines/decline-classes.ts';
import { DECLINES, findDebitScheme, findDecline } from '../../../src/core/declines/find-decline.ts';
import { MASTERCARD_ADVICE, VISA_CATEGORIES } from '../../../src/core/declines/network-codes.ts';
import { classifyDecline as classifyForService } from '../../../src/service/policy/classify-decline.ts';

const NO_CODES: DeclineCodes = {
  methodType: 'card',
  brand: undefined,
  code: undefined,
  declineCode: undefined,
  adviceCode: undefined,
  networkCode: undefined,
  networkAdvice: undefined,
};
const classify = (codes: Partial<DeclineCodes>) => classifyDecline({ ...NO_CODES, ...codes });

/** Hard, update, authentication, soft, generic, the merchant's to mend, of test mode (stripe-facts 5.4). */
const MEANING = {
  H: { class: 'needs_new_card' },
  U: { class: 'needs_new_card', isMendable: true },
  A: { class: 'needs_customer', isMendable: true },
  S: { class: 'retryable' },
  'S 24h': { class: 'wait', waitHours: 24 },
  'W24 F': { class: 'wait', waitHours: 24, onRepeat: 'never' },
  G: { class: 'retryable', isUnexplained: true },
  F: { class: 'never' },
  X: { class: 'never' },
} as const;
type Letter = keyof typeof MEANING;

function rows(text: string): [letter: Letter, code: string][] {
  return text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [letter = '', codes = ''] = line.split('|').map((cell) => cell.trim());
      return codes.split(/\s+/).map((code): [Letter, string] => [letter as Letter, code]);
    });
}

const CARDS = rows(`
  H     | lost_card stolen_card pickup_card incorrect_number revocation_of_authorization
  H     | revocation_of_all_authorizations stop_payment_order transaction_not_allowed
  A     | authentication_required authentication_not_handled mobile_device_authentication_required
  U     | expired_card new_account_information_available
  H     | invalid_account
  U     | invalid_number invalid_expiry_month invalid_expiry_year
  U     | incorrect_cvc invalid_cvc incorrect_zip incorrect_address
  U     | restricted_card card_not_supported currency_not_supported not_permitted invalid_amount
  H     | fraudulent
  F     | merchant_blacklist
  S     | insufficient_funds
  S 24h | withdrawal_count_limit_exceeded card_velocity_exceeded
  S     | issuer_not_available processing_error reenter_transaction approve_with_id try_again_later
  W24 F | duplicate_transaction
  G     | generic_decline do_not_honor call_issuer no_action_taken security_violation service_not_allowed
  H     | do_not_try_again
  U     | incorrect_pin invalid_pin pin_try_exceeded offline_pin_required online_or_offline_pin_required
  X     | testmode_decline`);

const OTHER_METHODS = rows(`
  H     | invalid_billing_agreement compliance_violation invalid_authorization invalid_payment_information
  H     | partner_action_not_supported card_already_activated
  U     | invalid_customer_account payment_limit_exceeded expired_payment_information
  U     | recurring_not_supported_by_bank
  F     | invalid_business_account payment_disputed
  H     | partner_high_risk_customer lost_or_stolen_card invalid_track_data
  G     | partner_generic_decline
  F     | partner_payment_not_found`);

/** `code` of the error, where no decline code stands beside it. */
const ERROR_CODES = rows(`
  G     | card_declined payment_method_provider_decline
  U     | expired_card incorrect_cvc incorrect_zip invalid_number invalid_cvc payment_method_customer_decline
  H     | incorrect_number bank_account_unusable debit_not_authorized india_recurring_payment_mandate_canceled
  S     | processing_error insufficient_funds
  A     | authentication_required invoice_payment_intent_requires_action payment_intent_authentication_failure
  S 24h | card_decline_rate_limit_exceeded
  U     | refer_to_customer bank_account_restricted missing_payment_method
  H     | billing_invalid_mandate payment_intent_mandate_invalid
  F     | amount_too_small payment_method_currency_mismatch testmode_charges_only`);

const BLOCKS = rows(`
  F     | highest_risk_level rule merchant_blacklist blocked
  H     | low_probability_of_authorization previously_declined_do_not_retry`);

/** `S 1` once more and no further. */
const BANK_DEBITS = `
  sepa_debit      | S   | insufficient_funds
  sepa_debit      | U   | refer_to_customer
  sepa_debit      | F   | debit_disputed
  sepa_debit      | H   | authorization_revoked debit_not_authorized debit_authorization_not_match
  sepa_debit      | H   | account_closed branch_does_not_exist invalid_account_number incorrect_account_holder_name
  sepa_debit      | U   | bank_account_restricted
  sepa_debit      | F   | recipient_deceased
  sepa_debit      | U   | generic_could_not_process
  bacs_debit      | S   | insufficient_funds
  bacs_debit      | S 1 | generic_could_not_process
  bacs_debit      | H   | account_closed bank_ownership_changed debit_not_authorized invalid_account_number
  us_bank_account | S   | insufficient_funds
  us_bank_account | H   | account_closed debit_not_authorized bank_account_unusable do_not_honor from_the_future
  acss_debit      | S   | insufficient_funds
  acss_debit      | H   | account_closed processing_error from_the_future`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [methodType = '', letter = '', codes = ''] = line.split('|').map((cell) => cell.trim());
    return codes.split(/\s+/).map((code) => [methodType, letter, code] as const);
  });

describe('Stripe’s codes and blocks (stripe-facts 5.4, 5.3, 3.7)', () => {
  it.each([...CARDS, ...OTHER_METHODS])('the class %s applies to the decline code %s', (letter, code) => {
    expect(classify({ code: 'card_declined', declineCode: code })).toMatchObject({
      ...MEANING[letter],
      because: code,
    });
    expect(findDecline(code)?.source).toContain('5.4');
  });

  it.each(ERROR_CODES)('the class %s applies to the code %s alone', (letter, code) => {
    expect(classify({ code })).toMatchObject({ ...MEANING[letter], because: code });
    expect(findDecline(code)?.source).toMatch(/3\.7|5\.4/);
  });

  it.each(BLOCKS)('the class %s applies to a charge blocked for %s', (letter, code) => {
    expect(classify({ code: 'card_declined', declineCode: code })).toMatchObject({
      ...MEANING[letter],
      because: code,
    });
    expect(findDecline(code)).toMatchObject({ isBlock: true });
  });

  it('a hard or retryable code is not mendable, nor limited in time, but for a block of 30 days', () => {
    for (const { code, class: name } of DECLINES) {
      const { isMendable, bindsDays } = classify({ declineCode: code });
      expect([code, isMendable ?? false]).toEqual([code, name === 'update' || name === 'authentication']);
      expect([code, bindsDays]).toEqual([code, code === 'previously_declined_do_not_retry' ? 30 : undefined]);
    }
  });
});

describe('a returned bank debit (stripe-facts 5.9)', () => {
  it.each(BANK_DEBITS)(
    'for %s, the class %s applies to a debit returned with %s',
    (methodType, letter, code) => {
      const expected = letter === 'S 1' ? { class: 'retryable', maxAttempts: 2 } : MEANING[letter as Letter];
      expect(classify({ methodType, code })).toMatchObject({ ...expected, because: code });
      const ofService = { S: 'bank_retry', F: 'never', U: 'update', H: 'hard' }[letter.charAt(0)];
      expect(classifyForService({ methodType, code }).class).toBe(ofService);
    },
  );

  it.each([
    ['us_bank_account', 3, 180, true],
    ['ach_debit', 3, 180, true],
    ['bank_account', 3, 180, true],
    ['sepa_debit', 3, undefined, undefined],
    ['bacs_debit', 3, 30, true],
    ['acss_debit', 3, undefined, undefined],
    ['au_becs_debit', 3, undefined, undefined],
    ['nz_bank_account', 3, undefined, undefined],
  ])(
    'a debit by %s may be presented %d times within %p days',
    (type, presentments, withinDays, isSameAmountOnly) => {
      const scheme = findDebitScheme(type);
      expect([scheme?.presentments, scheme?.withinDays, scheme?.isSameAmountOnly]).toEqual([
        presentments,
        withinDays,
        isSameAmountOnly,
      ]);
    },
  );
});

describe('advice and network codes (stripe-facts 5.2, 5.5, 5.6)', () => {
  it.each([
    ['do_not_try_again', MEANING.H],
    ['confirm_card_data', MEANING.U],
    ['try_again_later', MEANING.S],
    ['from_the_future', MEANING.S],
  ])('the advice code %s gives its class beside insufficient_funds', (adviceCode, expected) => {
    expect(classify({ adviceCode, declineCode: 'insufficient_funds' })).toMatchObject(expected);
  });

  const MAC = `
    01 U   | 02 72  | 03 H  | 04 F  | 05 U  | 21 H  | 22 F  | 24 1  | 25 24 | 26 48
    27 96  | 28 144 | 29 192 | 30 240 | 40 U | 41 H | 42 H | 43 G  | 79 G  | 99 G`
    .split(/[|\n]/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .map((cell) => cell.split(/\s+/) as [string, string]);
  it.each(MAC)('the Mastercard advice %s means %s', (networkAdvice, meaning) => {
    const expected = /^\d+$/.test(meaning)
      ? { class: 'wait', waitHours: Number(meaning) }
      : MEANING[meaning as Letter];
    expect(classify({ brand: 'mastercard', networkAdvice, declineCode: 'do_not_honor' })).toMatchObject(
      expected,
    );
    for (const brand of ['visa', 'cartes_bancaires', undefined])
      expect(classify({ brand, networkAdvice, declineCode: 'do_not_honor' })).toMatchObject(MEANING.G);
  });

  it("every row of Mastercard's advice codes is tried here", () => {
    const tried = new Set(MAC.map(([value]) => value));
    expect(MASTERCARD_ADVICE.filter(({ value }) => !tried.has(value))).toEqual([]);
  });

  const VISA = VISA_CATEGORIES.flatMap(({ category, codes }) =>
    codes.map((networkCode) => [networkCode, category] as const),
  );
  it.each([...VISA, ['ZZ', 4] as const])(
    'the Visa code %s is classified by its category %d',
    (networkCode, category) => {
      expect(classify({ brand: 'visa', networkCode, declineCode: 'do_not_honor' })).toMatchObject(
        category === 1 ? MEANING.H : MEANING.G,
      );
      expect(classify({ brand: 'mastercard', networkCode, declineCode: 'do_not_honor' })).toMatchObject(
        MEANING.G,
      );
    },
  );
});

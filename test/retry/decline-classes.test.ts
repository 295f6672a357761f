import fc from 'fast-check';
import { DECLINES } from '../../src/declines/find-decline.ts';
import { classifyDecline, type DeclineClass, type DeclineCodes } from '../../src/retry/decline-classes.ts';

function classify(codes: Partial<DeclineCodes>) {
  return classifyDecline({
    methodType: undefined,
    brand: undefined,
    code: undefined,
    declineCode: undefined,
    adviceCode: undefined,
    networkCode: undefined,
    networkAdvice: undefined,
    ...codes,
  });
}

const RETRYABLE: DeclineClass[] = ['retryable'];
const WAIT: DeclineClass[] = ['wait'];
const NEW_CARD: DeclineClass[] = ['needs_new_card'];
const CUSTOMER: DeclineClass[] = ['needs_customer'];
/** Configuration and the merchant's own affairs. */
const NEVER: DeclineClass[] = ['never'];
/** Hard: whether a new card helps is told by the code's meaning. */
const HARD: DeclineClass[] = ['never', 'needs_new_card'];

/** Facts 5.4, both tables, in their order. */
const CARD_CODES: [string, DeclineClass[]][] = [
  ['lost_card', NEW_CARD],
  ['stolen_card', NEW_CARD],
  ['pickup_card', NEW_CARD],
  ['incorrect_number', NEW_CARD],
  ['revocation_of_authorization', NEW_CARD],
  ['revocation_of_all_authorizations', NEW_CARD],
  ['stop_payment_order', NEW_CARD],
  ['transaction_not_allowed', NEW_CARD],
  ['authentication_required', CUSTOMER],
  ['authentication_not_handled', CUSTOMER],
  ['mobile_device_authentication_required', CUSTOMER],
  ['expired_card', NEW_CARD],
  ['new_account_information_available', NEW_CARD],
  ['invalid_account', NEW_CARD],
  ['invalid_number', NEW_CARD],
  ['invalid_expiry_month', NEW_CARD],
  ['invalid_expiry_year', NEW_CARD],
  ['incorrect_cvc', NEW_CARD],
  ['invalid_cvc', NEW_CARD],
  ['incorrect_zip', NEW_CARD],
  ['incorrect_address', NEW_CARD],
  ['restricted_card', NEW_CARD],
  ['card_not_supported', NEW_CARD],
  ['currency_not_supported', NEW_CARD],
  ['not_permitted', NEW_CARD],
  ['invalid_amount', NEW_CARD],
  ['fraudulent', NEVER],
  ['merchant_blacklist', NEVER],
  ['insufficient_funds', RETRYABLE],
  ['withdrawal_count_limit_exceeded', WAIT],
  ['card_velocity_exceeded', WAIT],
  ['issuer_not_available', RETRYABLE],
  ['processing_error', RETRYABLE],
  ['reenter_transaction', RETRYABLE],
  ['approve_with_id', RETRYABLE],
  ['try_again_later', RETRYABLE],
  ['duplicate_transaction', NEVER],
  ['generic_decline', RETRYABLE],
  ['do_not_honor', RETRYABLE],
  ['call_issuer', RETRYABLE],
  ['no_action_taken', RETRYABLE],
  ['security_violation', RETRYABLE],
  ['service_not_allowed', RETRYABLE],
  ['do_not_try_again', NEW_CARD],
  ['incorrect_pin', NEW_CARD],
  ['invalid_pin', NEW_CARD],
  ['pin_try_exceeded', NEW_CARD],
  ['offline_pin_required', NEW_CARD],
  ['online_or_offline_pin_required', NEW_CARD],
  ['testmode_decline', NEVER],
];
const OTHER_METHOD_CODES: [string, DeclineClass[]][] = [
  ['invalid_billing_agreement', HARD],
  ['compliance_violation', HARD],
  ['invalid_authorization', HARD],
  ['invalid_payment_information', HARD],
  ['partner_action_not_supported', HARD],
  ['card_already_activated', HARD],
  ['invalid_customer_account', NEW_CARD],
  ['payment_limit_exceeded', NEW_CARD],
  ['expired_payment_information', NEW_CARD],
  ['recurring_not_supported_by_bank', NEW_CARD],
  ['invalid_business_account', NEVER],
  ['payment_disputed', NEVER],
  ['partner_high_risk_customer', HARD],
  ['lost_or_stolen_card', HARD],
  ['invalid_track_data', HARD],
  ['partner_generic_decline', RETRYABLE],
  ['partner_payment_not_found', NEVER],
];
/** Facts 3.7: codes that come without a decline code. */
const ERROR_CODES: [string, DeclineClass[]][] = [
  ['card_declined', RETRYABLE],
  ['expired_card', NEW_CARD],
  ['incorrect_cvc', NEW_CARD],
  ['incorrect_number', NEW_CARD],
  ['incorrect_zip', NEW_CARD],
  ['invalid_expiry_year', NEW_CARD],
  ['processing_error', RETRYABLE],
  ['insufficient_funds', RETRYABLE],
  ['authentication_required', CUSTOMER],
  ['invoice_payment_intent_requires_action', CUSTOMER],
  ['payment_intent_authentication_failure', CUSTOMER],
  ['card_decline_rate_limit_exceeded', WAIT],
  ['payment_method_provider_decline', RETRYABLE],
  ['payment_method_customer_decline', NEW_CARD],
  ['bank_account_unusable', NEW_CARD],
  ['debit_not_authorized', NEW_CARD],
  ['refer_to_customer', NEW_CARD],
  ['bank_account_restricted', NEW_CARD],
  ['india_recurring_payment_mandate_canceled', NEW_CARD],
];

describe('decline codes', () => {
  it.each([...CARD_CODES, ...OTHER_METHOD_CODES])('%s is %j', (declineCode, classes) => {
    expect(classes).toContain(classify({ code: 'card_declined', declineCode }).class);
  });

  it.each(ERROR_CODES)('the code %s alone is %j', (code, classes) => {
    expect(classes).toContain(classify({ code }).class);
  });

  it.each(['withdrawal_count_limit_exceeded', 'card_velocity_exceeded', 'card_decline_rate_limit_exceeded'])(
    '%s waits a day',
    (declineCode) => {
      expect(classify({ declineCode })).toMatchObject({ class: 'wait', waitHours: 24 });
    },
  );

  it('a code that is not known is retryable with few attempts, and named as the reason', () => {
    const known = new Set(DECLINES.map(({ code }) => code));
    fc.assert(
      fc.property(
        fc.string().filter((code) => !known.has(code)),
        (declineCode) => {
          expect(classify({ code: 'card_declined', declineCode })).toEqual({
            class: 'retryable',
            maxAttempts: 4,
            because: declineCode,
          });
        },
      ),
    );
  });

  it.each(['generic_decline', 'do_not_honor', 'call_issuer', 'no_action_taken', 'security_violation'])(
    '%s gives few attempts, and a code that names a cause does not',
    (declineCode) => {
      expect(classify({ code: 'card_declined', declineCode }).maxAttempts).toBe(4);
      expect(classify({ code: 'expired_card', declineCode })).toEqual({
        class: 'needs_new_card',
        because: 'expired_card',
      });
      expect(classify({ declineCode: 'insufficient_funds' }).maxAttempts).toBeUndefined();
    },
  );

  it('a decline without any code is retryable', () => {
    expect(classify({})).toEqual({ class: 'retryable', maxAttempts: 4, because: 'no code given' });
  });
});

describe('bank debits', () => {
  it.each<[string, string, DeclineClass[]]>([
    ['sepa_debit', 'insufficient_funds', RETRYABLE],
    ['sepa_debit', 'refer_to_customer', NEW_CARD],
    ['sepa_debit', 'debit_disputed', NEVER],
    ['sepa_debit', 'authorization_revoked', HARD],
    ['sepa_debit', 'debit_not_authorized', HARD],
    ['sepa_debit', 'debit_authorization_not_match', HARD],
    ['sepa_debit', 'account_closed', HARD],
    ['sepa_debit', 'branch_does_not_exist', HARD],
    ['sepa_debit', 'invalid_account_number', HARD],
    ['sepa_debit', 'incorrect_account_holder_name', HARD],
    ['sepa_debit', 'bank_account_restricted', NEW_CARD],
    ['sepa_debit', 'recipient_deceased', NEVER],
    ['sepa_debit', 'generic_could_not_process', NEW_CARD],
    ['bacs_debit', 'insufficient_funds', RETRYABLE],
    ['bacs_debit', 'generic_could_not_process', RETRYABLE],
    ['bacs_debit', 'account_closed', HARD],
    ['bacs_debit', 'bank_ownership_changed', HARD],
    ['bacs_debit', 'debit_not_authorized', HARD],
    ['bacs_debit', 'invalid_account_number', HARD],
    ['us_bank_account', 'insufficient_funds', RETRYABLE],
    ['us_bank_account', 'account_closed', HARD],
    ['us_bank_account', 'card_velocity_exceeded', HARD],
  ])('%s: %s is %j', (methodType, code, classes) => {
    expect(classes).toContain(classify({ methodType, code }).class);
  });

  it.each<[string, string, string, DeclineClass]>([
    ['us_bank_account', 'R01', 'debit_not_authorized', 'retryable'],
    ['us_bank_account', 'R09', 'brand_new_code', 'retryable'],
    ['us_bank_account', 'R08', 'insufficient_funds', 'needs_new_card'],
    ['us_bank_account', 'R99', 'insufficient_funds', 'retryable'],
    ['us_bank_account', 'R99', 'account_closed', 'needs_new_card'],
    ['sepa_debit', 'AM04', 'refer_to_customer', 'retryable'],
    ['bacs_debit', '0', 'refer_to_customer', 'retryable'],
    ['card', 'R01', 'expired_card', 'needs_new_card'],
  ])('%s: the return %s outweighs %s: %s', (methodType, networkCode, code, expected) => {
    expect(classify({ methodType, networkCode, code }).class).toBe(expected);
  });

  it.each(['us_bank_account', 'sepa_debit'])(
    '%s is never presented again for an unknown reason',
    (methodType) => {
      fc.assert(
        fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (code, declineCode) => {
          fc.pre((declineCode ?? code) !== 'insufficient_funds');
          expect(['needs_new_card', 'needs_customer', 'never']).toContain(
            classify({ methodType, code, declineCode }).class,
          );
        }),
      );
    },
  );
});

describe('network codes', () => {
  const VISA_1 = ['04', '07', '12', '14', '15', '41', '43', '46', '57', 'R0', 'R1', 'R3'];
  it.each(VISA_1)('Visa %s is final for the card', (networkCode) => {
    expect(classify({ brand: 'visa', networkCode, declineCode: 'generic_decline' }).class).toBe(
      'needs_new_card',
    );
    expect(classify({ brand: 'amex', networkCode, declineCode: 'generic_decline' }).class).toBe('retryable');
  });

  const VISA_OTHERS =
    '03 19 39 51 52 53 59 61 62 65 75 78 83 86 91 93 96 5C 9G N3 N4 Z5 54 55 82 6P N7 70 1A 01 05 13 58 63';
  it.each(VISA_OTHERS.split(' '))('Visa %s of categories 2 to 4 is retryable', (networkCode) => {
    expect(classify({ brand: 'visa', networkCode, declineCode: 'do_not_honor' }).class).toBe('retryable');
  });

  it.each<[string, DeclineClass, number | undefined]>([
    ['01', 'needs_new_card', undefined],
    ['02', 'wait', 72],
    ['03', 'needs_new_card', undefined],
    ['04', 'never', undefined],
    ['05', 'needs_new_card', undefined],
    ['21', 'needs_new_card', undefined],
    ['22', 'never', undefined],
    ['24', 'wait', 1],
    ['25', 'wait', 24],
    ['26', 'wait', 48],
    ['27', 'wait', 96],
    ['28', 'wait', 144],
    ['29', 'wait', 192],
    ['30', 'wait', 240],
    ['40', 'needs_new_card', undefined],
    ['41', 'needs_new_card', undefined],
    ['42', 'needs_new_card', undefined],
    ['43', 'retryable', undefined],
    ['99', 'retryable', undefined],
  ])('Mastercard advice %s is %s', (networkAdvice, expected, waitHours) => {
    const verdict = classify({ brand: 'mastercard', networkAdvice, declineCode: 'do_not_honor' });
    expect(verdict.class).toBe(expected);
    expect(verdict.waitHours).toBe(waitHours);
    expect(classify({ brand: 'visa', networkAdvice, declineCode: 'do_not_honor' }).class).toBe('retryable');
  });

  it('a Mastercard security decline with advice 01 asks for authentication', () => {
    expect(classify({ brand: 'mastercard', networkAdvice: '01', networkCode: '83' }).class).toBe(
      'needs_customer',
    );
  });
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { renderDeclines } from '../../../scripts/docs/render-declines.ts';
import type { DeclineClass } from '../../../src/core/declines/decline-row.ts';
import {
  blockReason,
  DECLINES,
  findDebitScheme,
  findDecline,
  isRepresentable,
} from '../../../src/core/declines/find-decline.ts';
import {
  DEBIT_SCHEMES,
  MASTERCARD_ADVICE,
  VISA_CATEGORIES,
} from '../../../src/core/declines/network-codes.ts';
import { classifyDecline as classifyForService } from '../../../src/service/policy/classify-decline.ts';

/** Every code by class (stripe-facts 3.7, 5.3, 5.4, 5.9). */
const EXPECTED: Readonly<Record<DeclineClass, string>> = {
  hard: `low_probability_of_authorization previously_declined_do_not_retry lost_card stolen_card pickup_card
    incorrect_number revocation_of_authorization revocation_of_all_authorizations stop_payment_order
    transaction_not_allowed invalid_account do_not_try_again invalid_billing_agreement compliance_violation
    invalid_authorization invalid_payment_information partner_action_not_supported card_already_activated
    lost_or_stolen_card invalid_track_data authorization_revoked debit_not_authorized debit_authorization_not_match
    account_closed branch_does_not_exist invalid_account_number incorrect_account_holder_name bank_account_unusable
    bank_ownership_changed billing_invalid_mandate payment_intent_mandate_invalid card_reported_fraudulent india_recurring_payment_mandate_canceled fraudulent partner_high_risk_customer`,
  update: `expired_card new_account_information_available invalid_number invalid_expiry_month invalid_expiry_year
    incorrect_cvc invalid_cvc incorrect_zip incorrect_address restricted_card card_not_supported
    currency_not_supported not_permitted invalid_amount incorrect_pin invalid_pin pin_try_exceeded
    offline_pin_required online_or_offline_pin_required invalid_customer_account payment_limit_exceeded
    expired_payment_information recurring_not_supported_by_bank refer_to_customer bank_account_restricted
    generic_could_not_process payment_method_customer_decline missing_payment_method`,
  authentication: `authentication_required authentication_not_handled mobile_device_authentication_required
    invoice_payment_intent_requires_action payment_intent_action_required payment_intent_authentication_failure`,
  soft: `insufficient_funds withdrawal_count_limit_exceeded card_velocity_exceeded issuer_not_available
    processing_error reenter_transaction approve_with_id try_again_later card_decline_rate_limit_exceeded`,
  generic: `generic_decline do_not_honor call_issuer no_action_taken security_violation service_not_allowed
    partner_generic_decline card_declined payment_method_provider_decline`,
  merchant: `highest_risk_level rule merchant_blacklist blocked duplicate_transaction testmode_decline
    invalid_business_account payment_disputed partner_payment_not_found debit_disputed
    recipient_deceased amount_too_small payment_method_currency_mismatch testmode_charges_only`,
};
const expected = Object.entries(EXPECTED).flatMap(([name, codes]) =>
  codes.split(/\s+/).map((code) => [code, name] as const),
);

const codesWith = (flag: 'isSecret' | 'isNeverRetriedByStripe' | 'isBlock') =>
  DECLINES.filter((row) => row[flag]).map(({ code }) => code);

describe('the table of declines', () => {
  it('the table of declines holds every code once, with its class', () => {
    const rows = DECLINES.map(({ code, class: name }) => `${code} ${name}`);
    expect([...rows].sort()).toEqual(expected.map(([code, name]) => `${code} ${name}`).sort());
    expect(new Set(DECLINES.map(({ code }) => code)).size).toBe(DECLINES.length);
  });

  it('the table of declines names what the customer must not be told (stripe-facts 5.4)', () => {
    const named = ['fraudulent', 'lost_card', 'stolen_card', 'merchant_blacklist', 'lost_or_stolen_card'];
    expect(codesWith('isSecret')).toEqual(expect.arrayContaining(named));
  });

  it('the table of declines names what Stripe never retries (stripe-facts 4.2)', () => {
    const named = `incorrect_number lost_card pickup_card stolen_card revocation_of_authorization
      revocation_of_all_authorizations authentication_required highest_risk_level transaction_not_allowed`;
    expect(codesWith('isNeverRetriedByStripe').sort()).toEqual(named.split(/\s+/).sort());
  });

  it('the table of declines has the waits and the final advice of Mastercard (stripe-facts 5.10)', () => {
    const waits = MASTERCARD_ADVICE.flatMap(({ value, waitHours }) =>
      waitHours ? [[value, waitHours]] : [],
    );
    expect(Object.fromEntries(waits)).toEqual({
      '02': 72,
      '24': 1,
      '25': 24,
      '26': 48,
      '27': 96,
      '28': 144,
      '29': 192,
      '30': 240,
    });
    expect(MASTERCARD_ADVICE.filter(({ isFinal }) => isFinal).map(({ value }) => value)).toEqual([
      ...['03', '21', '41', '42'],
    ]);
  });

  it('the table of declines has each Visa code in one category', () => {
    const codes = VISA_CATEGORIES.flatMap(({ codes }) => codes);
    expect(new Set(codes).size).toBe(codes.length);
    expect(VISA_CATEGORIES.map(({ codes }) => codes.length)).toEqual([12, 22, 7, 5]);
  });
});

describe('a block', () => {
  it.each(codesWith('isBlock'))('a block for the reason %s keeps its name', (reason) => {
    expect(blockReason(reason)).toBe(reason);
  });

  it.each([null, undefined, '', 'generic_decline', 'lost_card', 'from_the_future'])(
    'a block for the reason %p is as final as any',
    (reason) => {
      expect(findDecline(blockReason(reason))).toMatchObject({ isBlock: true, class: 'merchant' });
    },
  );
});

const classifyDecline = (methodType: string, code: string | undefined) =>
  classifyForService({ methodType, code }).class;

const isHealing = (name: DeclineClass) => name === 'soft' || name === 'generic';

describe('the service', () => {
  it.each(expected)('the service takes %s on a card as %s', (code, name) => {
    const atFirst = findDecline(code)?.isOnceMore ? 'soft' : name;
    expect(classifyDecline('card', code)).toBe(atFirst === 'merchant' ? 'never' : atFirst);
  });

  it('the service takes a decline code that it does not know as generic', () => {
    const known = new Set(DECLINES.map(({ code }) => code));
    fc.assert(
      fc.property(fc.option(fc.string(), { nil: undefined }), (code) => {
        fc.pre(!known.has(code ?? ''));
        expect(classifyDecline('card', code)).toBe('generic');
      }),
    );
  });

  it.each(DEBIT_SCHEMES.flatMap(({ methodType, aliases = [] }) => [methodType, ...aliases]))(
    'the service has %s debited again only for the listed codes',
    (type) => {
      const scheme = findDebitScheme(type);
      for (const { code, class: name } of DECLINES) {
        const again = scheme !== undefined && isRepresentable(scheme, code);
        expect([code, classifyDecline(type, code)]).toEqual([
          code,
          again ? 'bank_retry' : name === 'merchant' ? 'never' : isHealing(name) ? 'hard' : name,
        ]);
      }
      expect(classifyDecline(type, 'from_the_future')).toBe('hard');
    },
  );
});

test('docs/reference/declines.md is up to date (npm run docs:declines)', () => {
  const page = readFileSync(new URL('../../../docs/reference/declines.md', import.meta.url), 'utf8');
  expect(page).toBe(renderDeclines());
  for (const { code } of DECLINES) expect(page).toContain(`| \`${code}\` |`);
});

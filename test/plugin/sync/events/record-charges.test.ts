import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { silentLogger } from '../../../../src/core/base/logger.ts';
import { toChargeRecord } from '../../../../src/plugin/sync/events/record-charges.ts';
import { buildCard, buildCharge } from '../../../support/stripe/charge-objects.ts';

const record = (details: Stripe.Charge.PaymentMethodDetails | null) =>
  toChargeRecord(
    { logger: silentLogger },
    {
      account: 'own',
      invoiceId: 'in_1',
      customerId: 'cus_1',
      subscriptionId: undefined,
      observedAt: DateTime.fromISO('2026-11-20T10:00:00Z'),
      isForwarded: false,
    },
    buildCharge({ payment_method_details: details }),
  );
const card = (changes: Parameters<typeof buildCard>[0]) => record({ type: 'card', card: buildCard(changes) });

describe('what is recorded of the method of a charge', () => {
  it.each([
    ['visa', 'cartes_bancaires', 'cartes_bancaires'],
    ['cartes_bancaires', 'visa', 'visa'],
    ['mastercard', 'mastercard', 'mastercard'],
    ['visa', 'unknown', 'visa'],
    ['visa', null, 'visa'],
    [null, null, undefined],
  ])('a charge of the brand %s, by the network %s, is counted as %s', (brand, network, counted) => {
    expect(card({ brand, network }).brand).toBe(counted);
  });

  it('the expiry of a card is recorded with two digits for the month', () => {
    expect(card({ exp_month: 4, exp_year: 2031, fingerprint: 'fp_9' })).toMatchObject({
      methodType: 'card',
      fingerprint: 'fp_9',
      cardExpiry: '2031-04',
    });
  });

  it('the fingerprint of a bank account is recorded', () => {
    const account = { bank_code: null, branch_code: null, country: 'DE', last4: '3000', mandate: null };
    expect(record({ type: 'sepa_debit', sepa_debit: { ...account, fingerprint: 'iban_1' } })).toMatchObject({
      methodType: 'sepa_debit',
      fingerprint: 'iban_1',
      brand: undefined,
      cardExpiry: undefined,
    });
  });

  it('nothing is recorded of the method of a charge where Stripe says nothing', () => {
    expect(record(null)).toMatchObject({ brand: undefined, fingerprint: undefined, cardExpiry: undefined });
  });
});

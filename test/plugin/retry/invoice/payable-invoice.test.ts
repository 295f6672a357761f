import type Stripe from 'stripe';
import '../../../support/runner/luxon-equality.ts';
import { methodFacts, readPayableInvoice } from '../../../../src/plugin/retry/invoice/payable-invoice.ts';
import { NOW } from '../../../support/database/stored-rows.ts';
import { buildInvoice, buildSubscription } from '../../../support/stripe/stripe-objects.ts';
import { buildCustomer, buildPaymentMethod } from '../../../support/stripe/stripe-payers.ts';

describe('readPayableInvoice', () => {
  it("readPayableInvoice names the method in Stripe's order of resolution, and all that were chosen", () => {
    const [onInvoice, onSubscription, onCustomer] = ['pm_1', 'pm_2', 'pm_3'].map((id) =>
      buildPaymentMethod({ id }),
    );
    const customer = buildCustomer(onCustomer ?? null);
    const read = (onTheInvoice: typeof onInvoice | null, onTheSubscription: typeof onSubscription | null) =>
      readPayableInvoice(
        buildInvoice({
          default_payment_method: onTheInvoice ?? null,
          customer,
          parent: {
            quote_details: null,
            subscription_details: {
              metadata: {},
              subscription: buildSubscription({ default_payment_method: onTheSubscription ?? null }),
            },
            type: 'subscription_details',
          },
        }),
      );
    expect(read(onInvoice, onSubscription).defaultMethod?.id).toBe('pm_1');
    expect(read(null, onSubscription).defaultMethod?.id).toBe('pm_2');
    expect(read(null, null).defaultMethod).toMatchObject({ id: 'pm_3', brand: 'visa', fingerprint: 'fp_1' });
    expect(read(onInvoice, onSubscription).chosenMethods).toEqual(['pm_1', 'pm_2', 'pm_3']);
  });

  it('readPayableInvoice knows every network of a card with two brands, and the one that was preferred', () => {
    const { card } = buildPaymentMethod();
    const facts = (networks: { available: string[]; preferred: string | null } | null) =>
      methodFacts(buildPaymentMethod(card ? { card: { ...card, networks } } : {}));
    expect(facts(null)).toMatchObject({ brand: 'visa', networks: ['visa'], expiry: '2030-12' });
    const available = ['cartes_bancaires', 'visa'];
    expect(facts({ available, preferred: null })).toMatchObject({
      brand: 'visa',
      networks: ['visa', 'cartes_bancaires'],
    });
    expect(facts({ available, preferred: 'cartes_bancaires' }).brand).toBe('cartes_bancaires');
    expect(facts({ available, preferred: 'invalid_preference' }).brand).toBe('visa');
  });

  it.each([
    ['uncollectible', 'user_forgiven', true],
    ['uncollectible', 'subscription_paused', true],
    ['uncollectible', 'max_payment_attempts', false],
    ['uncollectible', 'from_the_future', true],
    ['open', 'user_forgiven', false],
  ] as const)(
    'readPayableInvoice reads whether an invoice that is %s for %s is given up: %s',
    (status, reason, isGivenUp) => {
      const invoice = buildInvoice({ status, status_details: { uncollectible: { reason } } });
      const at = NOW.toUnixInteger();
      invoice.status_transitions.marked_uncollectible_at = at;
      const { writtenOff } = readPayableInvoice(invoice);
      expect(writtenOff).toEqual(isGivenUp ? { reason, at: NOW } : undefined);
    },
  );

  const ach = { id: 'src_1', object: 'source', type: 'ach_debit', ach_debit: { fingerprint: 'fp_ach' } };
  const oldCard = { brand: 'Visa', fingerprint: 'fp_old', exp_month: 4, exp_year: 2030 };
  it.each([
    ['ba_1', { id: 'ba_1', type: 'bank_account' }],
    ['card_1', { id: 'card_1', type: 'card' }],
    ['src_1', { id: 'src_1', type: undefined }],
    [ach, { id: 'src_1', type: 'ach_debit', fingerprint: 'fp_ach' }],
    [
      { id: 'src_2', object: 'source', type: 'card', card: oldCard },
      { type: 'card', brand: 'visa', networks: ['visa'], fingerprint: 'fp_old', expiry: '2030-04' },
    ],
    [
      { id: 'ba_2', object: 'bank_account', fingerprint: 'fp_ba' },
      { type: 'bank_account', fingerprint: 'fp_ba' },
    ],
    [
      { id: 'card_2', object: 'card', ...oldCard },
      { type: 'card', brand: 'visa', fingerprint: 'fp_old' },
    ],
  ] as [string | Stripe.CustomerSource, object][])(
    'readPayableInvoice tells what the old source %p is',
    (default_source, facts) => {
      expect(readPayableInvoice(buildInvoice({ default_source })).defaultMethod).toMatchObject(facts);
    },
  );

  it('readPayableInvoice finds no chosen method for a customer without any', () => {
    const invoice = readPayableInvoice(buildInvoice({ customer: buildCustomer() }));
    expect([invoice.defaultMethod, invoice.chosenMethods]).toEqual([undefined, []]);
  });

  it("readPayableInvoice gives Stripe's next attempt only while automatic collection is on, whatever date the invoice has", () => {
    const next = NOW.plus({ hours: 1 }).toUnixInteger();
    const read = (auto_advance: boolean) =>
      readPayableInvoice(buildInvoice({ auto_advance, next_payment_attempt: next })).nextStripeAttemptAt;
    expect(read(true)).toEqual(NOW.plus({ hours: 1 }));
    expect(read(false)).toBeUndefined();
  });
});

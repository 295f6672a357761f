import {
  accepts,
  declines,
  indianCard,
  inWallet,
  type PaymentMethodBehaviour,
  pendingThen,
  walletAccount,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { errorOf, startTestSandbox, subscribe, type TestSandbox, typesSince } from './start-test-sandbox.ts';

let test: TestSandbox;
beforeEach(async () => {
  test = await startTestSandbox();
});
afterEach(() => test.stop());

/** The charge of the renewal, once the bank has answered. */
async function renew(then: PaymentMethodBehaviour) {
  const { sandbox, clock } = test;
  const { subscription, customer } = subscribe(sandbox, then);
  const method = customer.invoice_settings.default_payment_method ?? '';
  const before = sandbox.state.events.size;
  const invoice = sandbox.renewNow(subscription.id);
  return {
    method,
    invoice,
    newest: () => [...sandbox.state.charges.newestFirst()][0],
    types: () => typesSince(sandbox, before),
    pass: async (hours: number) => {
      await clock.set(clock.now().plus({ hours }));
      await sandbox.run();
    },
  };
}

describe('a mandate (stripe-facts 5.13)', () => {
  it.each(['us_bank_account', 'sepa_debit', 'bacs_debit', 'acss_debit', 'au_becs_debit'] as const)(
    'a charge of %s names the mandate that the setup intent gave',
    async (type) => {
      const { stripe } = test;
      const { method, newest } = await renew(pendingThen('succeed', { type }));
      const setups = [...test.sandbox.state.mandates.newestFirst()];
      expect(setups).toHaveLength(1);
      expect(await stripe.mandates.retrieve(setups[0]?.id ?? '')).toMatchObject({
        status: 'active',
        payment_method: method,
        payment_method_details: { type },
      });
      expect(newest()?.payment_method_details?.[type]).toMatchObject({ mandate: setups[0]?.id });
      expect(newest()?.payment_method_details?.[type]?.fingerprint).toBe(`${type}6789`);
    },
  );

  it('a mandate that the holder ends is inactive, and nothing is charged by it', async () => {
    const { sandbox, stripe } = test;
    const { customer, subscription } = subscribe(sandbox, pendingThen('succeed', { type: 'bacs_debit' }));
    const before = sandbox.state.events.size;
    sandbox.endMandate(customer.invoice_settings.default_payment_method ?? '');
    const [updated] = [...sandbox.state.events.newestFirst()];
    expect(updated).toMatchObject({
      type: 'mandate.updated',
      data: {
        object: { status: 'inactive', payment_method_details: { bacs_debit: { network_status: 'revoked' } } },
        previous_attributes: { status: 'active' },
      },
    });
    const invoice = sandbox.renewNow(subscription.id);
    expect(typesSince(sandbox, before)).toContain('invoice.payment_failed');
    expect([...sandbox.state.charges.newestFirst()]).toHaveLength(1);
    const refusal = await errorOf(stripe.invoices.pay(invoice.id));
    expect(refusal).toMatchObject({ statusCode: 400, code: 'payment_intent_mandate_invalid' });
    expect(sandbox.payAsCustomer(invoice.id)).toMatchObject({ status: 'open' });
    expect([...sandbox.state.charges.newestFirst()][0]).toMatchObject({ status: 'pending' });
  });

  it('a debit that was not authorized ends its mandate', async () => {
    const { types, pass } = await renew(
      pendingThen('fail', { type: 'sepa_debit', code: 'debit_not_authorized' }),
    );
    await pass(24 * 5);
    expect(types()).toContain('mandate.updated');
    expect([...test.sandbox.state.mandates.newestFirst()][0]).toMatchObject({ status: 'inactive' });
  });

  it('a debit that came back for want of money keeps its mandate', async () => {
    const { types, pass } = await renew(pendingThen('fail', { type: 'sepa_debit' }));
    await pass(24 * 5);
    expect(types()).toContain('invoice.payment_failed');
    expect(types()).not.toContain('mandate.updated');
  });

  it('an Indian card is processing for 26 hours without a charge, then charged', async () => {
    const { invoice, newest, pass, types } = await renew(indianCard());
    const intents = () => [...test.sandbox.state.paymentIntents.newestFirst()];
    expect(intents()[0]).toMatchObject({
      status: 'processing',
      processing: { card: { customer_notification: { approval_requested: false } } },
    });
    expect(newest()?.created).toBeLessThan(invoice.created + 1);
    expect(types()).not.toContain('charge.succeeded');
    await pass(25);
    expect(invoice.status).toBe('open');
    await pass(1);
    expect(invoice.status).toBe('paid');
    expect(newest()?.payment_method_details?.card).toMatchObject({
      country: 'IN',
      mandate: [...test.sandbox.state.mandates.newestFirst()][0]?.id,
    });
  });

  it('an Indian card whose holder canceled the mandate is refused without a charge', async () => {
    const { sandbox, stripe } = test;
    const { customer, subscription } = subscribe(sandbox, indianCard());
    sandbox.endMandate(customer.invoice_settings.default_payment_method ?? '');
    const invoice = sandbox.renewNow(subscription.id);
    const refusal = await errorOf(stripe.invoices.pay(invoice.id));
    expect(refusal).toMatchObject({ statusCode: 402, code: 'india_recurring_payment_mandate_canceled' });
    expect([...sandbox.state.charges.newestFirst()]).toHaveLength(1);
  });
});

describe('Link, PayPal and wallets (stripe-facts 6.8)', () => {
  it.each(['link', 'paypal'] as const)('a %s account pays without a fingerprint', async (type) => {
    const { invoice, newest } = await renew(walletAccount(type));
    expect(invoice.status).toBe('paid');
    expect(newest()?.payment_method_details).toMatchObject({ type, [type]: { country: 'US' } });
    expect(JSON.stringify(newest()?.payment_method_details)).not.toContain('fingerprint');
  });

  it('a PayPal account declines with a code of its own', async () => {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox, walletAccount('paypal', 'payment_method_provider_decline'));
    const invoice = sandbox.renewNow(subscription.id);
    expect(await errorOf(stripe.invoices.pay(invoice.id))).toMatchObject({
      statusCode: 402,
      code: 'payment_method_provider_decline',
      payment_method_type: 'paypal',
    });
  });

  it('a card in a wallet has another fingerprint than the card, on method and charge alike', async () => {
    const card = accepts({ last4: '1881' });
    const { method, newest } = await renew(inWallet('apple_pay', card));
    const shown = await test.stripe.paymentMethods.retrieve(method);
    expect(shown.card?.wallet).toMatchObject({ type: 'apple_pay', dynamic_last4: '1881' });
    expect(shown.card?.fingerprint).not.toBe('fingerprint' in card.details && card.details.fingerprint);
    expect(newest()?.payment_method_details?.card).toMatchObject({
      fingerprint: shown.card?.fingerprint,
      wallet: { type: 'apple_pay' },
    });
  });
});

it('a card saved for use with the customer present says so on its setup intent (stripe-facts 6.7)', async () => {
  const { sandbox, stripe } = test;
  const { id } = sandbox.createCustomer();
  sandbox.saveCard(id, accepts(), 'on_session');
  const { data } = await stripe.setupIntents.list({ customer: id });
  expect(data).toMatchObject([{ usage: 'on_session', status: 'succeeded' }]);
});

it('a network’s update in the middle of a case changes number and fingerprint (stripe-facts 6.5)', async () => {
  const { sandbox, stripe } = test;
  const { method, invoice } = await renew(declines('expired_card', {}, { last4: '4242' }));
  const before = await stripe.paymentMethods.retrieve(method);
  sandbox.replaceCardAutomatically(method, accepts({ last4: '9999' }));
  expect([...sandbox.state.events.newestFirst()][0]).toMatchObject({
    type: 'payment_method.automatically_updated',
    data: {
      object: { id: method, card: { last4: '9999' } },
      previous_attributes: { card: { last4: '4242', fingerprint: before.card?.fingerprint } },
    },
  });
  expect(sandbox.payAsMerchant(invoice.id).status).toBe('paid');
});

/** Stripe's own retries: when they come, on what, which are not executed, and what follows the last. */
import { DateTime } from 'luxon';
import {
  accepts,
  acceptsFirst,
  debitFailsTimes,
  declines,
  declinesTimes,
  declinesUntil,
  type PaymentMethodBehaviour,
  pendingThen,
  requiresAuthentication,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';
import {
  errorOf,
  runUntil,
  START,
  startTestSandbox,
  subscribe,
  type TestSandbox,
  typesSince,
} from './start-test-sandbox.ts';

let test: TestSandbox;
afterEach(() => test.stop());

type Options = NonNullable<Parameters<typeof startTestSandbox>[0]>;

/** A renewal that fails, and what is left of it after some days. */
async function dunning(card: PaymentMethodBehaviour, options: Options = {}, days = 20) {
  test = await startTestSandbox({ stripeRetries: 'smart', ...options });
  const { subscription, customer } = subscribe(test.sandbox, card);
  const invoice = test.sandbox.renewNow(subscription.id);
  const tried = test.sandbox.state.charges.size;
  await runUntil(test, START.plus({ days }));
  const charges = [...test.sandbox.state.charges.newestFirst()].reverse().slice(tried);
  const charged = charges.map(({ created }) => DateTime.fromSeconds(created).diff(START).as('days'));
  return { subscription, customer, invoice, charged };
}

const short = declines('insufficient_funds');

describe('the schedule', () => {
  it.each<[string, NonNullable<Options['stripeRetries']>, number[]]>([
    ['eight times within two weeks, as recommended', 'smart', [1.75, 3.5, 5.25, 7, 8.75, 10.5, 12.25, 14]],
    ['as often and as long as the merchant says', { tries: 2, days: 7 }, [3.5, 7]],
    ['on a custom schedule', { afterDays: [1, 3, 5] }, [1, 4, 9]],
    ['never while they are off', 'off', []],
  ])("Stripe's retries come %s (stripe-facts 4.1)", async (_when, stripeRetries, expected) => {
    const { charged, invoice } = await dunning(short, { stripeRetries });
    expect(charged).toEqual(expected);
    expect(invoice).toMatchObject({
      attempt_count: 1 + expected.length,
      next_payment_attempt: null,
      status: 'open',
    });
  });

  it('manual attempts neither count nor move the schedule (stripe-facts 3.2)', async () => {
    const { invoice } = await dunning(short, {}, 1);
    const next = invoice.next_payment_attempt;
    await errorOf(test.stripe.invoices.pay(invoice.id));
    expect(invoice).toMatchObject({ attempt_count: 1, next_payment_attempt: next });
    await runUntil(test, START.plus({ days: 2 }));
    expect(invoice.attempt_count).toBe(2);
  });

  it('with Automations a failure does not show the next attempt, the update does (stripe-facts 3.2)', async () => {
    const { invoice } = await dunning(short, { usesAutomations: true }, 1);
    const [failed, updated] = ['invoice.payment_failed', 'invoice.updated'].map(
      (key) => test.sandbox.state.events.newestFirst({ index: 'type', key }).next().value?.data.object,
    );
    expect(failed).toMatchObject({ next_payment_attempt: null });
    expect(updated).toMatchObject({ next_payment_attempt: invoice.next_payment_attempt });
  });

  it('the schedule stops with auto_advance=false and goes on with true (stripe-facts 4.4)', async () => {
    test = await startTestSandbox({ stripeRetries: { afterDays: [3, 3] } });
    const { sandbox, stripe, clock } = test;
    const card = acceptsFirst(1, declinesUntil(START.plus({ days: 5 }), 'insufficient_funds'));
    const customer = sandbox.createCustomer({ paymentMethod: card });
    const price = sandbox.createPrice();
    const subscription = sandbox.createSubscription({ customer: customer.id, items: [{ price: price.id }] });
    const { id } = sandbox.renewNow(subscription.id);
    const stopped = await stripe.invoices.update(id, { auto_advance: false });
    expect(stopped).toMatchObject({ auto_advance: false, next_payment_attempt: null });
    await clock.set(START.plus({ days: 4 }));
    expect(await sandbox.run()).toBe(0);
    const resumed = await stripe.invoices.update(id, { auto_advance: true });
    expect(resumed.next_payment_attempt).toBe(START.plus({ days: 7 }).toSeconds());
    await runUntil(test, START.plus({ days: 7 }));
    expect(subscription.status).toBe('active');
  });

  it('the first invoice of a subscription is not on the schedule (stripe-facts 2.1)', async () => {
    test = await startTestSandbox({ stripeRetries: 'smart' });
    const customer = test.sandbox.createCustomer({ paymentMethod: declines('insufficient_funds') });
    const items = [{ price: test.sandbox.createPrice().id }];
    const { latest_invoice: id } = test.sandbox.createSubscription({ customer: customer.id, items });
    expect(test.sandbox.state.invoices.get(id ?? '')).toMatchObject({
      attempt_count: 1,
      next_payment_attempt: null,
    });
  });
});

describe('what is not executed', () => {
  it.each<[string, PaymentMethodBehaviour]>([
    ['a hard decline', declines('stolen_card')],
    ['a hard decline that comes as a block', declines('highest_risk_level')],
    ['a payment that waits for the customer', requiresAuthentication('action')],
    ['a card issued in India', declines('insufficient_funds', {}, { country: 'IN' })],
  ])('after %s the schedule counts on without charges (stripe-facts 4.2)', async (_what, card) => {
    const { invoice, charged } = await dunning(card, { afterLastRetry: 'unpaid' });
    expect(charged).toEqual([]);
    expect(invoice).toMatchObject({ attempt_count: 9, next_payment_attempt: null });
    expect(
      test.sandbox.state.subscriptions.get(invoice.parent?.subscription_details?.subscription ?? '')?.status,
    ).toBe('unpaid');
  });

  it('an attempt with another card does not free a hard declined one (stripe-facts 4.2)', async () => {
    const { invoice, customer } = await dunning(declines('lost_card'), {}, 1);
    const other = test.sandbox.attachCard(customer.id, declines('insufficient_funds', {}, { last4: '1111' }));
    await errorOf(test.stripe.invoices.pay(invoice.id, { payment_method: other.id }));
    const tried = test.sandbox.state.charges.size;
    await runUntil(test, START.plus({ days: 20 }));
    expect(test.sandbox.state.charges.size).toBe(tried);
  });

  it.each(['new', 'renewed'])('a %s card is charged by the next retry (stripe-facts 4.2)', async (how) => {
    const { invoice, customer } = await dunning(declines('lost_card'), {}, 4);
    const good = accepts({ last4: '1111' });
    const old = customer.invoice_settings.default_payment_method ?? '';
    if (how === 'new') test.sandbox.changeDefaultCard(customer.id, good);
    else test.sandbox.replaceCardAutomatically(old, good);
    await runUntil(test, START.plus({ days: 6 }));
    expect(invoice).toMatchObject({ status: 'paid', attempt_count: 4 });
  });
});

describe('bank debits', () => {
  it('a debit that comes back late returns to the schedule (stripe-facts 4.5)', async () => {
    const { invoice } = await dunning(debitFailsTimes(99), {}, 3);
    expect(invoice).toMatchObject({ attempt_count: 1, next_payment_attempt: null });
    await runUntil(test, START.plus({ days: 4 }));
    expect(invoice.next_payment_attempt).toBe(START.plus({ days: 5.75 }).toSeconds());
  });

  it('a manual debit that comes back late returns to the schedule, too', async () => {
    const { invoice, customer } = await dunning(short, {}, 1);
    const account = test.sandbox.attachCard(customer.id, pendingThen('fail'));
    await test.stripe.invoices.pay(invoice.id, { payment_method: account.id });
    expect(invoice.next_payment_attempt).toBeNull();
    await runUntil(test, START.plus({ days: 5 }));
    expect(invoice).toMatchObject({ attempt_count: 1 });
    expect(invoice.next_payment_attempt).toBe(START.plus({ days: 6.75 }).toSeconds());
  });

  it.each<[string, PaymentMethodBehaviour, boolean, number]>([
    ['an ACH debit twice, where the merchant chose it', pendingThen('fail', { days: 1 }), true, 2],
    ['no ACH debit, where the merchant did not', pendingThen('fail', { days: 1 }), false, 0],
    ['no ACH debit of a closed account', pendingThen('fail', { days: 1, code: 'account_closed' }), true, 0],
    ['no SEPA debit', pendingThen('fail', { days: 1, type: 'sepa_debit' }), true, 0],
  ])('Stripe retries %s (stripe-facts 4.5)', async (_what, account, retriesDebits, retries) => {
    const { invoice, charged } = await dunning(account, { retriesDebits, afterLastRetry: 'cancel' }, 25);
    expect(charged).toHaveLength(retries);
    expect(invoice.next_payment_attempt).toBeNull();
  });
});

describe('the payment method', () => {
  it("Stripe's own order decides what a retry charges (stripe-facts 3.6)", async () => {
    const { invoice, customer, subscription } = await dunning(short, {}, 1);
    const { sandbox, stripe } = test;
    const customersSource = sandbox.giveBankAccount(customer.id, pendingThen('succeed'));
    const card = sandbox.attachCard(customer.id, declines('do_not_honor', {}, { last4: '0001' }));
    const customers = customer.invoice_settings.default_payment_method;
    const charged = async () => {
      await errorOf(stripe.invoices.pay(invoice.id));
      return sandbox.state.charges.newestFirst().next().value?.payment_method;
    };
    expect(await charged()).toBe(customers);
    const subscriptionsSource = sandbox.attachCard(customer.id, declines('lost_card', {}, { last4: '0002' }));
    await stripe.subscriptions.update(subscription.id, { default_source: subscriptionsSource.id });
    expect(await charged()).toBe(subscriptionsSource.id);
    await stripe.subscriptions.update(subscription.id, { default_payment_method: card.id });
    expect(await charged()).toBe(card.id);
    for (const gone of [card.id, subscriptionsSource.id]) await stripe.paymentMethods.detach(gone);
    expect(await charged()).toBe(customers);
    sandbox.detachCard(customers ?? '');
    await stripe.invoices.pay(invoice.id);
    expect(sandbox.state.charges.newestFirst().next().value?.payment_method).toBe(customersSource.id);
  });
});

describe('the end', () => {
  it.each<[NonNullable<Options['afterLastRetry']>, string]>([
    ['past_due', 'past_due'],
    ['cancel', 'canceled'],
    ['unpaid', 'unpaid'],
    ['pause', 'paused'],
  ])(
    'after the last retry the merchant chose %s: the subscription is %s (stripe-facts 4.1)',
    async (afterLastRetry, status) => {
      const { subscription } = await dunning(short, { afterLastRetry });
      expect(subscription.status).toBe(status);
      if (status === 'paused')
        expect(subscription.status_details?.paused.subscription.type).toBe('final_payment_failure');
    },
  );

  it('after the last retry the invoice may be given up, and a past_due subscription is then active (stripe-facts 2.1, 4.1)', async () => {
    const { invoice, subscription } = await dunning(short, { lastRetryLeaves: 'uncollectible' });
    expect(invoice).toMatchObject({
      status: 'uncollectible',
      status_details: { uncollectible: { reason: 'max_payment_attempts' } },
    });
    expect(subscription.status).toBe('active');
  });

  it('an older invoice ends nothing when its retries are over: the latest decides (stripe-facts 4.1)', async () => {
    const { invoice, subscription } = await dunning(
      declinesTimes(99, 'insufficient_funds'),
      { afterLastRetry: 'cancel' },
      10,
    );
    test.sandbox.renewNow(subscription.id);
    await runUntil(test, START.plus({ days: 15 }));
    expect(invoice.next_payment_attempt).toBeNull();
    expect(subscription.status).toBe('past_due');
    await runUntil(test, START.plus({ days: 25 }));
    expect(subscription.status).toBe('canceled');
  });

  it('a subscription left unpaid makes drafts, and a finalized and paid draft brings it back (stripe-facts 2.1)', async () => {
    const { subscription } = await dunning(short, { afterLastRetry: 'unpaid' });
    const { sandbox, stripe } = test;
    const draft = sandbox.renewNow(subscription.id);
    expect(draft).toMatchObject({ status: 'draft', auto_advance: false, attempted: false });
    sandbox.changeDefaultCard(subscription.customer, accepts());
    const open = await stripe.invoices.finalizeInvoice(draft.id, { auto_advance: false });
    expect([open.status, subscription.status]).toEqual(['open', 'unpaid']);
    await stripe.invoices.pay(draft.id);
    expect(subscription.status).toBe('active');
  });

  it('an unpaid subscription is not active again for an older invoice (stripe-facts 2.1)', async () => {
    const { invoice, subscription } = await dunning(short, { afterLastRetry: 'unpaid' });
    test.sandbox.renewNow(subscription.id);
    test.sandbox.changeDefaultCard(subscription.customer, accepts());
    const before = test.sandbox.state.events.size;
    await test.stripe.invoices.pay(invoice.id);
    expect(subscription.status).toBe('unpaid');
    expect(typesSince(test.sandbox, before)).not.toContain('customer.subscription.updated');
  });
});

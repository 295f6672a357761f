import { Duration } from 'luxon';
import {
  accepts,
  acceptsFirst,
  declines,
  pendingThen,
  requiresAuthentication,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';
import {
  errorOf,
  START,
  startTestSandbox,
  subscribe,
  type TestSandbox,
  typesSince,
} from './start-test-sandbox.ts';

describe('invoices.pay', () => {
  let test: TestSandbox;
  beforeEach(async () => {
    test = await startTestSandbox();
  });
  afterEach(() => test.stop());

  it('invoices.pay answers 402 with every code of the decline', async () => {
    const { sandbox, stripe } = test;
    const card = declines('do_not_honor', {
      adviceCode: 'try_again_later',
      networkDeclineCode: '05',
      networkAdviceCode: '02',
    });
    const { subscription, customer } = subscribe(sandbox, card);
    const invoice = sandbox.renewNow(subscription.id);
    const error = await errorOf(stripe.invoices.pay(invoice.id));
    expect(error).toMatchObject({
      statusCode: 402,
      type: 'StripeCardError',
      code: 'card_declined',
      decline_code: 'do_not_honor',
      advice_code: 'try_again_later',
      network_decline_code: '05',
      network_advice_code: '02',
    });
    expect(error.payment_intent?.status).toBe('requires_payment_method');
    const charge = await stripe.charges.retrieve(error.charge ?? '');
    expect(charge).toMatchObject({
      status: 'failed',
      customer: customer.id,
      failure_code: 'card_declined',
      outcome: { type: 'issuer_declined', network_status: 'declined_by_network', reason: 'do_not_honor' },
    });
  });

  it('invoices.pay charges the one payment intent again and again', async () => {
    const { sandbox, stripe } = test;
    const invoice = sandbox.renewNow(subscribe(sandbox).subscription.id);
    const first = await errorOf(stripe.invoices.pay(invoice.id));
    const second = await errorOf(stripe.invoices.pay(invoice.id));
    expect(first.payment_intent?.id).toBe(second.payment_intent?.id);
    expect(first.charge).not.toBe(second.charge);
  });

  it('invoices.pay counts the first attempt and not the manual ones after it', async () => {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox);
    const invoice = sandbox.renewNow(subscription.id);
    expect(invoice.attempt_count).toBe(1);
    await errorOf(stripe.invoices.pay(invoice.id));
    expect((await stripe.invoices.retrieve(invoice.id)).attempt_count).toBe(1);
  });

  it('invoices.pay pays with the chosen payment method and brings the subscription back to active', async () => {
    const { sandbox, stripe } = test;
    const { subscription, customer } = subscribe(sandbox);
    const invoice = sandbox.renewNow(subscription.id);
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('past_due');
    const method = sandbox.attachCard(customer.id, accepts({ last4: '1111' }));
    const before = sandbox.state.events.size;
    const paid = await stripe.invoices.pay(invoice.id, { payment_method: method.id, off_session: true });
    expect(paid).toMatchObject({ status: 'paid', amount_remaining: 0, amount_paid: 1000 });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
    expect(typesSince(sandbox, before)).toEqual([
      'charge.succeeded',
      'payment_intent.succeeded',
      'invoice_payment.paid',
      'invoice.paid',
      'invoice.payment_succeeded',
      'invoice.updated',
      'customer.subscription.updated',
    ]);
  });

  it.each([
    ['is paid', 'Invoice is already paid', (invoice: string) => test.sandbox.payOutOfBand(invoice)],
    ['is void', 'Voided invoices cannot be paid.', (invoice: string) => test.sandbox.voidInvoice(invoice)],
  ])('invoices.pay answers 400 when the invoice %s', async (_state, message, arrange) => {
    const { sandbox, stripe } = test;
    const invoice = sandbox.renewNow(subscribe(sandbox).subscription.id);
    arrange(invoice.id);
    const error = await errorOf(stripe.invoices.pay(invoice.id));
    expect(error).toMatchObject({ statusCode: 400, type: 'StripeInvalidRequestError', message });
  });

  it('invoices.pay takes a payment for an uncollectible invoice', async () => {
    const { sandbox, stripe } = test;
    const { subscription, customer } = subscribe(sandbox);
    const invoice = sandbox.renewNow(subscription.id);
    sandbox.markUncollectible(invoice.id);
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
    sandbox.changeDefaultCard(customer.id, accepts());
    expect((await stripe.invoices.pay(invoice.id)).status).toBe('paid');
  });

  it('invoices.pay answers 400 when there is no payment method', async () => {
    const { sandbox, stripe } = test;
    const customer = sandbox.createCustomer();
    const price = sandbox.createPrice();
    const subscription = sandbox.createSubscription({ customer: customer.id, items: [{ price: price.id }] });
    expect(subscription.status).toBe('incomplete');
    const error = await errorOf(stripe.invoices.pay(subscription.latest_invoice ?? ''));
    expect(error).toMatchObject({ statusCode: 400 });
    expect(error.message).toContain('no attached payment source');
  });

  it('invoices.pay answers 404 for an unknown invoice and 401 for a wrong key', async () => {
    const { stripe, sandbox } = test;
    expect(await errorOf(stripe.invoices.pay('in_nothing'))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
    const response = await fetch(`${sandbox.url}/v1/invoices`, {
      headers: { authorization: 'Bearer sk_wrong' },
    });
    expect(response.status).toBe(401);
  });

  it('invoices.pay reports authentication as a decline, with both invoice events', async () => {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox, requiresAuthentication());
    const before = sandbox.state.events.size;
    const invoice = sandbox.renewNow(subscription.id);
    expect(typesSince(sandbox, before)).toEqual(
      expect.arrayContaining(['invoice.payment_action_required', 'invoice.payment_failed', 'charge.failed']),
    );
    expect(await errorOf(stripe.invoices.pay(invoice.id))).toMatchObject({
      statusCode: 402,
      code: 'authentication_required',
    });
  });

  it('invoices.pay can leave the payment intent waiting for the customer instead', async () => {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox, requiresAuthentication('action'));
    const invoice = sandbox.renewNow(subscription.id);
    const error = await errorOf(stripe.invoices.pay(invoice.id));
    expect(error).toMatchObject({ statusCode: 402, code: 'invoice_payment_intent_requires_action' });
    expect(error.payment_intent?.status).toBe('requires_action');
  });

  it('invoices.pay shows a charge that Radar blocked as not sent to the network', async () => {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox, declines('highest_risk_level'));
    const error = await errorOf(stripe.invoices.pay(sandbox.renewNow(subscription.id).id));
    const charge = await stripe.charges.retrieve(error.charge ?? '');
    expect(charge.outcome).toMatchObject({
      type: 'blocked',
      network_status: 'not_sent_to_network',
      reason: 'highest_risk_level',
    });
  });
});

describe('a bank debit', () => {
  it.each([
    ['succeed', 'paid', 'active', 'invoice.paid'],
    ['fail', 'open', 'past_due', 'invoice.payment_failed'],
  ] as const)(
    'a bank debit that will %s is pending for days, then the invoice is %s',
    async (result, status, standing, event) => {
      const { sandbox, stripe, clock, stop } = await startTestSandbox();
      const { subscription } = subscribe(
        sandbox,
        acceptsFirst(0, pendingThen(result, { days: 4, type: 'sepa_debit' })),
      );
      const invoice = sandbox.renewNow(subscription.id);
      expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({ status: 'open', attempt_count: 1 });
      expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
      expect(await errorOf(stripe.invoices.pay(invoice.id))).toMatchObject({
        code: 'payment_intent_unexpected_state',
      });
      await clock.set(START.plus(Duration.fromObject({ days: 4 })));
      const before = sandbox.state.events.size;
      await sandbox.run();
      expect(typesSince(sandbox, before)).toContain(event);
      expect((await stripe.invoices.retrieve(invoice.id)).status).toBe(status);
      expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe(standing);
      const [charge] = sandbox.state.charges.newestFirst();
      expect(charge).toMatchObject(
        result === 'fail'
          ? {
              status: 'failed',
              failure_code: 'insufficient_funds',
              payment_method_details: { type: 'sepa_debit' },
            }
          : { status: 'succeeded', failure_code: null },
      );
      await stop();
    },
  );
});

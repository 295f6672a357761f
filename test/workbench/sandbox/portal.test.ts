import {
  accepts,
  declines,
  requiresAuthentication,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { startTestSandbox, subscribe, type TestSandbox, typesSince } from './start-test-sandbox.ts';

describe('the billing portal', () => {
  let test: TestSandbox;
  beforeEach(async () => {
    test = await startTestSandbox();
  });
  afterEach(() => test.stop());

  async function open(customer: string) {
    return test.stripe.billingPortal.sessions.create({
      customer,
      flow_data: {
        type: 'payment_method_update',
        after_completion: { type: 'redirect', redirect: { return_url: 'http://127.0.0.1/thanks' } },
      },
    });
  }

  const choose = (url: string, card = 0) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ card: String(card) }), redirect: 'manual' });

  it("the billing portal changes the customer's default card and goes back to the return address", async () => {
    const { sandbox, stripe } = test;
    const { customer, subscription } = subscribe(sandbox);
    const invoice = sandbox.renewNow(subscription.id);
    const old = customer.invoice_settings.default_payment_method;
    const session = await open(customer.id);
    const page = await (await fetch(session.url)).text();
    expect(page).toContain('visa ending in 4242');
    const before = sandbox.state.events.size;
    const answer = await choose(session.url);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, 'http://127.0.0.1/thanks']);
    expect(typesSince(sandbox, before)).toEqual([
      'setup_intent.created',
      'payment_method.attached',
      'setup_intent.succeeded',
      'customer.updated',
    ]);
    const [change] = sandbox.state.events.newestFirst();
    expect(change?.data.previous_attributes).toEqual({ invoice_settings: { default_payment_method: old } });
    expect((await stripe.invoices.retrieve(invoice.id)).status).toBe('open');
    expect((await stripe.invoices.pay(invoice.id)).status).toBe('paid');
  });

  it("the sandbox's billing portal offers the cards that were arranged", async () => {
    const { sandbox, stripe } = test;
    const { customer } = subscribe(sandbox);
    sandbox.offerCard(customer.id, accepts({ brand: 'mastercard', last4: '5454' }));
    sandbox.offerCard(customer.id, declines('stolen_card', {}, { last4: '9979' }));
    const session = await open(customer.id);
    expect(await (await fetch(session.url)).text()).toContain('mastercard ending in 5454');
    await choose(session.url, 1);
    const { data } = await stripe.customers.listPaymentMethods(customer.id, { type: 'card' });
    expect(data.map(({ card }) => card?.last4)).toEqual(['9979', '4242']);
    expect((await choose(session.url, 7)).status).toBe(400);
  });

  it('the billing portal closes an unused link after five minutes and a used one after an hour', async () => {
    const { sandbox, clock } = test;
    const { customer } = subscribe(sandbox);
    const [unused, used] = [await open(customer.id), await open(customer.id)];
    await fetch(used.url);
    await clock.set(clock.now().plus({ minutes: 6 }));
    expect((await fetch(unused.url)).status).toBe(410);
    expect((await choose(unused.url)).status).toBe(410);
    expect((await fetch(used.url)).status).toBe(200);
    await clock.set(clock.now().plus({ minutes: 61 }));
    expect((await fetch(used.url)).status).toBe(410);
    expect((await fetch(`${sandbox.url}/portal/bps_nothing`)).status).toBe(404);
  });

  it('the billing portal keeps a link with after_expiration open, as if the customer had logged in', async () => {
    const { sandbox, stripe, clock } = test;
    const { customer } = subscribe(sandbox);
    const session = await stripe.billingPortal.sessions.create({
      customer: customer.id,
      flow_data: { type: 'payment_method_update' },
      after_expiration: { type: 'customer_login' },
    });
    await clock.set(clock.now().plus({ days: 3 }));
    expect((await choose(session.url)).status).toBe(200);
    expect(session.after_expiration).toEqual({
      customer_login: { expires_at: null },
      type: 'customer_login',
    });
  });

  it('the billing portal offers the types of its payment method configuration', async () => {
    const { sandbox, stripe } = test;
    const { customer } = subscribe(sandbox);
    sandbox.offerCard(customer.id, accepts({ last4: '5454' }));
    sandbox.offerCard(customer.id, {
      ...accepts(),
      details: { type: 'link', email: 'a@example.com', country: 'DE' },
    });
    const { id: methods } = await stripe.paymentMethodConfigurations.create({
      name: 'Link alone',
      link: { display_preference: { preference: 'on' } },
    });
    const features = { payment_method_update: { enabled: true, payment_method_configuration: methods } };
    const { id: configuration } = await stripe.billingPortal.configurations.create({ features });
    const { url } = await stripe.billingPortal.sessions.create({ customer: customer.id, configuration });
    const page = await (await fetch(url)).text();
    expect(page).toContain('link');
    expect(page).not.toContain('5454');
    await stripe.paymentMethodConfigurations.update(methods, { active: false });
    expect(await (await fetch(url)).text()).not.toContain('<button');
    await stripe.billingPortal.configurations.update(configuration, { active: false });
    await expect(
      stripe.billingPortal.sessions.create({ customer: customer.id, configuration }),
    ).rejects.toThrow(`The configuration ${configuration} is not active.`);
  });

  it('the billing portal pauses a subscription for as long as the customer chooses', async () => {
    const { sandbox, stripe, clock } = test;
    const { customer, subscription } = subscribe(sandbox, accepts());
    const flow = {
      customer: customer.id,
      flow_data: { type: 'subscription_pause', subscription_pause: { subscription: subscription.id } },
    } as const;
    await expect(stripe.billingPortal.sessions.create(flow)).rejects.toThrow('does not allow');
    const { id: configuration } = await stripe.billingPortal.configurations.create({
      features: { subscription_pause: { enabled: true } },
    });
    const { url } = await stripe.billingPortal.sessions.create({ ...flow, configuration });
    expect(await (await fetch(url)).text()).toContain('Pause for 1 month');
    expect((await choose(url)).status).toBe(200);
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      status: 'paused',
      status_details: { paused: { subscription: { type: 'pause_requested' } } },
    });
    await clock.set(clock.now().plus({ months: 1, minutes: 1 }));
    await sandbox.run();
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
    const again = await stripe.billingPortal.sessions.create({ ...flow, configuration });
    await stripe.subscriptions.pause(subscription.id);
    expect((await choose(again.url)).status).toBe(400);
  });
});

describe('the hosted invoice page', () => {
  it('the hosted invoice page lets the customer authenticate and pay', async () => {
    const { sandbox, stripe, stop } = await startTestSandbox();
    const { subscription } = subscribe(sandbox, requiresAuthentication());
    const invoice = sandbox.renewNow(subscription.id);
    const { hosted_invoice_url: url } = await stripe.invoices.retrieve(invoice.id);
    expect(await (await fetch(url ?? '')).text()).toContain('1000 USD');
    expect((await fetch(url ?? '', { method: 'POST', redirect: 'manual' })).status).toBe(303);
    expect((await stripe.invoices.retrieve(invoice.id)).status).toBe('paid');
    expect(await (await fetch(url ?? '')).text()).toContain('paid');
    await stop();
  });

  it('the hosted invoice page shows a decline', async () => {
    const { sandbox, stop } = await startTestSandbox();
    const invoice = sandbox.renewNow(subscribe(sandbox).subscription.id);
    const answer = await fetch(invoice.hosted_invoice_url ?? '', { method: 'POST' });
    expect(answer.status).toBe(402);
    expect(await answer.text()).toContain('insufficient funds');
    await stop();
  });
});

describe('payment methods', () => {
  it('payment methods can be renewed by the network, keeping their id', async () => {
    const { sandbox, stripe, stop } = await startTestSandbox();
    const { customer, subscription } = subscribe(sandbox, declines('expired_card'));
    const invoice = sandbox.renewNow(subscription.id);
    const id = customer.invoice_settings.default_payment_method ?? '';
    sandbox.replaceCardAutomatically(id, accepts({ last4: '7777' }));
    const [event] = sandbox.state.events.newestFirst();
    expect(event).toMatchObject({
      type: 'payment_method.automatically_updated',
      data: { object: { id }, previous_attributes: { card: { last4: '4242' } } },
    });
    expect((await stripe.invoices.pay(invoice.id)).status).toBe('paid');
    await stop();
  });

  it('payment methods leave the customer without a default when detached', async () => {
    const { sandbox, stripe, stop } = await startTestSandbox();
    const { customer } = subscribe(sandbox);
    const id = customer.invoice_settings.default_payment_method ?? '';
    expect((await stripe.paymentMethods.detach(id)).customer).toBeNull();
    expect((await stripe.customers.listPaymentMethods(customer.id)).data).toEqual([]);
    expect(customer.invoice_settings.default_payment_method).toBeNull();
    await stripe.paymentMethods.attach(id, { customer: customer.id });
    await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: id } });
    expect((await stripe.customers.listPaymentMethods(customer.id)).data.map((method) => method.id)).toEqual([
      id,
    ]);
    await stop();
  });
});

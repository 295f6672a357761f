import { accepts } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { errorOf, startTestSandbox, subscribe, type TestSandbox } from './start-test-sandbox.ts';

describe('lists', () => {
  let test: TestSandbox;
  beforeEach(async () => {
    test = await startTestSandbox();
  });
  afterEach(() => test.stop());

  function manySubscriptions(count: number): string[] {
    const { sandbox } = test;
    const price = sandbox.createPrice();
    const customers = [sandbox.createCustomer(), sandbox.createCustomer()];
    return Array.from({ length: count }, (_, index) => {
      const customer = customers[index % 2]?.id ?? '';
      return sandbox.importSubscription({ customer, items: [{ price: price.id }] }).id;
    });
  }

  it('lists come newest first, in pages', async () => {
    const ids = manySubscriptions(7).reverse();
    const page = await test.stripe.subscriptions.list({ limit: 3 });
    expect(page.has_more).toBe(true);
    expect(page.data.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const all = await test.stripe.subscriptions.list({ limit: 3 }).autoPagingToArray({ limit: 100 });
    expect(all.map(({ id }) => id)).toEqual(ids);
  });

  it('lists go backwards with ending_before, oldest first when paged automatically', async () => {
    const ids = manySubscriptions(7);
    const found: string[] = [];
    const pages = test.stripe.subscriptions.list({ limit: 2, ending_before: ids[0] ?? '' });
    for await (const { id } of pages) found.push(id);
    expect(found).toEqual(ids.slice(1));
  });

  it('lists filter by customer through an index of their own', async () => {
    const ids = manySubscriptions(6);
    const customer = test.sandbox.state.subscriptions.get(ids[0] ?? '')?.customer ?? '';
    const all = await test.stripe.subscriptions
      .list({ customer, limit: 2 })
      .autoPagingToArray({ limit: 100 });
    expect(all.map(({ id }) => id)).toEqual([ids[4], ids[2], ids[0]]);
  });

  it('lists leave out canceled subscriptions unless asked', async () => {
    const [first = ''] = manySubscriptions(2);
    await test.stripe.subscriptions.cancel(first);
    expect((await test.stripe.subscriptions.list()).data).toHaveLength(1);
    expect((await test.stripe.subscriptions.list({ status: 'all' })).data).toHaveLength(2);
    expect((await test.stripe.subscriptions.list({ status: 'canceled' })).data[0]?.id).toBe(first);
  });

  it('lists filter invoices by status, customer and time', async () => {
    const { sandbox, stripe, clock } = test;
    const { subscription, customer } = subscribe(sandbox);
    const start = clock.now();
    await clock.set(start.plus({ hours: 1 }));
    const invoice = sandbox.renewNow(subscription.id);
    const found = await stripe.invoices.list({ customer: customer.id, status: 'open' });
    expect(found.data.map(({ id }) => id)).toEqual([invoice.id]);
    const later = await stripe.invoices.list({ created: { gt: Math.floor(start.toSeconds()) } });
    expect(later.data.map(({ id }) => id)).toEqual([invoice.id]);
  });

  it('lists filter events by types, wildcards and cursor', async () => {
    const { sandbox, stripe } = test;
    const [last] = (await stripe.events.list({ limit: 1 })).data;
    expect(last).toBeUndefined();
    const { subscription } = subscribe(sandbox);
    const [newest] = (await stripe.events.list({ limit: 1 })).data;
    sandbox.renewNow(subscription.id);
    const failed = await stripe.events.list({ type: 'invoice.payment_failed' });
    expect(failed.data).toHaveLength(1);
    const some = await stripe.events.list({ types: ['charge.failed', 'invoice.payment_failed'] });
    expect(some.data.map(({ type }) => type)).toEqual(['invoice.payment_failed', 'charge.failed']);
    const since: string[] = [];
    for await (const event of stripe.events.list({ ending_before: newest?.id ?? '', type: 'invoice.*' })) {
      since.push(event.type);
    }
    expect(since).toEqual([
      'invoice.created',
      'invoice.finalized',
      'invoice.payment_failed',
      'invoice.updated',
    ]);
  });

  it('lists do not show events older than 30 days', async () => {
    const { sandbox, stripe, clock } = test;
    sandbox.createCustomer();
    await clock.set(clock.now().plus({ days: 31 }));
    expect((await stripe.events.list()).data).toEqual([]);
  });

  it('lists answer 400 for a cursor that does not exist', async () => {
    const error = await errorOf(test.stripe.customers.list({ starting_after: 'cus_nothing' }));
    expect(error).toMatchObject({ statusCode: 400, code: 'resource_missing' });
  });
});

describe('expand', () => {
  let test: TestSandbox;
  beforeEach(async () => {
    test = await startTestSandbox();
  });
  afterEach(() => test.stop());

  it('expand reaches the failed charge from the invoice payments in four levels', async () => {
    const { sandbox, stripe } = test;
    const invoice = sandbox.renewNow(subscribe(sandbox).subscription.id);
    const { data } = await stripe.invoicePayments.list({
      invoice: invoice.id,
      expand: ['data.payment.payment_intent.latest_charge'],
    });
    expect(data).toMatchObject([
      {
        is_default: true,
        status: 'open',
        payment: {
          payment_intent: {
            last_payment_error: { decline_code: 'insufficient_funds' },
            latest_charge: { outcome: { reason: 'insufficient_funds' } },
          },
        },
      },
    ]);
    const [payment] = sandbox.state.invoicePayments.newestFirst({ index: 'invoice', key: invoice.id });
    const found = await stripe.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: payment?.payment.payment_intent ?? '' },
    });
    expect(found.data[0]?.invoice).toBe(invoice.id);
  });

  it('a call that expands five levels is refused, and does none of the work', async () => {
    const { sandbox, stripe } = test;
    const invoice = sandbox.renewNow(subscribe(sandbox).subscription.id);
    const charges = sandbox.state.charges.size;
    const error = await errorOf(
      stripe.invoices.pay(invoice.id, { expand: ['payments.data.payment.payment_intent.latest_charge'] }),
    );
    expect(error).toMatchObject({ statusCode: 400 });
    expect(sandbox.state.charges.size).toBe(charges);
  });

  it('expand shows payments and tiers only when asked', async () => {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox);
    const id = subscription.latest_invoice ?? '';
    expect((await stripe.invoices.retrieve(id)).payments).toBeUndefined();
    const invoice = await stripe.invoices.retrieve(id, { expand: ['payments.data.payment.payment_intent'] });
    expect(invoice.payments?.data[0]?.payment.payment_intent).toMatchObject({ status: 'succeeded' });
    const price = sandbox.createPrice({
      billing_scheme: 'tiered',
      tiers_mode: 'graduated',
      tiers: [
        { up_to: 10, unit_amount: 100 },
        { up_to: 'inf', unit_amount_decimal: '50.5' },
      ],
    });
    expect((await stripe.prices.retrieve(price.id)).tiers).toBeUndefined();
    const { tiers } = await stripe.prices.retrieve(price.id, { expand: ['tiers'] });
    expect(tiers?.map(({ up_to, unit_amount }) => [up_to, unit_amount])).toEqual([
      [10, 100],
      [null, null],
    ]);
    expect(tiers?.[1]?.unit_amount_decimal?.toString()).toBe('50.5');
  });

  it('expand shows the amounts in other currencies only when asked, and their tiers only when asked too', async () => {
    const { sandbox, stripe } = test;
    const tiered = (unit: number) => [{ up_to: 'inf' as const, unit_amount: unit }];
    const { id } = sandbox.createPrice({
      billing_scheme: 'tiered',
      tiers_mode: 'volume',
      tiers: tiered(100),
      currency_options: { eur: { tiers: tiered(90) } },
    });
    const ask = async (...expand: string[]) => stripe.prices.retrieve(id, { expand });
    expect(await ask('tiers')).not.toHaveProperty('currency_options');
    const { currency_options: options } = await ask('currency_options');
    expect(Object.keys(options ?? {}).sort()).toEqual(['eur', 'usd']);
    expect(options?.eur).not.toHaveProperty('tiers');
    const whole = await ask('tiers', 'currency_options', 'currency_options.eur.tiers');
    expect(whole.tiers?.[0]?.unit_amount).toBe(100);
    expect(whole.currency_options?.eur?.tiers?.[0]?.unit_amount).toBe(90);
    expect(whole.currency_options?.usd).not.toHaveProperty('tiers');
    expect(await errorOf(ask('currency_options.gbp.tiers'))).toMatchObject({ statusCode: 400 });
  });

  it('expand brings a currency option to an item of one subscription, but not of a list, nor its tiers', async () => {
    const { sandbox, stripe } = test;
    const { id: price } = sandbox.createPrice({ currency_options: { eur: { unit_amount: 900 } } });
    const { id: customer } = sandbox.createCustomer();
    const { id } = sandbox.createSubscription({ customer, items: [{ price }], currency: 'eur' });
    const expand = ['items.data.price.currency_options'];
    const { items } = await stripe.subscriptions.retrieve(id, { expand });
    expect(items.data[0]?.price).toMatchObject({
      currency: 'usd',
      currency_options: { eur: { unit_amount: 900 } },
    });
    const { data } = await stripe.subscriptions.list();
    expect(data[0]?.items.data[0]?.price).not.toHaveProperty('currency_options');
    const tooDeep = [
      stripe.subscriptions.list({ expand: ['data.items.data.price.currency_options'] }),
      stripe.subscriptions.retrieve(id, { expand: ['items.data.price.currency_options.eur.tiers'] }),
    ];
    for (const call of tooDeep) expect(await errorOf(call)).toMatchObject({ statusCode: 400 });
  });

  it('the sandbox shows ten items of a subscription, in an answer as in an event', async () => {
    const { sandbox, stripe } = test;
    const items = Array.from({ length: 12 }, () => ({ price: sandbox.createPrice().id }));
    const { id: customer } = sandbox.createCustomer();
    const { id } = sandbox.createSubscription({ customer, items });
    const events = await stripe.events.list({ type: 'customer.subscription.created' });
    const shown = [
      await stripe.subscriptions.retrieve(id),
      (await stripe.subscriptions.list()).data[0],
      events.data[0]?.data.object,
    ];
    for (const subscription of shown)
      expect(subscription).toMatchObject({ items: { data: { length: 10 }, has_more: true } });
    const all = await stripe.subscriptionItems.list({ subscription: id, limit: 100 });
    expect(all.data).toHaveLength(12);
  });

  it('expand replaces ids by objects and leaves the state alone', async () => {
    const { sandbox, stripe } = test;
    const { subscription, customer } = subscribe(sandbox, accepts());
    const shown = await stripe.subscriptions.retrieve(subscription.id, {
      expand: [
        'customer.invoice_settings.default_payment_method',
        'latest_invoice',
        'items.data.price.product',
      ],
    });
    expect(shown.customer).toMatchObject({
      id: customer.id,
      invoice_settings: { default_payment_method: { card: {} } },
    });
    expect(shown.latest_invoice).toMatchObject({ object: 'invoice', status: 'paid' });
    expect(shown.items.data[0]?.price.product).toMatchObject({ object: 'product' });
    expect(sandbox.state.subscriptions.get(subscription.id)?.customer).toBe(customer.id);
  });

  it('expand answers 400 for a field that cannot be expanded and 404 for an unknown path', async () => {
    const { stripe, sandbox } = test;
    const customer = sandbox.createCustomer();
    const error = await errorOf(stripe.customers.retrieve(customer.id, { expand: ['nonsense'] }));
    expect(error).toMatchObject({ statusCode: 400 });
    const response = await fetch(`${sandbox.url}/v1/nonsense`, {
      headers: { authorization: `Bearer ${sandbox.secretKey}` },
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });
});

import type Stripe from 'stripe';
import type { InvoiceItem } from '../../../src/workbench/sandbox/objects/wire.ts';
import { accepts, declines } from '../../../src/workbench/sandbox/payment-behaviour.ts';
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
beforeEach(async () => {
  test = await startTestSandbox();
});
afterEach(() => test.stop());

/** Half of the monthly period of 1000 is over. */
async function halfway(then = accepts()) {
  const { sandbox, clock } = test;
  const { subscription, customer } = subscribe(sandbox, then);
  const [item] = subscription.items.data;
  await clock.set(START.plus({ days: 15 }));
  return { subscription, customer, item: item?.id ?? '', since: sandbox.state.events.size };
}

function pending(): Pick<InvoiceItem, 'amount' | 'proration'>[] {
  return [...test.sandbox.state.invoiceItems.newestFirst()]
    .filter(({ invoice }) => invoice === null)
    .map(({ amount, proration }) => ({ amount, proration }));
}

const linesOf = (invoice: { lines: { data: { amount: number }[] } }) =>
  invoice.lines.data.map(({ amount }) => amount);

describe('prorations (stripe-facts 3.13)', () => {
  it('another quantity gives unused time back and charges what remains, with the next invoice', async () => {
    const { sandbox, stripe } = test;
    const { subscription, item, since } = await halfway();
    await stripe.subscriptions.update(subscription.id, { items: [{ id: item, quantity: 3 }] });
    expect(typesSince(sandbox, since)).toEqual([
      'invoiceitem.created',
      'invoiceitem.created',
      'customer.subscription.updated',
    ]);
    expect(pending()).toEqual([
      { amount: 1500, proration: true },
      { amount: -500, proration: true },
    ]);
    const invoice = sandbox.renewNow(subscription.id);
    expect(linesOf(invoice)).toEqual([3000, -500, 1500]);
    expect(invoice).toMatchObject({ amount_due: 4000, billing_reason: 'subscription_cycle' });
    expect(invoice.lines.data[1]).toMatchObject({
      description: 'Unused time on Plan after 16 Nov 2026',
      parent: { invoice_item_details: { proration: true, subscription: subscription.id } },
    });
    expect(pending()).toEqual([]);
  });

  it('always_invoice bills the change at once, as an invoice of its own', async () => {
    const { sandbox, stripe } = test;
    const { subscription, item, since } = await halfway();
    const dearer = sandbox.createPrice({ unit_amount: 5000 });
    const changed = await stripe.subscriptions.update(subscription.id, {
      items: [{ id: item, price: dearer.id }],
      proration_behavior: 'always_invoice',
    });
    const invoice = await stripe.invoices.retrieve(String(changed.latest_invoice));
    expect(invoice).toMatchObject({
      status: 'paid',
      billing_reason: 'subscription_update',
      amount_paid: 2000,
    });
    expect(typesSince(sandbox, since).filter((type) => !/price|product|charge|intent/.test(type))).toEqual([
      'invoiceitem.created',
      'invoiceitem.created',
      'invoice.created',
      'customer.subscription.updated',
      'invoice.finalized',
      'invoice_payment.paid',
      'invoice.paid',
      'invoice.payment_succeeded',
      'invoice.updated',
    ]);
  });

  it('a declined invoice of a change makes the subscription past_due', async () => {
    const { sandbox } = test;
    const { subscription, item } = await halfway(declines('insufficient_funds'));
    sandbox.updateSubscription(subscription.id, {
      items: [{ id: item, quantity: 2 }],
      proration_behavior: 'always_invoice',
    });
    expect(subscription.status).toBe('past_due');
  });

  it('a cheaper price with always_invoice leaves a credit on the customer', async () => {
    const { sandbox } = test;
    const { subscription, item, customer } = await halfway();
    const cheaper = sandbox.createPrice({ unit_amount: 200 });
    sandbox.updateSubscription(subscription.id, {
      items: [{ id: item, price: cheaper.id }],
      proration_behavior: 'always_invoice',
    });
    expect(customer.balance).toBe(-400);
    const next = sandbox.renewNow(subscription.id);
    expect(next).toMatchObject({
      starting_balance: -400,
      ending_balance: -200,
      amount_due: 0,
      status: 'paid',
    });
    expect(customer.balance).toBe(-200);
  });

  it('another interval begins a new period and is billed at once', async () => {
    const { sandbox } = test;
    const { subscription, item } = await halfway();
    const yearly = sandbox.createPrice({ unit_amount: 10_000, recurring: { interval: 'year' } });
    sandbox.updateSubscription(subscription.id, { items: [{ id: item, price: yearly.id }] });
    const invoice = sandbox.state.invoices.get(subscription.latest_invoice ?? '');
    expect(invoice).toMatchObject({ amount_paid: 9500, billing_reason: 'subscription_update' });
    expect(subscription.items.data[0]?.current_period_end).toBe(
      START.plus({ days: 15, years: 1 }).toSeconds(),
    );
  });

  it('proration_behavior none changes nothing of the period that runs', async () => {
    const { sandbox } = test;
    const { subscription, item } = await halfway();
    sandbox.updateSubscription(subscription.id, {
      items: [{ id: item, quantity: 3 }],
      proration_behavior: 'none',
    });
    expect(pending()).toEqual([]);
    expect(sandbox.renewNow(subscription.id).amount_due).toBe(3000);
  });
});

describe('the last invoice (stripe-facts 3.13)', () => {
  async function metered() {
    const { sandbox } = test;
    const customer = sandbox.createCustomer({ paymentMethod: declines('insufficient_funds') });
    const price = sandbox.createPrice({ recurring: { interval: 'month', usage_type: 'metered' } });
    const subscription = sandbox.createSubscription({
      customer: customer.id,
      items: [{ price: price.id }],
    });
    sandbox.reportUsage(subscription.items.data[0]?.id ?? '', 7);
    return subscription;
  }

  it('usage is billed after its period', async () => {
    const subscription = await metered();
    expect(subscription.status).toBe('active');
    const invoice = test.sandbox.renewNow(subscription.id);
    expect(invoice).toMatchObject({ amount_due: 7000, period_start: START.toSeconds() });
    expect(invoice.lines.data[0]).toMatchObject({ quantity: 7, period: { start: START.toSeconds() } });
    expect(test.sandbox.renewNow(subscription.id).amount_due).toBe(0);
  });

  it('invoice_now bills the usage of a subscription that is canceled, and it stays owed', async () => {
    const { stripe, sandbox } = test;
    const { id } = await metered();
    const canceled = await stripe.subscriptions.cancel(id, { invoice_now: true });
    expect(canceled.status).toBe('canceled');
    expect(sandbox.state.invoices.get(String(canceled.latest_invoice))).toMatchObject({
      amount_due: 7000,
      status: 'open',
      auto_advance: true,
    });
    expect(sandbox.state.subscriptions.get(id)?.status).toBe('canceled');
  });

  it('a subscription that ends with its period bills its usage, one canceled at once does not', async () => {
    const { sandbox, clock } = test;
    const ending = await metered();
    sandbox.cancelSubscription(ending.id, { atPeriodEnd: true });
    const ended = await metered();
    sandbox.cancelSubscription(ended.id);
    const before = sandbox.state.invoices.size;
    await clock.set(START.plus({ months: 1 }));
    await sandbox.run();
    expect(sandbox.state.invoices.size).toBe(before + 1);
    expect(sandbox.state.invoices.get(ending.latest_invoice ?? '')).toMatchObject({ amount_due: 7000 });
  });

  it('prorate gives back the time that a canceled subscription paid for', async () => {
    const { sandbox, stripe } = test;
    const { subscription, customer } = await halfway();
    await stripe.subscriptions.cancel(subscription.id, { prorate: true, invoice_now: true });
    expect(sandbox.state.invoices.get(subscription.latest_invoice ?? '')).toMatchObject({ total: -500 });
    expect(customer.balance).toBe(-500);
  });
});

describe('amounts (stripe-facts 3.13)', () => {
  it('a customer’s debit is charged with the next invoice, and a void invoice gives it back', () => {
    const { sandbox } = test;
    const { subscription, customer } = subscribe(sandbox);
    sandbox.setBalance(customer.id, 250);
    const invoice = sandbox.renewNow(subscription.id);
    expect(invoice).toMatchObject({
      total: 1000,
      amount_due: 1250,
      starting_balance: 250,
      ending_balance: 0,
    });
    sandbox.voidInvoice(invoice.id);
    expect(customer.balance).toBe(250);
  });

  it('less than the least charge is not charged but owed with the next invoice', () => {
    const { sandbox } = test;
    const { id } = sandbox.createCustomer({ paymentMethod: accepts() });
    expect(sandbox.invoiceOnce(id, 30)).toMatchObject({ status: 'paid', amount_due: 0, ending_balance: 30 });
    expect(sandbox.state.charges.size).toBe(0);
    expect(sandbox.invoiceOnce(id, 30)).toMatchObject({ status: 'paid', amount_paid: 60 });
  });

  it('a tax rate that is added changes what the next invoice asks for', () => {
    const { sandbox } = test;
    const { subscription, customer } = subscribe(sandbox, accepts());
    const exclusive = sandbox.createTaxRate({ display_name: 'Tax', percentage: 19, inclusive: false });
    sandbox.updateSubscription(subscription.id, { default_tax_rates: [exclusive.id] });
    expect(sandbox.renewNow(subscription.id)).toMatchObject({
      subtotal: 1000,
      total: 1190,
      amount_paid: 1190,
      total_taxes: [{ amount: 190, tax_behavior: 'exclusive' }],
    });
    const inclusive = sandbox.createTaxRate({ display_name: 'VAT', percentage: 25, inclusive: true });
    sandbox.updateSubscription(subscription.id, { default_tax_rates: [inclusive.id] });
    expect(sandbox.renewNow(subscription.id)).toMatchObject({ total: 1000, total_excluding_tax: 800 });
    customer.tax_exempt = 'exempt';
    expect(sandbox.renewNow(subscription.id).total_taxes).toEqual([]);
  });

  it('the account on whose behalf a subscription bills stands on invoice, payment and charge', () => {
    const { sandbox } = test;
    const { subscription } = subscribe(sandbox, accepts());
    sandbox.updateSubscription(subscription.id, { on_behalf_of: 'acct_other' });
    expect(sandbox.renewNow(subscription.id).on_behalf_of).toBe('acct_other');
    expect([...sandbox.state.paymentIntents.newestFirst()][0]?.on_behalf_of).toBe('acct_other');
    expect([...sandbox.state.charges.newestFirst()][0]?.on_behalf_of).toBe('acct_other');
  });
});

describe('invoices without a subscription (stripe-facts 3.13)', () => {
  it('an invoice made by the API is a draft with the pending items, finalized after an hour', async () => {
    const { sandbox, stripe, clock } = test;
    const { id } = sandbox.createCustomer({ paymentMethod: accepts() });
    await stripe.invoiceItems.create({ customer: id, amount: 700, currency: 'usd', description: 'Repair' });
    const draft = await stripe.invoices.create({
      customer: id,
      auto_advance: true,
      pending_invoice_items_behavior: 'include',
    });
    expect(draft).toMatchObject({ status: 'draft', billing_reason: 'manual', parent: null, amount_due: 700 });
    await clock.set(clock.now().plus({ hours: 1 }));
    await sandbox.run();
    expect((await stripe.invoices.retrieve(draft.id)).status).toBe('paid');
  });

  it('a draft that is deleted leaves its items pending', async () => {
    const { sandbox, stripe } = test;
    const { id } = sandbox.createCustomer();
    await stripe.invoiceItems.create({ customer: id, amount: 700, currency: 'usd' });
    const draft = await stripe.invoices.create({ customer: id, pending_invoice_items_behavior: 'include' });
    await stripe.invoices.del(draft.id);
    expect([...sandbox.state.events.newestFirst()][0]?.type).toBe('invoice.deleted');
    expect((await stripe.invoiceItems.list({ customer: id, pending: true })).data).toHaveLength(1);
  });
});

describe('late and ended subscriptions (stripe-facts 3.14)', () => {
  it('an end before the period is over gives the rest back, and is charged again when it is taken back', async () => {
    const { stripe } = test;
    const { subscription } = await halfway();
    const ends = (cancel_at: number | '', proration_behavior?: 'none') =>
      stripe.subscriptions.update(subscription.id, {
        cancel_at,
        ...(proration_behavior && { proration_behavior }),
      });
    await ends(START.plus({ days: 24 }).toSeconds());
    expect(pending()).toEqual([{ amount: -200, proration: true }]);
    await ends('');
    expect(pending().map(({ amount }) => amount)).toEqual([200, -200]);
    await ends(START.plus({ days: 24 }).toSeconds(), 'none');
    expect(pending()).toHaveLength(2);
    await ends(START.plus({ months: 1 }).toSeconds(), 'none');
    expect(pending()).toHaveLength(2);
  });

  it('the period in which a subscription is to end is billed until then', async () => {
    const { sandbox } = test;
    const { subscription } = subscribe(sandbox, accepts());
    const [start, end] = [START.plus({ months: 1 }), START.plus({ months: 2 })];
    const middle = start.plus({ seconds: end.diff(start).as('seconds') / 2 }).toSeconds();
    sandbox.updateSubscription(subscription.id, { cancel_at: middle });
    expect(pending()).toEqual([]);
    expect(linesOf(sandbox.renewNow(subscription.id))).toEqual([1000, -500]);
  });

  it('an invoice that is sent is overdue after its due date, and the subscription past_due', async () => {
    const { sandbox, clock } = test;
    const customer = sandbox.createCustomer();
    const subscription = sandbox.createSubscription({
      customer: customer.id,
      items: [{ price: sandbox.createPrice().id }],
      collection_method: 'send_invoice',
      days_until_due: 7,
    });
    expect(subscription.status).toBe('active');
    await clock.set(START.plus({ hours: 1 }));
    await sandbox.run();
    const since = sandbox.state.events.size;
    await clock.set(START.plus({ days: 7 }));
    await sandbox.run();
    expect(typesSince(sandbox, since)).toEqual(['invoice.overdue', 'customer.subscription.updated']);
    expect(subscription.status).toBe('past_due');
    sandbox.payOutOfBand(subscription.latest_invoice ?? '');
    expect(subscription.status).toBe('active');
  });

  it('a cancellation for later is set and taken back in each of its forms', async () => {
    const { sandbox, stripe, clock } = test;
    const { subscription } = subscribe(sandbox, accepts());
    const end = START.plus({ months: 1 }).toSeconds();
    const { id } = subscription;
    await stripe.subscriptions.update(id, { cancel_at_period_end: true });
    expect(subscription).toMatchObject({ cancel_at: end, canceled_at: START.toSeconds() });
    await stripe.subscriptions.update(id, { cancel_at: '' });
    expect(subscription).toMatchObject({
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      cancellation_details: { reason: null },
    });
    await stripe.subscriptions.update(id, { cancel_at: 'max_period_end' });
    expect(subscription).toMatchObject({ cancel_at: end, cancel_at_period_end: false });
    await clock.set(START.plus({ months: 1 }));
    await sandbox.run();
    expect(subscription).toMatchObject({ status: 'canceled', ended_at: end, canceled_at: START.toSeconds() });
  });
});

describe('a schedule (stripe-facts 2.10)', () => {
  it('a phase sets items and default method of the subscription, and the next one takes them back', async () => {
    const { sandbox, clock } = test;
    const { subscription, customer } = subscribe(sandbox, accepts());
    const card = sandbox.attachCard(customer.id, accepts({ last4: '1111' })).id;
    const [change, end] = [START.plus({ days: 10 }), START.plus({ days: 20 })];
    const phases = [
      { ends: change.toSeconds(), defaultPaymentMethod: card },
      { ends: end.toSeconds(), quantity: 2 },
    ];
    const schedule = sandbox.schedulePhases(subscription.id, phases);
    expect(subscription).toMatchObject({ schedule: schedule.id, default_payment_method: card });
    const since = sandbox.state.events.size;
    await clock.set(change);
    await sandbox.run();
    expect(subscription.default_payment_method).toBeNull();
    expect(subscription.items.data[0]?.quantity).toBe(2);
    expect(typesSince(sandbox, since)).toEqual([
      'subscription_schedule.updated',
      'invoiceitem.created',
      'invoiceitem.created',
      'customer.subscription.updated',
    ]);
    await clock.set(end);
    await sandbox.run();
    expect(subscription).toMatchObject({ status: 'active', schedule: null });
    expect(schedule).toMatchObject({ status: 'completed', released_subscription: subscription.id });
    expect(typesSince(sandbox, since).slice(4)).toEqual([
      'subscription_schedule.expiring',
      'subscription_schedule.released',
      'customer.subscription.updated',
      'subscription_schedule.completed',
    ]);
  });

  it('a schedule that ends with cancel ends its subscription', async () => {
    const { sandbox, clock } = test;
    const { subscription } = subscribe(sandbox, accepts());
    const end = START.plus({ days: 20 });
    sandbox.schedulePhases(subscription.id, [{ ends: end.toSeconds() }], 'cancel');
    await clock.set(end);
    await sandbox.run();
    expect(subscription.status).toBe('canceled');
  });
});

describe('automatic tax (stripe-facts 3.17)', () => {
  async function taxed(country?: string) {
    await test.stop();
    test = await startTestSandbox({ taxes: { DE: 19, FR: 20 } });
    const { sandbox, stripe } = test;
    const { id: customer } = sandbox.createCustomer({
      paymentMethod: accepts(),
      ...(country && { country }),
    });
    const items = [{ price: sandbox.createPrice().id }];
    return stripe.subscriptions.create({ customer, items, automatic_tax: { enabled: true } });
  }
  const newest = () => [...test.sandbox.state.invoices.newestFirst()][0];

  it('raises what is charged by the tax of where the customer lives', async () => {
    await taxed('DE');
    expect(newest()).toMatchObject({
      subtotal: 1000,
      total: 1190,
      amount_paid: 1190,
      automatic_tax: { enabled: true, status: 'complete' },
      total_taxes: [{ amount: 190, taxable_amount: 1000 }],
    });
  });

  it('is computed anew when a draft is finalized', async () => {
    const { customer } = await taxed('DE');
    await runUntil(test, START.plus({ months: 1 }));
    expect(newest()).toMatchObject({ status: 'draft', total: 1190 });
    await test.stripe.customers.update(String(customer), { address: { country: 'FR' } });
    await runUntil(test, START.plus({ months: 1, hours: 1 }));
    expect(newest()).toMatchObject({ status: 'paid', amount_paid: 1200 });
  });

  it('a customer of whom nobody knows where they live cannot be billed', async () => {
    expect(await errorOf(taxed())).toMatchObject({ code: 'customer_tax_location_invalid' });
    const { id } = await taxed('DE');
    const since = test.sandbox.state.events.size;
    for (const customer of test.sandbox.state.customers.newestFirst()) customer.address = null;
    await runUntil(test, START.plus({ months: 1, hours: 1 }));
    expect(newest()).toMatchObject({
      status: 'draft',
      last_finalization_error: { code: 'customer_tax_location_invalid' },
    });
    expect(typesSince(test.sandbox, since)).toContain('invoice.finalization_failed');
    expect(test.sandbox.state.subscriptions.get(id)?.status).toBe('active');
  });
});

describe('a change that has to be paid (stripe-facts 3.18)', () => {
  async function changeTo(
    payment_behavior: Stripe.SubscriptionUpdateParams.PaymentBehavior,
    then = declines('insufficient_funds'),
  ) {
    const { subscription, customer, item } = await halfway(then);
    const change = test.stripe.subscriptions.update(subscription.id, {
      items: [{ id: item, quantity: 3 }],
      proration_behavior: 'always_invoice',
      payment_behavior,
    });
    return { subscription, customer, change };
  }
  const quantityOf = (one: { items: { data: { quantity?: number }[] } }) => one.items.data[0]?.quantity;
  const latest = () => [...test.sandbox.state.invoices.newestFirst()][0];

  it('pending_if_incomplete leaves the subscription as it is until the invoice is paid', async () => {
    const { subscription, customer, change } = await changeTo('pending_if_incomplete');
    const answer = await change;
    expect([
      answer.status,
      quantityOf(answer),
      answer.pending_update?.subscription_items?.[0]?.quantity,
    ]).toEqual([...['active', 1, 3]]);
    expect(latest()).toMatchObject({
      status: 'open',
      amount_due: 1000,
      attempt_count: 1,
      next_payment_attempt: null,
    });
    test.sandbox.changeDefaultCard(customer.id, accepts());
    await test.stripe.invoices.pay(latest()?.id ?? '');
    expect([subscription.status, quantityOf(subscription), subscription.pending_update]).toEqual([
      'active',
      3,
      null,
    ]);
  });

  it('a pending update is dropped after 23 hours, with its invoice', async () => {
    const { subscription, change } = await changeTo('pending_if_incomplete');
    await change;
    await runUntil(test, test.clock.now().plus({ hours: 23 }));
    expect(latest()?.status).toBe('void');
    expect([subscription.status, quantityOf(subscription), subscription.pending_update]).toEqual([
      'active',
      1,
      null,
    ]);
  });

  it('one that is paid at once is applied at once', async () => {
    expect(quantityOf(await (await changeTo('pending_if_incomplete', accepts())).change)).toBe(3);
  });

  it('error_if_incomplete answers 402, and changes nothing', async () => {
    const { subscription, change } = await changeTo('error_if_incomplete');
    expect(await errorOf(change)).toMatchObject({ statusCode: 402, decline_code: 'insufficient_funds' });
    expect([subscription.status, quantityOf(subscription), subscription.pending_update]).toEqual([
      'active',
      1,
      null,
    ]);
  });

  it('default_incomplete attempts nothing, and leaves the subscription past_due', async () => {
    const answer = await (await changeTo('default_incomplete', accepts())).change;
    expect([answer.status, quantityOf(answer)]).toEqual(['past_due', 3]);
    expect(latest()).toMatchObject({ status: 'open', attempted: false });
  });
});

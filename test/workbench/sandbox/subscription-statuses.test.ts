/** How a subscription stands, and what moves it on (stripe-facts 2.1, 2.7 to 2.9). */
import { fromUnixSeconds } from '../../../src/core/base/clock.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  pendingThen,
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
beforeEach(async () => {
  test = await startTestSandbox();
});
afterEach(() => test.stop());

const latest = (subscription: { latest_invoice: string | null }) =>
  test.sandbox.state.invoices.get(subscription.latest_invoice ?? '');

type Subscribe = Parameters<TestSandbox['sandbox']['createSubscription']>[0];

function begin(card?: ReturnType<typeof accepts>, more: Partial<Subscribe> = {}) {
  const customer = test.sandbox.createCustomer(card ? { paymentMethod: card } : {});
  const items = [{ price: test.sandbox.createPrice().id }];
  return test.sandbox.createSubscription({ customer: customer.id, items, ...more });
}

describe('past_due', () => {
  it('a subscription is past_due while its latest finalized invoice was not attempted (stripe-facts 2.1)', async () => {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox, accepts());
    sandbox.pauseCollection(subscription.id, { behavior: 'keep_as_draft' });
    const { id } = sandbox.renewNow(subscription.id);
    expect(subscription.status).toBe('active');
    await stripe.invoices.finalizeInvoice(id, { auto_advance: false });
    expect(subscription.status).toBe('past_due');
    await stripe.invoices.pay(id);
    expect(subscription.status).toBe('active');
  });

  it('an uncollectible invoice counts as paid (stripe-facts 2.1)', () => {
    const { subscription } = subscribe(test.sandbox);
    test.sandbox.renewNow(subscription.id);
    test.sandbox.markUncollectible(subscription.latest_invoice ?? '');
    expect(subscription.status).toBe('active');
  });

  it('an invoice that was sent is not owed before its due date (stripe-facts 2.1)', () => {
    const { subscription } = subscribe(test.sandbox, accepts());
    test.sandbox.updateSubscription(subscription.id, {
      collection_method: 'send_invoice',
      days_until_due: 7,
    });
    const first = test.sandbox.renewNow(subscription.id);
    expect([first.status, subscription.status]).toEqual(['open', 'active']);
  });

  it('a pending debit leaves the status as it is until the bank answers (stripe-facts 2.1)', async () => {
    const { sandbox, stripe } = test;
    const { subscription, customer } = subscribe(sandbox);
    const { id } = sandbox.renewNow(subscription.id);
    const account = sandbox.attachCard(customer.id, pendingThen('succeed'));
    await stripe.invoices.pay(id, { payment_method: account.id });
    expect(subscription.status).toBe('past_due');
    await runUntil(test, START.plus({ days: 5 }));
    expect(subscription.status).toBe('active');
  });
});

describe('incomplete', () => {
  it('a subscription without a first payment expires after 23 hours, and nothing can pay it any more (stripe-facts 2.1)', async () => {
    const subscription = begin(declines('generic_decline'));
    expect(subscription.status).toBe('incomplete');
    await runUntil(test, START.plus({ hours: 22, minutes: 59 }));
    expect(subscription.status).toBe('incomplete');
    await runUntil(test, START.plus({ hours: 23 }));
    expect([subscription.status, latest(subscription)?.status]).toEqual(['incomplete_expired', 'void']);
    test.sandbox.changeDefaultCard(subscription.customer, accepts());
    expect(await errorOf(test.stripe.invoices.pay(subscription.latest_invoice ?? ''))).toMatchObject({
      statusCode: 400,
    });
  });

  it('a first payment within the time begins the subscription (stripe-facts 2.1)', async () => {
    const subscription = begin(declines('generic_decline'));
    test.sandbox.changeDefaultCard(subscription.customer, accepts());
    await test.stripe.invoices.pay(subscription.latest_invoice ?? '');
    await runUntil(test, START.plus({ days: 2 }));
    expect(subscription.status).toBe('active');
  });

  it('voiding the first invoice does not begin the subscription (stripe-facts 2.1)', async () => {
    const subscription = begin(declines('generic_decline'));
    test.sandbox.voidInvoice(subscription.latest_invoice ?? '');
    expect(subscription.status).toBe('incomplete');
    await runUntil(test, START.plus({ hours: 23 }));
    expect(subscription.status).toBe('incomplete_expired');
  });

  it('an incomplete subscription takes changes of its metadata alone (stripe-facts 2.1)', async () => {
    const { id } = begin(declines('generic_decline'));
    await test.stripe.subscriptions.update(id, { metadata: { plan: 'tea' } });
    const refusal = errorOf(test.stripe.subscriptions.update(id, { description: 'Tea' }));
    expect(await refusal).toMatchObject({ statusCode: 400 });
  });
});

describe('trials', () => {
  const days = 7;
  const trial = (missing_payment_method: string) => ({
    trial_period_days: days,
    trial_settings: { end_behavior: { missing_payment_method } },
  });

  it.each([
    ['cancel', 'canceled', ['customer.subscription.deleted']],
    ['pause', 'paused', ['customer.subscription.paused', 'customer.subscription.updated']],
    ['create_invoice', 'past_due', undefined],
  ])(
    'a trial that ends without a method and is told to %s leaves the subscription %s (stripe-facts 2.9)',
    async (told, status, types) => {
      const subscription = begin(undefined, trial(told));
      await runUntil(test, START.plus({ days, seconds: -1 }));
      const before = test.sandbox.state.events.size;
      await runUntil(test, START.plus({ days }));
      if (status === 'past_due') await runUntil(test, START.plus({ days, hours: 1 }));
      expect(subscription.status).toBe(status);
      if (types) expect(typesSince(test.sandbox, before)).toEqual(types);
      if (status === 'past_due')
        expect(latest(subscription)).toMatchObject({ status: 'open', attempt_count: 1 });
      if (status === 'paused')
        expect(subscription.status_details).toMatchObject({
          paused: { subscription: { type: 'trial_end_without_payment_method' } },
        });
    },
  );

  it('a bank account given in the old way is a method, too (stripe-facts 2.9)', async () => {
    const subscription = begin(undefined, trial('cancel'));
    test.sandbox.giveBankAccount(subscription.customer, pendingThen('succeed'));
    await runUntil(test, START.plus({ days: 14 }));
    expect([subscription.status, latest(subscription)?.status]).toEqual(['active', 'paid']);
  });
});

describe('a pause of collection', () => {
  it('an invoice from before a pause of collection goes on being retried (stripe-facts 2.7)', async () => {
    await test.stop();
    test = await startTestSandbox({ stripeRetries: 'smart' });
    const { subscription } = subscribe(test.sandbox);
    const { id } = test.sandbox.renewNow(subscription.id);
    test.sandbox.pauseCollection(subscription.id, { behavior: 'void' });
    await runUntil(test, START.plus({ days: 2 }));
    expect(test.sandbox.state.invoices.get(id)?.attempt_count).toBe(2);
  });

  it('a draft of a pause stays one after it, until it is told to advance (stripe-facts 2.7)', async () => {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox, accepts());
    const resumes_at = Math.floor(START.plus({ days: 10 }).toSeconds());
    sandbox.pauseCollection(subscription.id, { behavior: 'keep_as_draft', resumes_at });
    const draft = sandbox.renewNow(subscription.id);
    await runUntil(test, START.plus({ days: 11 }));
    expect([subscription.pause_collection, draft.status]).toEqual([null, 'draft']);
    await stripe.invoices.update(draft.id, { auto_advance: true });
    await runUntil(test, START.plus({ days: 12 }));
    expect(draft.status).toBe('paid');
  });

  it.each([
    ['void', 'past_due'],
    ['mark_uncollectible', 'active'],
  ] as const)(
    'a past_due subscription whose collection is paused as %s is %s after its renewal (stripe-facts 2.1, 2.7)',
    (behavior, status) => {
      const { subscription } = subscribe(test.sandbox);
      test.sandbox.renewNow(subscription.id);
      test.sandbox.pauseCollection(subscription.id, { behavior });
      test.sandbox.renewNow(subscription.id);
      expect(subscription.status).toBe(status);
    },
  );
});

describe('paused', () => {
  async function paused(card = accepts()) {
    const { subscription, customer } = subscribe(test.sandbox, card);
    await test.clock.set(START.plus({ days: 3 }));
    const shown = await test.stripe.subscriptions.pause(subscription.id, { type: 'subscription' });
    return { subscription, customer, shown };
  }

  it('a paused subscription ends its period now and bills nothing (stripe-facts 2.8)', async () => {
    const { subscription, shown } = await paused();
    const now = START.plus({ days: 3 }).toSeconds();
    expect(shown).toMatchObject({
      status: 'paused',
      status_details: {
        paused: { type: 'subscription', subscription: { type: 'pause_requested' }, transitioned_at: now },
      },
      items: { data: [{ current_period_end: now }] },
    });
    await runUntil(test, START.plus({ months: 3 }));
    expect([subscription.status, test.sandbox.state.invoices.size]).toEqual(['paused', 1]);
  });

  it.each([
    [undefined, -1],
    ['item_current_period_start', -1],
    ['none', 0],
  ] as const)(
    'a pause that bills from %s gives paid time back as a pending item (stripe-facts 2.8)',
    async (type, sign) => {
      const { subscription } = subscribe(test.sandbox);
      const amount = latest(subscription)?.amount_paid ?? 0;
      const { current_period_start: start, current_period_end: end } = subscription.items.data[0] as {
        current_period_start: number;
        current_period_end: number;
      };
      await test.clock.set(START.plus({ days: 3 }));
      const pause = type === undefined ? {} : { bill_for: { unused_time_from: { type } } };
      await test.stripe.subscriptions.pause(subscription.id, pause);
      const from = type === undefined ? START.plus({ days: 3 }).toSeconds() : start;
      const share = (end - from) / (end - start);
      const { data } = await test.stripe.invoiceItems.list({ pending: true });
      expect(data.map((item) => item.amount)).toEqual(sign === 0 ? [] : [-Math.round(amount * share)]);
      expect(test.sandbox.state.invoices.size).toBe(1);
    },
  );

  it('a pause that invoices at once bills the usage until now (stripe-facts 2.8)', async () => {
    const { sandbox, stripe } = test;
    const recurring = { interval: 'month', usage_type: 'metered' } as const;
    const items = [{ price: sandbox.createPrice({ unit_amount: 100, recurring }).id }];
    const customer = sandbox.createCustomer({ paymentMethod: accepts() });
    const subscription = sandbox.createSubscription({ customer: customer.id, items });
    sandbox.reportUsage(subscription.items.data[0]?.id ?? '', 7);
    await test.clock.set(START.plus({ days: 3 }));
    await stripe.subscriptions.pause(subscription.id, { invoicing_behavior: 'invoice' });
    expect(latest(subscription)).toMatchObject({ billing_reason: 'subscription_update', subtotal: 700 });
  });

  it('an invoice of a paused subscription can be paid without ending the pause (stripe-facts 2.8)', async () => {
    const { sandbox, stripe } = test;
    const { subscription, customer } = subscribe(sandbox);
    const { id } = sandbox.renewNow(subscription.id);
    await stripe.subscriptions.pause(subscription.id);
    sandbox.changeDefaultCard(customer.id, accepts());
    await stripe.invoices.pay(id);
    expect(subscription.status).toBe('paused');
  });

  it('resuming makes an invoice, and the first attempt at it ends the pause (stripe-facts 2.8)', async () => {
    const { subscription, customer } = await paused(acceptsFirst(0, declines('insufficient_funds')));
    const { stripe, sandbox } = test;
    await stripe.subscriptions.resume(subscription.id);
    const invoice = latest(subscription);
    expect([subscription.status, invoice?.status, invoice?.attempted]).toEqual(['paused', 'open', false]);
    const before = sandbox.state.events.size;
    await errorOf(stripe.invoices.pay(invoice?.id ?? ''));
    expect(subscription.status).toBe('past_due');
    expect(subscription.status_details).toBeUndefined();
    expect(typesSince(sandbox, before).slice(-2)).toEqual([
      'customer.subscription.resumed',
      'customer.subscription.updated',
    ]);
    sandbox.changeDefaultCard(customer.id, accepts());
    await stripe.invoices.pay(invoice?.id ?? '');
    expect(subscription.status).toBe('active');
    expect(subscription.items.data[0]?.current_period_end).toBe(
      START.plus({ days: 3, months: 1 }).toSeconds(),
    );
    await runUntil(test, START.plus({ days: 3, months: 1 }));
    expect(sandbox.state.invoices.size).toBe(3);
  });

  it('told to resume on success, a subscription stays paused until a payment succeeds (stripe-facts 2.8)', async () => {
    const { subscription, customer } = await paused(acceptsFirst(0, declines('insufficient_funds')));
    const { stripe } = test;
    await stripe.subscriptions.resume(subscription.id, { payment_behavior: 'resume_on_payment_success' });
    expect([subscription.status, latest(subscription)?.attempt_count]).toEqual(['paused', 1]);
    test.sandbox.changeDefaultCard(customer.id, accepts());
    await stripe.invoices.pay(subscription.latest_invoice ?? '');
    expect(subscription.status).toBe('active');
  });

  it('an invoice of a resumption that nobody tries to pay is void after 23 hours (stripe-facts 2.8)', async () => {
    const { subscription } = await paused();
    await test.stripe.subscriptions.resume(subscription.id);
    await runUntil(test, START.plus({ days: 5 }));
    expect([subscription.status, latest(subscription)?.status]).toEqual(['paused', 'void']);
  });

  it('an invoice of a resumption that is marked uncollectible ends the pause (stripe-facts 2.8)', async () => {
    const { subscription } = await paused();
    await test.stripe.subscriptions.resume(subscription.id);
    test.sandbox.markUncollectible(subscription.latest_invoice ?? '');
    expect(subscription.status).toBe('active');
  });

  it('resuming with the old anchor bills nothing and is done at once (stripe-facts 2.8)', async () => {
    const { subscription } = await paused();
    const resumed = await test.stripe.subscriptions.resume(subscription.id, {
      billing_cycle_anchor: { type: 'unchanged' },
      proration_behavior: 'none',
    });
    expect([resumed.status, test.sandbox.state.invoices.size]).toEqual(['active', 1]);
    expect(test.sandbox.nextDueAt()).toEqual(START.plus({ months: 1 }));
  });
});

/** An account that is set otherwise. */
async function replace(options: Parameters<typeof startTestSandbox>[0]): Promise<TestSandbox> {
  await test.stop();
  test = await startTestSandbox(options);
  return test;
}

describe('a pause on payment failure (stripe-facts 2.1, 2.8)', () => {
  it('the first failure pauses the subscription, and paying its invoice resumes it within its period', async () => {
    const { sandbox, clock } = await replace({ afterFirstFailure: 'pause', stripeRetries: 'smart' });
    const { subscription, customer } = subscribe(sandbox);
    const invoice = sandbox.renewNow(subscription.id);
    expect(subscription).toMatchObject({
      status: 'paused',
      status_details: { paused: { subscription: { type: 'first_payment_failure' } } },
    });
    expect(invoice).toMatchObject({ status: 'open', auto_advance: true });
    expect(invoice.next_payment_attempt).not.toBeNull();
    sandbox.changeDefaultCard(customer.id, accepts());
    const since = sandbox.state.events.size;
    await runUntil(test, clock.now().plus({ days: 2 }));
    expect(invoice.status).toBe('paid');
    expect(subscription.status).toBe('active');
    expect(typesSince(sandbox, since)).toContain('customer.subscription.resumed');
    const renewal = subscription.items.data[0]?.current_period_end ?? 0;
    await runUntil(test, fromUnixSeconds(renewal).plus({ hours: 1 }));
    expect(latest(subscription)).toMatchObject({ status: 'paid', billing_reason: 'subscription_cycle' });
  });

  it('the time of the pause is not billed', async () => {
    const { sandbox, clock } = await replace({ afterFirstFailure: 'pause' });
    const { subscription, customer } = subscribe(sandbox);
    const invoice = sandbox.renewNow(subscription.id);
    await runUntil(test, clock.now().plus({ months: 4 }));
    expect(sandbox.state.invoices.size).toBe(2);
    sandbox.changeDefaultCard(customer.id, accepts());
    sandbox.payAsMerchant(invoice.id);
    expect(subscription.status).toBe('active');
    expect(subscription.items.data[0]?.current_period_end).toBeGreaterThan(clock.now().toSeconds());
    await runUntil(test, clock.now().plus({ minutes: 5 }));
    expect(sandbox.state.invoices.size).toBe(2);
  });
});

it('a schedule is canceled with its subscription (stripe-facts 2.10)', async () => {
  const { sandbox, stripe } = test;
  const { subscription } = subscribe(sandbox, accepts());
  const { id } = sandbox.schedulePhases(subscription.id, [{ ends: START.plus({ months: 6 }).toSeconds() }]);
  const since = sandbox.state.events.size;
  expect((await stripe.subscriptionSchedules.cancel(id, { prorate: false })).status).toBe('canceled');
  expect(subscription.status).toBe('canceled');
  expect(typesSince(sandbox, since)).toEqual([
    'subscription_schedule.canceled',
    'customer.subscription.deleted',
  ]);
});

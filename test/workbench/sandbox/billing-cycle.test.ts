import { DateTime } from 'luxon';
import { accepts } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import {
  runUntil,
  START,
  startTestSandbox,
  subscribe,
  type TestSandbox,
  typesSince,
} from './start-test-sandbox.ts';

describe('a subscription', () => {
  let test: TestSandbox;
  beforeEach(async () => {
    test = await startTestSandbox();
  });
  afterEach(() => test.stop());

  it('a subscription pays its first invoice and is active', async () => {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox);
    const shown = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
    expect(shown).toMatchObject({
      status: 'active',
      latest_invoice: { status: 'paid', billing_reason: 'subscription_create', amount_paid: 1000 },
    });
    expect(shown.items.data[0]).toMatchObject({
      current_period_start: START.toSeconds(),
      current_period_end: START.plus({ months: 1 }).toSeconds(),
    });
  });

  it('a subscription moves to past_due when the renewal fails', async () => {
    const { sandbox } = test;
    const { subscription } = subscribe(sandbox);
    const before = sandbox.state.events.size;
    const invoice = sandbox.renewNow(subscription.id);
    expect(subscription.status).toBe('past_due');
    expect(invoice).toMatchObject({
      status: 'open',
      attempted: true,
      attempt_count: 1,
      next_payment_attempt: null,
      billing_reason: 'subscription_cycle',
      amount_remaining: 1000,
      parent: { subscription_details: { subscription: subscription.id } },
    });
    expect(typesSince(sandbox, before)).toEqual([
      'invoice.created',
      'customer.subscription.updated',
      'payment_intent.created',
      'invoice.finalized',
      'charge.failed',
      'payment_intent.payment_failed',
      'invoice.payment_failed',
      'invoice.updated',
      'customer.subscription.updated',
    ]);
  });

  it('a subscription renews by itself when the clock moves, month after month on the same day', async () => {
    const { sandbox } = test;
    const { subscription } = subscribe(sandbox, accepts());
    await runUntil(test, DateTime.fromISO('2027-02-15T00:00:00Z', { zone: 'utc' }));
    const invoices = [...sandbox.state.invoices.newestFirst({ index: 'subscription', key: subscription.id })];
    expect(invoices.map(({ created }) => new Date(created * 1000).toISOString().slice(0, 10))).toEqual([
      '2027-02-01',
      '2027-01-01',
      '2026-12-01',
      '2026-11-01',
    ]);
    expect(sandbox.nextDueAt()?.toFormat('yyyy-MM-dd')).toBe('2027-03-01');
  });

  it('a subscription keeps the 31st through shorter months', async () => {
    const { sandbox, clock } = test;
    await clock.set(START.set({ month: 12, day: 31 }));
    subscribe(sandbox, accepts());
    const days: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const due = sandbox.nextDueAt();
      if (due === undefined) break;
      days.push(due.toFormat('yyyy-MM-dd'));
      await runUntil(test, due.plus({ hours: 1 }));
    }
    expect(days).toEqual(['2027-01-31', '2027-02-28', '2027-03-31']);
  });

  describe('the hour in which a renewal is a draft (stripe-facts 1.6)', () => {
    const RENEWAL = START.plus({ months: 1 });
    const latest = () => [...test.sandbox.state.invoices.newestFirst()][0];

    it('a renewal is a draft for an hour, and is charged then', async () => {
      const { subscription } = subscribe(test.sandbox);
      await runUntil(test, RENEWAL.plus({ minutes: 59 }));
      expect(latest()).toMatchObject({
        status: 'draft',
        automatically_finalizes_at: RENEWAL.plus({ hours: 1 }).toSeconds(),
      });
      expect(subscription).toMatchObject({ status: 'active', latest_invoice: latest()?.id });
      await runUntil(test, RENEWAL.plus({ hours: 1 }));
      expect(latest()).toMatchObject({ status: 'open', attempt_count: 1, automatically_finalizes_at: null });
      expect(subscription.status).toBe('past_due');
    });

    it('one that is not to advance, or whose subscription ends meanwhile, stays a draft', async () => {
      const { sandbox, stripe } = test;
      const { subscription } = subscribe(sandbox, accepts());
      await runUntil(test, RENEWAL);
      const kept = latest()?.id ?? '';
      await stripe.invoices.update(kept, { auto_advance: false });
      await runUntil(test, RENEWAL.plus({ months: 1 }));
      const ended = latest()?.id ?? '';
      sandbox.cancelSubscription(subscription.id);
      await runUntil(test, RENEWAL.plus({ months: 2 }));
      for (const id of [kept, ended]) expect(sandbox.state.invoices.get(id)?.status).toBe('draft');
      await stripe.invoices.update(kept, { auto_advance: true });
      await runUntil(test, RENEWAL.plus({ months: 2, hours: 1 }));
      expect(sandbox.state.invoices.get(kept)?.status).toBe('paid');
    });

    it('an endpoint that does not take invoice.created holds it back for up to three days', async () => {
      const { sandbox } = test;
      subscribe(sandbox, accepts());
      sandbox.addWebhookEndpoint('http://127.0.0.1:1/nobody', ['invoice.created']);
      await runUntil(test, RENEWAL.plus({ hours: 71 }));
      expect(latest()?.status).toBe('draft');
      await runUntil(test, RENEWAL.plus({ hours: 72 }));
      expect(latest()?.status).toBe('paid');
    });
  });

  it('a subscription is active again only when its latest invoice is paid', async () => {
    const { sandbox, stripe } = test;
    const { subscription, customer } = subscribe(sandbox);
    const older = sandbox.renewNow(subscription.id);
    const latest = sandbox.renewNow(subscription.id);
    sandbox.changeDefaultCard(customer.id, accepts());
    await stripe.invoices.pay(older.id);
    expect(subscription.status).toBe('past_due');
    await stripe.invoices.pay(latest.id);
    expect(subscription.status).toBe('active');
  });

  it('a subscription looks at the next older invoice when the latest is voided', () => {
    const { sandbox } = test;
    const { subscription } = subscribe(sandbox);
    sandbox.renewNow(subscription.id);
    expect(subscription.status).toBe('past_due');
    sandbox.voidInvoice(subscription.latest_invoice ?? '');
    expect(subscription.status).toBe('active');
  });

  it("a subscription trials for nothing, the trial's end is announced, and it is billed at that end", async () => {
    const { sandbox } = test;
    const customer = sandbox.createCustomer({ paymentMethod: accepts() });
    const price = sandbox.createPrice();
    const items = [{ price: price.id }];
    const subscription = sandbox.createSubscription({ customer: customer.id, items, trial_period_days: 14 });
    expect(subscription.status).toBe('trialing');
    expect(sandbox.state.invoices.get(subscription.latest_invoice ?? '')).toMatchObject({
      amount_due: 0,
      status: 'paid',
    });
    const before = sandbox.state.events.size;
    await runUntil(test, DateTime.fromISO('2026-11-15T10:00:00Z', { zone: 'utc' }));
    expect(typesSince(sandbox, before)[0]).toBe('customer.subscription.trial_will_end');
    expect(subscription.status).toBe('active');
    expect(sandbox.state.invoices.get(subscription.latest_invoice ?? '')).toMatchObject({
      amount_paid: 1000,
    });
  });

  it('a subscription ends at the end of the period when asked, and at once otherwise', async () => {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox, accepts());
    const asked = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    expect(asked).toMatchObject({ status: 'active', canceled_at: START.toSeconds(), ended_at: null });
    await runUntil(test, DateTime.fromISO('2026-12-01T09:00:00Z', { zone: 'utc' }));
    expect(subscription).toMatchObject({
      status: 'canceled',
      ended_at: START.plus({ months: 1 }).toSeconds(),
    });
    const other = subscribe(sandbox).subscription;
    const invoice = sandbox.renewNow(other.id);
    await stripe.subscriptions.cancel(other.id);
    expect(other.status).toBe('canceled');
    expect(sandbox.state.invoices.get(invoice.id)).toMatchObject({ status: 'open', auto_advance: false });
  });

  it.each([
    ['keep_as_draft', 'draft'],
    ['mark_uncollectible', 'uncollectible'],
    ['void', 'void'],
  ] as const)(
    'a subscription with collection paused as %s makes %s invoices and keeps its status',
    async (behavior, status) => {
      const { sandbox } = test;
      const { subscription } = subscribe(sandbox);
      const resumes = Math.floor(START.plus({ days: 10 }).toSeconds());
      sandbox.pauseCollection(subscription.id, { behavior, resumes_at: resumes });
      expect(sandbox.renewNow(subscription.id).status).toBe(status);
      expect(subscription.status).toBe('active');
      await runUntil(test, DateTime.fromISO('2026-11-12T00:00:00Z', { zone: 'utc' }));
      expect(subscription.pause_collection).toBeNull();
    },
  );

  it('a subscription is paid out of band without a payment', async () => {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox);
    const invoice = sandbox.renewNow(subscription.id);
    const before = sandbox.state.events.size;
    const paid = await stripe.invoices.pay(invoice.id, { paid_out_of_band: true });
    expect(paid).toMatchObject({ status: 'paid', amount_paid_off_stripe: 1000, amount_remaining: 0 });
    expect(typesSince(sandbox, before)).toEqual([
      'payment_intent.canceled',
      'invoice.paid',
      'invoice.updated',
      'customer.subscription.updated',
    ]);
  });
});

describe('prices', () => {
  it.each([
    ['per unit', { unit_amount: 250 }, 4, 1000],
    ['sub-cent', { unit_amount_decimal: '0.125' }, 1004, 126],
    ['package', { unit_amount: 500, transform_quantity: { divide_by: 10, round: 'up' as const } }, 21, 1500],
    [
      'graduated',
      { billing_scheme: 'tiered' as const, tiers_mode: 'graduated' as const, tiers: exampleTiers() },
      15,
      1950,
    ],
    [
      'volume',
      { billing_scheme: 'tiered' as const, tiers_mode: 'volume' as const, tiers: exampleTiers() },
      15,
      1250,
    ],
  ])('prices of kind %s bill the right amount', async (_kind, input, quantity, amount) => {
    const { sandbox, stop } = await startTestSandbox();
    const customer = sandbox.createCustomer({ paymentMethod: accepts() });
    const price = sandbox.createPrice(input);
    const { latest_invoice } = sandbox.createSubscription({
      customer: customer.id,
      items: [{ price: price.id, quantity }],
    });
    expect(sandbox.state.invoices.get(latest_invoice ?? '')?.amount_due).toBe(amount);
    await stop();
  });
});

test.each([
  ['per unit', { currency_options: { eur: { unit_amount: 900 } } }, 13_500],
  [
    'tiered',
    {
      billing_scheme: 'tiered' as const,
      tiers_mode: 'volume' as const,
      tiers: exampleTiers(),
      currency_options: { eur: { tiers: [{ up_to: 'inf' as const, unit_amount: 90 }] } },
    },
    1_350,
  ],
])(
  'a price with two currencies, %s, bills the amount of the subscription’s',
  async (_kind, input, amount) => {
    const { sandbox, stop } = await startTestSandbox();
    const { id: customer } = sandbox.createCustomer({ paymentMethod: accepts() });
    const items = [{ price: sandbox.createPrice(input).id, quantity: 15 }];
    const { latest_invoice } = sandbox.createSubscription({ customer, items, currency: 'eur' });
    expect(sandbox.state.invoices.get(latest_invoice ?? '')).toMatchObject({
      amount_due: amount,
      currency: 'eur',
      lines: { data: [{ amount, currency: 'eur' }] },
    });
    expect(() => sandbox.createSubscription({ customer, items, currency: 'gbp' })).toThrow(/`usd`/);
    await stop();
  },
);

/** Ten at 100 with 200 flat, then 50 each with 500 flat: 15 cost 1200 + 750 graduated, 1250 by volume. */
function exampleTiers() {
  return [
    { up_to: 10, unit_amount: 100, flat_amount: 200 },
    { up_to: 'inf' as const, unit_amount: 50, flat_amount: 500 },
  ];
}

import Stripe from 'stripe';
import { accepts } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { runUntil, START, startTestSandbox, subscribe } from './start-test-sandbox.ts';

describe('the account', () => {
  it('the sandbox account is the same again with the same seed', async () => {
    const story = async (seed: number) => {
      const { sandbox, stop } = await startTestSandbox({ seed });
      sandbox.renewNow(subscribe(sandbox).subscription.id);
      const ids = [...sandbox.state.events.newestFirst()].map(({ id }) => id);
      await stop();
      return ids;
    };
    expect(await story(7)).toEqual(await story(7));
    expect(await story(7)).not.toEqual(await story(8));
  });

  it('the sandbox account knows its name', async () => {
    const { stripe, stop } = await startTestSandbox({ accountName: 'Acme' });
    expect((await stripe.accounts.retrieveCurrent()).business_profile?.name).toBe('Acme');
    await stop();
  });

  it('the sandbox account can be filled through the API alone', async () => {
    const { stripe, stop } = await startTestSandbox();
    const customer = await stripe.customers.create({ email: 'ann@example.com', address: { country: 'DE' } });
    const price = await stripe.prices.create({
      currency: 'eur',
      unit_amount_decimal: Stripe.Decimal.from('200.5'),
      product_data: { name: 'Calls' },
      recurring: { interval: 'week', interval_count: 2 },
    });
    expect(price.unit_amount).toBeNull();
    expect(price.unit_amount_decimal?.toString()).toBe('200.5');
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id, quantity: 3 }],
      collection_method: 'send_invoice',
      days_until_due: 7,
      metadata: { team: 'red' },
    });
    expect(subscription).toMatchObject({ status: 'active', currency: 'eur', metadata: { team: 'red' } });
    const [item] = (await stripe.subscriptionItems.list({ subscription: subscription.id })).data;
    expect(item).toMatchObject({ quantity: 3, price: { id: price.id } });
    const changed = await stripe.subscriptions.update(subscription.id, {
      items: [{ id: item?.id ?? '', quantity: 5 }],
      metadata: { team: 'blue' },
    });
    expect(changed).toMatchObject({ metadata: { team: 'blue' }, items: { data: [{ quantity: 5 }] } });
    expect((await stripe.prices.list({ active: true })).data).toHaveLength(1);
    await stripe.customers.del(customer.id);
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
    expect((await stripe.customers.list()).data).toEqual([]);
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('canceled');
    await stop();
  });

  it('the sandbox account hands an imported subscription over to ordinary renewal', async () => {
    const test = await startTestSandbox();
    const { sandbox, clock, stop } = test;
    const customer = sandbox.createCustomer({ paymentMethod: accepts() });
    const price = sandbox.createPrice();
    const subscription = sandbox.importSubscription({ customer: customer.id, items: [{ price: price.id }] });
    expect(sandbox.state.invoices.size).toBe(0);
    await runUntil(test, (sandbox.nextDueAt() ?? clock.now()).plus({ hours: 1 }));
    expect(sandbox.state.invoices.get(subscription.latest_invoice ?? '')?.status).toBe('paid');
    await stop();
  });

  it('the sandbox account places a backdated subscription in the middle of its cycle', async () => {
    const { sandbox, stop } = await startTestSandbox();
    const price = sandbox.createPrice({ unit_amount: 500, recurring: { interval: 'year' } });
    const { items } = sandbox.importSubscription({
      customer: sandbox.createCustomer().id,
      items: [{ price: price.id }],
      backdate_start_date: START.minus({ years: 3, months: 2 }).toSeconds(),
    });
    expect(items.data[0]).toMatchObject({
      current_period_start: START.minus({ months: 2 }).toSeconds(),
      current_period_end: START.plus({ months: 10 }).toSeconds(),
    });
    await stop();
  });

  it('the sandbox account records a dispute of a charge', async () => {
    const { sandbox, stripe, stop } = await startTestSandbox();
    subscribe(sandbox);
    const [charge] = sandbox.state.charges.newestFirst();
    const dispute = sandbox.disputeCharge(charge?.id ?? '');
    expect(await stripe.disputes.retrieve(dispute.id)).toMatchObject({ charge: charge?.id, amount: 1000 });
    expect((await stripe.charges.retrieve(charge?.id ?? '')).disputed).toBe(true);
    expect((await stripe.events.list({ type: 'charge.dispute.created' })).data).toHaveLength(1);
    await stop();
  });
});

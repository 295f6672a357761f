/** What lives on a Stripe test clock, beside a plugin that runs (stripe-facts 8.1). */
import type Stripe from 'stripe';
import { openSdk } from '../../src/plugin/clients/stripe-client.ts';
import { refreshFailures } from '../../src/plugin/store/reports/money/refresh-failures.ts';
import { accepts, acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import { chargesOf, failingInvoice } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

const worlds: World[] = [];
afterEach(() => Promise.all(worlds.splice(0).map((world) => world.stop())));

/** `isOwn`: the plugin lives by the test clock. */
async function begin(isOwn = false): Promise<World & { readonly testClock: string }> {
  let testClock = '';
  const world = await createWorld({
    arrange: async ({ secretKey, url }, clock) => {
      const stripe = openSdk({ secretKey, apiBase: new URL(url) });
      const now = Math.floor(clock.now().toSeconds());
      ({ id: testClock } = await stripe.testHelpers.testClocks.create({ frozen_time: now }));
      return isOwn ? { testClock } : {};
    },
  });
  worlds.push(world);
  return { ...world, testClock };
}

/** A subscriber on a test clock whose card failed at the second month. Returns the invoice. */
async function failOnTestClock(
  world: Awaited<ReturnType<typeof begin>>,
): Promise<{ customer: string; invoice: Stripe.Invoice }> {
  const stripe = openSdk({ secretKey: world.sandbox.secretKey, apiBase: new URL(world.sandbox.url) });
  const now = Math.floor(world.clock.now().toSeconds());
  const { id: customer } = await stripe.customers.create({ test_clock: world.testClock });
  await giveCard(stripe, customer, 'pm_card_visa');
  const price = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 2000,
    recurring: { interval: 'month' },
    product_data: { name: 'On a test clock' },
  });
  const subscription = await stripe.subscriptions.create({ customer, items: [{ price: price.id }] });
  await giveCard(stripe, customer, 'pm_card_chargeCustomerFail');
  await stripe.testHelpers.testClocks.advance(world.testClock, { frozen_time: now + 32 * 86_400 });
  await world.settle();
  const [invoice] = (await stripe.invoices.list({ subscription: subscription.id, status: 'open' })).data;
  if (!invoice) throw new Error('The renewal did not fail.');
  const card = await giveCard(stripe, customer, 'pm_card_mastercard');
  await world.settle();
  // Of this event the clock cannot be seen.
  world.sandbox.replaceCardAutomatically(card, accepts({ last4: '5454' }));
  await world.settle();
  return { customer, invoice };
}

async function giveCard(stripe: Stripe, customer: string, card: string): Promise<string> {
  const { id } = await stripe.paymentMethods.attach(card, { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
  return id;
}

const has = async (world: World, table: string, { id }: Stripe.Invoice) =>
  (
    await world.query(
      `select 1 from payment_retry.${table} where ${table === 'invoices' ? 'id' : 'invoice_id'} = '${id}'`,
    )
  ).length > 0;

test('nothing is planned for it, and no figure counts it, whatever brings it', async () => {
  const world = await begin();
  const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('generic_decline')));
  const { customer, invoice } = await failOnTestClock(world);
  await world.plugin.parts.requestBackfill();
  await world.settle();
  expect(chargesOf(world, invoice.id)).toEqual(['failed']);
  while (await refreshFailures(world.plugin.parts.database));
  expect(await world.query('select invoice_id from payment_retry.failures')).toEqual([{ invoiceId }]);
  for (const table of ['invoices', 'actions', 'attempts'])
    expect([table, await has(world, table, invoice)]).toEqual([table, false]);
  expect(
    await world.query(`select 1 from payment_retry.subscriptions where customer_id = '${customer}'`),
  ).toEqual([]);
  expect(
    await world.query(
      `select distinct results->0->>'code' as code from payment_retry.events where type like 'invoice%' and person = '${customer}'`,
    ),
  ).toEqual([{ code: 'ignored_test_clock' }]);
});

inFull('what lives on the plugin’s own test clock is collected like everything else', async () => {
  const world = await begin(true);
  const { invoice } = await failOnTestClock(world);
  expect(await has(world, 'attempts', invoice)).toBe(true);
  expect(chargesOf(world, invoice.id)).toEqual(['failed', 'succeeded']);
});

/** With CARD_EXPIRY_MAIL_DAYS a customer whose card expires before the next renewal is emailed once, in time. */

import { reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { openChannels } from '../../src/plugin/store/tables/host-events.ts';
import { accepts, type CardInput, pendingThen } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type Subscriber, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { withoutEffects } from './fail-together.ts';
import { startOtherwise } from './start-otherwise.ts';

let world: World;
const settings: OwnOptions = { cardExpiryMailDays: 7 };
beforeAll(async () => {
  world = await createWorld({ plugin: settings, start: '2026-03-01T10:00:00Z' });
});
afterEach(() => world.reset());
afterAll(() => world?.stop());

/** To the 2nd of the next month: whoever subscribes then renews on the 2nd of the one after. */
async function toNextMonth(): Promise<void> {
  const { year, month } = world.clock.now().plus({ months: 1 });
  await world.clock.set(world.clock.now().set({ year, month, day: 2, hour: 10 }));
  await world.settle();
}

const subscribed = (card: CardInput): Promise<Subscriber> => subscribe(world, accepts(card));
/** Good to the end of it. */
const thisMonth = () => ({ expYear: world.clock.now().year, expMonth: world.clock.now().month });
const at = (day: number) => world.advance(world.clock.now().set({ day }).diff(world.clock.now()));

describe('seven days before', () => {
  test('one email, with a link to choose another card, counted as prevention', async () => {
    await toNextMonth();
    const { subscriptionId } = await subscribed(thisMonth());
    await openChannels(world.plugin.parts.database, ['webhook'], world.clock.now());
    await at(24);
    expect(world.email.emails).toEqual([]);
    await at(27);
    expect(world.email.emails.map(({ subject }) => subject)).toEqual([
      'Your card ending in 4242 expires before the next payment to Sandbox Inc.',
    ]);
    const link = /href="([^"]*\/card-update\/[^"]*)"/.exec(world.email.emails[0]?.html ?? '')?.[1] ?? '';
    expect(await (await fetch(link)).text()).toContain('Choose your payment method');
    // There is no invoice yet: everything names the subscription, and nothing takes it for an invoice.
    const about = { invoiceId: null, subscriptionId };
    const [email] = await world.query(
      'select invoice_id, subscription_id, opened_at from payment_retry.emails',
    );
    expect(email).toEqual({ ...about, openedAt: world.clock.now() });
    const lines = await world.query(
      `select invoice_id, subscription_id from payment_retry.audit where kind = 'email.sent'`,
    );
    expect(lines).toEqual([about]);
    const [told] = await world.query('select type, invoice_id, detail from payment_retry.host_events');
    expect(told).toMatchObject({
      type: 'emailed',
      invoiceId: null,
      detail: { subscription: subscriptionId },
    });
    const { text } = await reportStatus(world.plugin.parts.database, {}, world.clock.now());
    expect(text).toContain('emails sent before a card expired (prevention): 1');
    // The card goes on being charged, and nothing more is said of it.
    await world.advance({ days: 40 });
    expect(world.email.emails).toHaveLength(1);
  });

  test('a customer without a payment method that can be charged is asked for one before the renewal, once; nobody whose card is good, renewed or no longer chosen, or whose subscription ends or is paused', async () => {
    await toNextMonth();
    const still = withoutEffects(world);
    // None is silent because of an email to the same address.
    const of = (card: CardInput) =>
      subscribe(still, accepts(card), { email: `${card.last4 ?? 'good'}@example.com` });
    await of({ expYear: 2040 });
    const ending = await of({ ...thisMonth(), last4: '1111' });
    const paused = await of({ ...thisMonth(), last4: '2222' });
    const renewed = await of({ ...thisMonth(), last4: '3333' });
    const chosen = await of({ ...thisMonth(), last4: '4444' });
    await world.settle();
    world.sandbox.cancelSubscription(ending.subscriptionId, { atPeriodEnd: true });
    world.sandbox.pauseCollection(paused.subscriptionId, { behavior: 'keep_as_draft' });
    const old = world.sandbox.state.customers.get(renewed.customerId)?.invoice_settings
      .default_payment_method;
    world.sandbox.replaceCardAutomatically(String(old), accepts({ expYear: 2040 }));
    world.sandbox.changeDefaultCard(chosen.customerId, accepts({ expYear: 2041 }));
    const taken = await subscribed({ expYear: 2040 });
    const card = world.sandbox.state.customers.get(taken.customerId)?.invoice_settings.default_payment_method;
    const debit = await subscribe(
      world,
      pendingThen('succeed', { type: 'sepa_debit', last4: '3000', days: 2 }),
    );
    const account = world.sandbox.state.customers.get(debit.customerId)?.invoice_settings
      .default_payment_method;
    await at(20);
    world.sandbox.detachCard(String(card));
    world.sandbox.endMandate(String(account));
    await world.settle();
    expect(world.email.emails).toEqual([]);
    await at(27);
    const missing = 'Please add a payment method before your next payment to Sandbox Inc.';
    expect(world.email.emails.map(({ subject }) => subject)).toEqual([missing, missing]);
    expect(world.email.emails[0]?.text).not.toContain('your card');
    await world.advance({ days: 1 });
    expect(world.email.emails).toHaveLength(2);
  });

  test('a trial whose card expires before it ends, or whose first payment would fail for want of a payment method; not one that may end without', async () => {
    await toNextMonth();
    const price = world.sandbox.createPrice({ unit_amount: 2000 });
    const trialEnd = world.clock.now().plus({ months: 1 }).set({ day: 9 });
    for (const missing of ['create_invoice', 'cancel', undefined] as const) {
      const { id: customer } = world.sandbox.createCustomer({
        email: `${missing ?? 'expiring'}@example.com`,
        ...(missing ? {} : { paymentMethod: accepts(thisMonth()) }),
      });
      world.sandbox.createSubscription({
        customer,
        items: [{ price: price.id }],
        trial_end: trialEnd.toUnixInteger(),
        ...(missing && { trial_settings: { end_behavior: { missing_payment_method: missing } } }),
      });
    }
    await world.settle();
    await world.advance(trialEnd.minus({ days: 6 }).diff(world.clock.now()));
    const told = world.email.emails.flatMap(({ to }) => to?.map(({ address }) => address));
    expect(told.sort()).toEqual(['create_invoice@example.com', 'expiring@example.com']);
  });

  test('no email where another method is charged instead of the one that was lost, and its expiry is seen later', async () => {
    await toNextMonth();
    const { customerId } = await subscribed({ expYear: 2040 });
    const card = world.sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method;
    const { year, month } = world.clock.now().plus({ months: 1 });
    world.sandbox.changeDefaultCard(customerId, accepts({ expYear: year, expMonth: month, last4: '1111' }));
    world.sandbox.detachCard(String(card));
    await at(28);
    expect(world.email.emails).toEqual([]);
    await world.advance({ months: 1 });
    expect(world.email.emails.map(({ subject }) => subject)).toEqual([
      'Your card ending in 1111 expires before the next payment to Sandbox Inc.',
    ]);
  });
});

test('off, which is the default, nobody is emailed', async () => {
  await startOtherwise(world, settings, {});
  await toNextMonth();
  await subscribed(thisMonth());
  await at(28);
  expect(world.email.emails).toEqual([]);
});

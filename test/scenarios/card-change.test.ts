/** A customer is asked for another card, gives one, and the open invoice is paid with it once. */
import Stripe from 'stripe';
import { reportInvoice } from '../../src/plugin/app/commands/status-command.ts';
import { makePortal } from '../../src/plugin/operator/checks/portal-configuration.ts';
import { accepts, acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import {
  actionsOf,
  chargesOf,
  failingInvoice,
  payCalls,
  type Subscriber,
  statusOf,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
let portalConfiguration: string;
beforeAll(async () => {
  world = await createWorld({
    arrange: async ({ secretKey, url }) => {
      const { hostname, port } = new URL(url);
      portalConfiguration = await makePortal(
        new Stripe(secretKey, { host: hostname, port, protocol: 'http' }),
      );
      return { portalConfiguration };
    },
  });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const anotherCard = () => accepts({ last4: '1111' });
const stolen = () => acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' }));

/** The link of the only email that was sent. */
function emailedLink(): string {
  expect(world.email.emails).toHaveLength(1);
  const link = /href="([^"]*\/card-update\/[^"]*)"/.exec(world.email.emails[0]?.html ?? '')?.[1];
  expect(link).toBeDefined();
  return link ?? '';
}

async function follow(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return {
    status: response.status,
    location: response.headers.get('location') ?? '',
    text: await response.text(),
  };
}

async function chooseCardInPortal(portal: string): Promise<string> {
  expect((await follow(portal)).text).toContain('<button');
  const chosen = await follow(portal, { method: 'POST', body: new URLSearchParams({ card: '0' }) });
  expect(chosen.status).toBe(303);
  return chosen.location;
}

/** Every event that Stripe may send for one change of card, each of them twice. */
function tellOfTheCardInEveryWay({ customerId, subscriptionId }: Subscriber): void {
  const customer = world.sandbox.state.customers.get(customerId);
  const card = customer?.invoice_settings.default_payment_method ?? '';
  const behaviour = accepts();
  world.sandbox.updateSubscription(subscriptionId, { default_payment_method: String(card) });
  world.sandbox.replaceCardAutomatically(String(card), behaviour);
}

test('email, link, page, portal, new card: the invoice is paid exactly once', async () => {
  const subscriber = await failingInvoice(world, stolen());
  const { invoiceId } = subscriber;
  await world.advance({ days: 1 });
  const link = emailedLink();
  for (let scan = 0; scan < 3; scan += 1) expect((await follow(link)).status).toBe(200);
  const sessions = () =>
    world.sandbox.state.apiCalls.filter(({ path }) => path.includes('portal/sessions')).length;
  expect(sessions()).toBe(0);

  const opened = await follow(link, { method: 'POST' });
  expect(opened.status).toBe(303);
  const opening = [...world.sandbox.state.events.newestFirst()].find(
    ({ type }) => type === 'billing_portal.session.created',
  );
  expect(opening?.data.object).toMatchObject({ configuration: portalConfiguration });
  world.sandbox.webhookFaults.duplicate = 1;
  world.sandbox.webhookFaults.shuffle = true;
  const back = await chooseCardInPortal(opened.location);
  expect((await follow(back)).text).toContain('Thank you');
  tellOfTheCardInEveryWay(subscriber);
  await world.settle();

  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  expect(payCalls(world, invoiceId)).toHaveLength(1);
  await world.advance({ days: 10 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  expect(world.email.emails).toHaveLength(1);
  expect((await follow(link, { method: 'POST' })).text).toContain('Nothing is due');
});

test('a customer who comes back to the portal after its session has expired goes on, until the link ends', async () => {
  const { invoiceId } = await failingInvoice(world, stolen());
  await world.advance({ days: 1 });
  const link = emailedLink();
  const { location } = await follow(link, { method: 'POST' });
  await world.advance({ days: 3 });
  await chooseCardInPortal(location);
  await world.settle();
  expect(statusOf(world, invoiceId)).toBe('paid');
  await world.advance({ days: 12 });
  expect((await follow(location)).status).toBe(410);
});

test('a new card that fails too is tried once, however many events report it', async () => {
  const subscriber = await failingInvoice(world, stolen());
  const { customerId, subscriptionId, invoiceId } = subscriber;
  world.sandbox.webhookFaults.duplicate = 1;
  const { id: card } = world.sandbox.changeDefaultCard(
    customerId,
    declines('insufficient_funds', {}, { last4: '0341' }),
  );
  world.sandbox.updateSubscription(subscriptionId, { default_payment_method: card });
  await world.settle();
  expect(payCalls(world, invoiceId)).toHaveLength(1);
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'failed']);
  const paying = (await actionsOf(world, invoiceId)).filter(
    ({ kind, state }) => kind === 'pay' && state === 'done',
  );
  expect(paying.map(({ reason }) => reason)).toMatchObject([
    { code: 'attempt_ended', declineCode: 'insufficient_funds' },
  ]);
});

test('a card renewed by its network pays the open invoice', async () => {
  const { customerId, invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('expired_card')));
  const card = world.sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method;
  world.sandbox.replaceCardAutomatically(String(card), accepts({ expYear: 2040 }));
  await world.settle();
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
});

test('a payment that ended on refusals by Stripe can be asked for again with the same card', async () => {
  const { customerId, subscriptionId, invoiceId } = await failingInvoice(world, stolen());
  world.sandbox.faults.next('POST', `/invoices/${invoiceId}/pay`, 'state_conflict', 4);
  const { id: card } = world.sandbox.changeDefaultCard(customerId, anotherCard());
  await world.advance({ hours: 3 });
  expect(payCalls(world, invoiceId)).toHaveLength(4);
  expect((await actionsOf(world, invoiceId)).map(({ state }) => state)).toContain('closed');
  world.sandbox.updateSubscription(subscriptionId, { default_payment_method: card });
  await world.advance({ minutes: 1 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  world.sandbox.updateSubscription(subscriptionId, { default_payment_method: null });
  await world.advance({ minutes: 1 });
  expect(payCalls(world, invoiceId)).toHaveLength(5);
});

test('a dead card that is chosen anew is not charged anew, until its network renews it', async () => {
  const { customerId, subscriptionId, invoiceId } = await failingInvoice(
    world,
    acceptsFirst(1, declines('expired_card')),
  );
  const card = world.sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method;
  world.sandbox.updateSubscription(subscriptionId, { default_payment_method: String(card) });
  await world.advance({ minutes: 1 });
  expect(payCalls(world, invoiceId)).toEqual([]);
  const { text } = await reportInvoice(world.plugin.parts.database, invoiceId, {});
  expect(text).toContain(
    `${card} was chosen, but its last attempt was declined (some of the card’s data is wrong) (guard`,
  );
  world.sandbox.replaceCardAutomatically(String(card), accepts({ expYear: 2040 }));
  await world.settle();
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
});

test('a new card calls off the email that waits for the morning', async () => {
  await world.clock.set(world.clock.now().plus({ days: 1 }).set({ hour: 22, minute: 0 }));
  const { customerId, invoiceId } = await failingInvoice(world, stolen());
  expect(await actionsOf(world, invoiceId)).toMatchObject([
    { kind: 'card_update_email', state: 'scheduled' },
  ]);
  world.sandbox.changeDefaultCard(customerId, anotherCard());
  await world.advance({ days: 1 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(world.email.emails).toEqual([]);
});

test('a link ends after two weeks', async () => {
  await failingInvoice(world, stolen());
  await world.advance({ days: 1 });
  const link = emailedLink();
  await world.clock.set(world.clock.now().plus({ days: 15 }));
  expect((await follow(link)).status).toBe(410);
  // It leads nowhere but to an email with a new one, to the address on file.
  const renewed = await follow(link, { method: 'POST' });
  expect(renewed).toMatchObject({ status: 200, location: '' });
});

describe('an invoice that was emailed about and became uncollectible', () => {
  async function emailedThenUncollectible(reason: 'max_payment_attempts' | 'user_forgiven') {
    const subscriber = await failingInvoice(world, stolen());
    await world.advance({ days: 1 });
    const link = emailedLink();
    world.sandbox.markUncollectible(subscriber.invoiceId, reason);
    await world.settle();
    return { ...subscriber, link };
  }

  test('an emailed invoice, uncollectible because Stripe ran out of attempts, is paid with the new card, as its page says', async () => {
    const { customerId, invoiceId, link } = await emailedThenUncollectible('max_payment_attempts');
    expect((await follow(link)).text).toContain('Open amount');
    expect((await follow(link, { method: 'POST' })).status).toBe(303);
    world.sandbox.changeDefaultCard(customerId, anotherCard());
    await world.advance({ minutes: 1 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  });

  test('an emailed invoice, uncollectible because a person forgave it, is not paid, and its page says that nothing is due', async () => {
    const { customerId, invoiceId, link } = await emailedThenUncollectible('user_forgiven');
    expect((await follow(link)).text).toContain('Nothing is due');
    expect((await follow(link, { method: 'POST' })).text).toContain('Nothing is due');
    world.sandbox.changeDefaultCard(customerId, anotherCard());
    await world.advance({ days: 2 });
    expect([statusOf(world, invoiceId), payCalls(world, invoiceId)]).toEqual(['uncollectible', []]);
    expect(world.email.emails).toHaveLength(1);
  });
});

test('an uncollectible invoice that nobody asked about is not paid by a new card', async () => {
  world.sandbox.webhookFaults.drop = 1;
  const { customerId, invoiceId } = await failingInvoice(world, stolen());
  world.sandbox.markUncollectible(invoiceId, 'max_payment_attempts');
  world.sandbox.webhookFaults.drop = 0;
  world.sandbox.changeDefaultCard(customerId, anotherCard());
  await world.settle();
  expect([statusOf(world, invoiceId), payCalls(world, invoiceId)]).toEqual(['uncollectible', []]);
});

test('the page says that nothing is due while collection is paused, or stopped by a person', async () => {
  const { subscriptionId, invoiceId } = await failingInvoice(world, stolen());
  await world.advance({ days: 1 });
  const link = emailedLink();
  world.sandbox.pauseCollection(subscriptionId, { behavior: 'keep_as_draft' });
  expect((await follow(link)).text).toContain('Nothing is due');
  world.sandbox.pauseCollection(subscriptionId, null);
  expect((await follow(link)).text).toContain('Open amount');
  await operate(world, 'stop', { invoice: invoiceId });
  expect((await follow(link)).text).toContain('Nothing is due');
});

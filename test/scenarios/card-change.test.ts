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
import { type ByName, emailsTo, failTogether } from './fail-together.ts';

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

const anotherCard = () => accepts({ last4: '1111' });
const stolen = (last4 = '9979') => acceptsFirst(1, declines('stolen_card', {}, { last4 }));
const expired = () => acceptsFirst(1, declines('expired_card'));

/** The link of the only email. */
function linkIn(emails: readonly { html?: string | undefined }[]): string {
  expect(emails).toHaveLength(1);
  const link = /href="([^"]*\/card-update\/[^"]*)"/.exec(emails[0]?.html ?? '')?.[1];
  expect(link).toBeDefined();
  return link ?? '';
}

const firstLinkTo = (name: string) => linkIn(emailsTo(world, name).slice(0, 1));

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

describe('alone', () => {
  afterEach(() => world.reset());

  test('email, link, page, portal, new card: the invoice is paid exactly once', async () => {
    const subscriber = await failingInvoice(world, stolen());
    const { invoiceId } = subscriber;
    await world.advance({ days: 1 });
    const link = linkIn(world.email.emails);
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

  test('an uncollectible invoice that nobody asked about is not paid by a new card', async () => {
    world.sandbox.webhookFaults.drop = 1;
    const { customerId, invoiceId } = await failingInvoice(world, stolen());
    world.sandbox.markUncollectible(invoiceId, 'max_payment_attempts');
    world.sandbox.webhookFaults.drop = 0;
    world.sandbox.changeDefaultCard(customerId, anotherCard());
    await world.settle();
    expect([statusOf(world, invoiceId), payCalls(world, invoiceId)]).toEqual(['uncollectible', []]);
  });
});

describe('a customer who was emailed', () => {
  let subscriber: ByName<'returns' | 'waits' | 'held' | 'tried' | 'forgiven'>;
  beforeAll(async () => {
    subscriber = await failTogether(world, {
      returns: stolen('1001'),
      waits: stolen('1002'),
      held: stolen('1003'),
      tried: stolen('1004'),
      forgiven: stolen('1005'),
    });
    await world.advance({ days: 1 });
  });
  afterAll(() => world.reset());

  test('the page says that nothing is due while collection is paused, or stopped by a person', async () => {
    const { subscriptionId, invoiceId } = subscriber('held');
    const link = linkIn(emailsTo(world, 'held'));
    world.sandbox.pauseCollection(subscriptionId, { behavior: 'keep_as_draft' });
    expect((await follow(link)).text).toContain('Nothing is due');
    world.sandbox.pauseCollection(subscriptionId, null);
    expect((await follow(link)).text).toContain('Open amount');
    await operate(world, 'stop', { invoice: invoiceId });
    expect((await follow(link)).text).toContain('Nothing is due');
  });

  test('an emailed invoice, uncollectible because Stripe ran out of attempts, is paid with the new card, as its page says', async () => {
    const { customerId, invoiceId } = subscriber('tried');
    const link = linkIn(emailsTo(world, 'tried'));
    world.sandbox.markUncollectible(invoiceId, 'max_payment_attempts');
    await world.settle();
    expect((await follow(link)).text).toContain('Open amount');
    expect((await follow(link, { method: 'POST' })).status).toBe(303);
    world.sandbox.changeDefaultCard(customerId, anotherCard());
    await world.advance({ minutes: 1 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  });

  test('an emailed invoice, uncollectible because a person forgave it, is not paid, and its page says that nothing is due', async () => {
    const { customerId, invoiceId } = subscriber('forgiven');
    const link = linkIn(emailsTo(world, 'forgiven'));
    world.sandbox.markUncollectible(invoiceId, 'user_forgiven');
    await world.settle();
    expect((await follow(link)).text).toContain('Nothing is due');
    expect((await follow(link, { method: 'POST' })).text).toContain('Nothing is due');
    world.sandbox.changeDefaultCard(customerId, anotherCard());
    await world.advance({ days: 2 });
    expect([statusOf(world, invoiceId), payCalls(world, invoiceId)]).toEqual(['uncollectible', []]);
    expect(emailsTo(world, 'forgiven')).toHaveLength(1);
  });

  test('a customer who comes back to the portal after its session has expired goes on, until the link ends after two weeks', async () => {
    const { invoiceId } = subscriber('returns');
    const { location } = await follow(firstLinkTo('returns'), { method: 'POST' });
    await world.advance({ days: 3 });
    await chooseCardInPortal(location);
    await world.settle();
    expect(statusOf(world, invoiceId)).toBe('paid');
    const link = firstLinkTo('waits');
    await world.clock.set(world.clock.now().plus({ days: 12 }));
    expect((await follow(location)).status).toBe(410);
    expect((await follow(link)).status).toBe(410);
    // It leads nowhere but to an email with a new one, to the address on file.
    const renewed = await follow(link, { method: 'POST' });
    expect(renewed).toMatchObject({ status: 200, location: '' });
  });
});

describe('a card that is given in the evening', () => {
  let subscriber: ByName<'warned' | 'short' | 'refused' | 'dead'>;
  beforeAll(async () => {
    await world.clock.set(world.clock.now().plus({ days: 1 }).set({ hour: 22, minute: 0 }));
    world.sandbox.webhookFaults.duplicate = 1;
    subscriber = await failTogether(world, {
      warned: stolen('2001'),
      short: stolen('2002'),
      refused: stolen('2003'),
      dead: expired(),
    });
  });
  afterAll(() => world.reset());

  test('a new card that fails too is tried once, however many events report it', async () => {
    const { customerId, subscriptionId, invoiceId } = subscriber('short');
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

  test('a dead card that is chosen anew is not charged anew, until its network renews it', async () => {
    const { customerId, subscriptionId, invoiceId } = subscriber('dead');
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

  test('a payment that ended on refusals by Stripe can be asked for again with the same card', async () => {
    const { customerId, subscriptionId, invoiceId } = subscriber('refused');
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

  test('a new card calls off the email that waits for the morning', async () => {
    const { customerId, invoiceId } = subscriber('warned');
    expect(await actionsOf(world, invoiceId)).toMatchObject([
      { kind: 'card_update_email', state: 'scheduled' },
    ]);
    world.sandbox.changeDefaultCard(customerId, anotherCard());
    await world.advance({ days: 1 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(emailsTo(world, 'warned')).toEqual([]);
  });
});

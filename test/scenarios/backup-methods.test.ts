/** With BACKUP_METHODS=on an invoice whose card is dead is paid with another card that the customer saved. */
import { reportInvoice, reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { inFull } from '../support/runner/full-run.ts';
import { actionsOf, chargesOf, payCalls, renew, statusOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.reset());

const stolen = () => acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' }));
const short = (last4: string) => declines('insufficient_funds', {}, { last4 });

/** A subscriber whose card was stolen, with these other cards saved, the oldest first. */
async function robbed(
  saved: readonly ReturnType<typeof accepts>[],
  save: 'saveCard' | 'attachCard' = 'saveCard',
) {
  const subscriber = await subscribe(world, stolen());
  for (const behaviour of saved) {
    await world.advance({ hours: 9 });
    world.sandbox[save](subscriber.customerId, behaviour);
  }
  await world.advance({ hours: 9 });
  return { ...subscriber, invoiceId: await renew(world, subscriber.subscriptionId) };
}

const methodsCharged = (invoiceId: string) => {
  const { invoicePayments, charges } = world.sandbox.state;
  return [...invoicePayments.newestFirst({ index: 'invoice', key: invoiceId })]
    .flatMap(({ payment }) => [
      ...charges.newestFirst({ index: 'paymentIntent', key: payment.payment_intent ?? '' }),
    ])
    .map(({ payment_method_details: details }) => details?.card?.last4)
    .reverse();
};

describe('on', () => {
  beforeAll(async () => {
    world = await createWorld({ plugin: { backupMethods: 'on' }, sandbox: { stripeRetries: 'off' } });
  });
  afterAll(() => world.stop());

  test('the newest saved card pays, the email names both cards, and its page lets the customer choose', async () => {
    const { customerId, invoiceId } = await robbed([accepts({ last4: '1111' }), accepts({ last4: '2222' })]);
    const before = world.sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method;
    await world.advance({ days: 2 });
    expect([methodsCharged(invoiceId), statusOf(world, invoiceId)]).toEqual([['9979', '2222'], 'paid']);
    const after = world.sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method;
    expect(after).toBe(before);
    expect(world.email.emails).toHaveLength(1);
    const { html = '' } = world.email.emails[0] ?? {};
    expect(html).toContain('ending in 9979');
    expect(html).toContain('ending in 2222');
    expect(html).toContain('$20.00');
    const link = /href="([^"]*\/card-update\/[^"]*)"/.exec(html)?.[1] ?? '';
    expect(await (await fetch(link)).text()).toContain('Choose your payment method');
    const opened = await fetch(link, { method: 'POST', redirect: 'manual' });
    expect(opened.status).toBe(303);
    const { text } = await reportInvoice(world.plugin.parts.database, invoiceId, {});
    expect(text).toContain('With another saved card (BACKUP_METHODS)');
    const status = await reportStatus(world.plugin.parts.database, {}, world.clock.now());
    expect(status.text).toContain('attempts paid by another saved card: 1');
  });

  test('each saved card is tried once, and then the customer is asked; what they answered is no word on the case', async () => {
    const { invoiceId } = await robbed([short('1111'), short('2222')]);
    await world.advance({ days: 20 });
    expect(methodsCharged(invoiceId)).toEqual(['9979', '2222', '1111']);
    // Asked, and reminded.
    for (const { subject } of world.email.emails) expect(subject).toMatch(/update your card for /i);
    expect(world.email.emails.length).toBeGreaterThan(0);
    expect((await actionsOf(world, invoiceId)).filter(({ state }) => state === 'scheduled')).toEqual([]);
  });

  inFull('an email that waits for the mail server goes to nobody who is forgotten meanwhile', async () => {
    world.email.refusals.push(...Array.from({ length: 100 }, () => 451));
    const { customerId: customer, invoiceId } = await robbed([accepts({ last4: '1111' })]);
    for (let hour = 0; hour < 24 && world.email.refusals.length === 100; hour += 1)
      await world.advance({ hours: 1 });
    expect([statusOf(world, invoiceId), world.email.refusals.length < 100]).toEqual(['paid', true]);
    world.email.refusals.length = 0;
    expect(await operate(world, 'forget', { customer })).toMatchObject({ code: 'forgotten' });
    await world.advance({ hours: 1 });
    expect(world.email.emails).toEqual([]);
    expect(await world.query('select state, recipient from payment_retry.emails')).toEqual([
      { state: 'given_up', recipient: '' },
    ]);
    expect((await actionsOf(world, invoiceId)).filter(({ state }) => state === 'scheduled')).toEqual([]);
  });

  test.each([
    ['was not saved for it', [accepts({ last4: '1111' })], 'attachCard'],
    ['has expired', [accepts({ last4: '1111', expMonth: 1, expYear: 2026 })], 'saveCard'],
    ['is the same card again', [accepts({ last4: '9979' })], 'saveCard'],
  ] as const)('a saved card that %s is left alone', async (_name, saved, save) => {
    const { invoiceId } = await robbed(saved, save);
    await world.advance({ days: 2 });
    expect([methodsCharged(invoiceId), payCalls(world, invoiceId)]).toEqual([['9979'], []]);
    expect(world.email.emails).toHaveLength(1);
  });

  test('a saved card that once asked for the customer is left alone', async () => {
    const wary = requiresAuthentication('decline', { last4: '3155' });
    const first = await subscribe(world, acceptsFirst(1, wary));
    await world.advance({ hours: 9 });
    await renew(world, first.subscriptionId);
    const { invoiceId } = await robbed([wary]);
    await world.advance({ days: 2 });
    expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  });

  test('no saved card is tried after a dispute', async () => {
    const subscriber = await subscribe(world, stolen());
    world.sandbox.saveCard(subscriber.customerId, accepts({ last4: '1111' }));
    const [charge] = world.sandbox.state.charges.newestFirst({
      index: 'customer',
      key: subscriber.customerId,
    });
    world.sandbox.disputeCharge(charge?.id ?? '', 'product_not_received');
    await world.advance({ hours: 9 });
    const invoiceId = await renew(world, subscriber.subscriptionId);
    await world.advance({ days: 2 });
    expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  });

  test('a card to which money may still come is not passed over for a saved one', async () => {
    const { customerId, subscriptionId } = await subscribe(world, acceptsFirst(1, short('0341')));
    world.sandbox.saveCard(customerId, accepts({ last4: '1111' }));
    await world.advance({ hours: 9 });
    const invoiceId = await renew(world, subscriptionId);
    await world.advance({ days: 2 });
    expect(new Set(methodsCharged(invoiceId))).toEqual(new Set(['0341']));
  });
});

describe('off, which is the default', () => {
  beforeAll(async () => {
    world = await createWorld({ sandbox: { stripeRetries: 'off' } });
  });
  afterAll(() => world.stop());

  test('without BACKUP_METHODS, no other card is charged', async () => {
    const { invoiceId } = await robbed([accepts({ last4: '1111' })]);
    await world.advance({ days: 2 });
    expect([methodsCharged(invoiceId), world.email.emails.length]).toEqual([['9979'], 1]);
  });
});

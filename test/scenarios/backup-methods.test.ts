/** With BACKUP_METHODS=on an invoice whose card is dead is paid with another card that the customer saved. */
import { reportInvoice, reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { inFull } from '../support/runner/full-run.ts';
import { actionsOf, payCalls, renew, statusOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { type ByName, emailsTo, failTogether } from './fail-together.ts';
import { startOtherwise } from './start-otherwise.ts';

let world: World;
const settings: OwnOptions = { backupMethods: 'on' };
beforeAll(async () => {
  world = await createWorld({ plugin: settings, sandbox: { stripeRetries: 'off' } });
});
afterAll(() => world?.stop());

const stolen = (last4 = '9979') => acceptsFirst(1, declines('stolen_card', {}, { last4 }));
const short = (last4: string) => declines('insufficient_funds', {}, { last4 });

/** A subscriber whose card was stolen, with these other cards saved, the oldest first. */
async function robbed(saved: readonly ReturnType<typeof accepts>[]) {
  const subscriber = await subscribe(world, stolen());
  for (const behaviour of saved) {
    await world.advance({ hours: 9 });
    world.sandbox.saveCard(subscriber.customerId, behaviour);
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
  describe('an emailed customer', () => {
    afterEach(() => world.reset());

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
  });

  describe('saved cards of many', () => {
    const wary = () => requiresAuthentication('decline', { last4: '3155' });
    let failed: ByName<string>;
    let before: unknown;
    beforeAll(async () => {
      const { sandbox } = world;
      const cards = {
        ...{ unsaved: stolen('1001'), expired: stolen('1002'), same: stolen('1003'), wary: stolen('1004') },
        ...{ disputed: stolen('1005'), short: acceptsFirst(1, short('0341')) },
        ...{ asked: acceptsFirst(1, wary()), saved: stolen('1000') },
      };
      failed = await failTogether<string>(world, cards, {
        between: async (subscriberOf) => {
          const of = (name: string) => subscriberOf(name).customerId;
          const [charge] = sandbox.state.charges.newestFirst({ index: 'customer', key: of('disputed') });
          sandbox.disputeCharge(charge?.id ?? '', 'product_not_received');
          before = sandbox.state.customers.get(of('saved'))?.invoice_settings.default_payment_method;
          sandbox.saveCard(of('saved'), accepts({ last4: '2221' }));
          await world.advance({ hours: 9 });
          sandbox.saveCard(of('saved'), accepts({ last4: '2222' }));
          await renew(world, subscriberOf('asked').subscriptionId);
          sandbox.attachCard(of('unsaved'), accepts({ last4: '1111' }));
          sandbox.saveCard(of('expired'), accepts({ last4: '1112', expMonth: 1, expYear: 2026 }));
          sandbox.saveCard(of('same'), accepts({ last4: '1003' }));
          sandbox.saveCard(of('wary'), wary());
          for (const name of ['disputed', 'short']) sandbox.saveCard(of(name), accepts({ last4: '1113' }));
          await world.advance({ hours: 9 });
        },
      });
      await world.advance({ days: 2 });
    });

    test('the newest saved card pays, the email names both cards, and its page lets the customer choose', async () => {
      const { customerId, invoiceId } = failed('saved');
      expect([methodsCharged(invoiceId), statusOf(world, invoiceId)]).toEqual([['1000', '2222'], 'paid']);
      const after = world.sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method;
      expect(after).toBe(before);
      const emails = emailsTo(world, 'saved');
      expect(emails).toHaveLength(1);
      const { html = '' } = emails[0] ?? {};
      expect(html).toContain('ending in 1000');
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

    test.each([
      ['was not saved for it', 'unsaved', '1001'],
      ['has expired', 'expired', '1002'],
      ['is the same card again', 'same', '1003'],
      ['once asked for the customer', 'wary', '1004'],
    ])('a saved card that %s is left alone', (_title, name, last4) => {
      const { invoiceId } = failed(name);
      expect([methodsCharged(invoiceId), payCalls(world, invoiceId)]).toEqual([[last4], []]);
      expect(emailsTo(world, name)).toHaveLength(1);
    });

    test('no saved card is tried after a dispute', () => {
      expect(methodsCharged(failed('disputed').invoiceId)).toEqual(['1005']);
    });

    test('a card to which money may still come is not passed over for a saved one', () => {
      expect(new Set(methodsCharged(failed('short').invoiceId))).toEqual(new Set(['0341']));
    });
  });
});

describe('off, which is the default', () => {
  beforeAll(() => startOtherwise(world, settings, {}));

  test('without BACKUP_METHODS, no other card is charged', async () => {
    const { invoiceId } = await robbed([accepts({ last4: '1111' })]);
    await world.advance({ days: 2 });
    expect([methodsCharged(invoiceId), world.email.emails.length]).toEqual([['9979'], 1]);
  });
});

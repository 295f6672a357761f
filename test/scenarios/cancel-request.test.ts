/** A customer asked to end the subscription at its renewal: what AFTER_CANCEL_REQUEST does about the invoice that failed. */

import { reportInvoice } from '../../src/plugin/app/commands/status-command.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import type { AfterCancelRequest } from '../../src/plugin/settings/giving-up.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { inFull } from '../support/runner/full-run.ts';
import { callBack, failingInvoice, instruct, payCalls, statusOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failTogether } from './fail-together.ts';
import { EMBEDDED, startOtherwise } from './start-otherwise.ts';

let world: World;
const EXCLUSIVE = { retryMode: 'exclusive', afterGivingUp: 'cancel' } as const;
const settings: OwnOptions = { ...EXCLUSIVE, afterCancelRequest: 'ask' };
beforeAll(async () => {
  world = await createWorld({ isRemote: true, sandbox: { stripeRetries: 'smart' }, plugin: settings });
});
afterEach(() => world.reset());
afterAll(() => world?.stop());
const begin = (afterCancelRequest: AfterCancelRequest) => () =>
  startOtherwise(world, settings, { ...EXCLUSIVE, afterCancelRequest });

const broke = (times = 99, last4 = '4242') => declinesTimes(times, 'insufficient_funds', {}, { last4 });
const subscriptionOf = (id: string) => world.sandbox.state.subscriptions.get(id);
const requestEnd = (id: string) => world.sandbox.cancelSubscription(id, { atPeriodEnd: true });
const emails = () => world.email.emails.map(({ text }) => text ?? '');
const isTakenOver = (id: string) => world.sandbox.state.invoices.get(id)?.auto_advance === false;

/** It is to end in the middle of the next period, whose invoice fails. */
async function askedBeforeFailure() {
  const subscriber = await subscribe(world, broke());
  const { subscriptionId } = subscriber;
  const renewsAt = subscriptionOf(subscriptionId)?.items.data[0]?.current_period_end ?? 0;
  world.sandbox.updateSubscription(subscriptionId, { cancel_at: renewsAt + 20 * 86_400 });
  // The renewal is a draft for an hour.
  await world.advance({ seconds: renewsAt - world.clock.now().toSeconds() + 3_660 });
  const invoiceId = subscriptionOf(subscriptionId)?.latest_invoice ?? '';
  expect(statusOf(world, invoiceId)).toBe('open');
  return { ...subscriber, invoiceId };
}

async function askedAfterFailure(times?: number) {
  const failed = await failingInvoice(world, broke(times));
  await world.advance({ days: 2 });
  requestEnd(failed.subscriptionId);
  await world.settle();
  return failed;
}

describe('ask', () => {
  test('a customer who asked to end before the failure gets one email without a threat, and pays by giving a card', async () => {
    const { invoiceId, customerId, subscriptionId } = await askedBeforeFailure();
    expect(isTakenOver(invoiceId)).toBe(false);
    await instruct(world, invoiceId, 'RETRY');
    await world.advance({ days: 1 });
    await instruct(world, invoiceId, 'CARD_CHANGE', world.clock.now().plus({ days: 4 }));
    await world.advance({ days: 5 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(emails()).toHaveLength(1);
    expect(emails()[0]).toContain('/card-update/');
    expect(emails()[0]).not.toMatch(/stopped|canceled|paused/);
    const { text } = await reportInvoice(world.plugin.parts.database, invoiceId, {});
    expect(text).toContain(`It was asked that subscription ${subscriptionId} ends on`);
    world.sandbox.changeDefaultCard(customerId, accepts({ last4: '5555' }));
    await world.settle();
    await world.advance({ minutes: 5 });
    expect(statusOf(world, invoiceId)).toBe('paid');
  });

  inFull(
    'a customer who asks to end after the failure is charged again once the request is taken back',
    async () => {
      const { invoiceId, subscriptionId } = await askedAfterFailure(1);
      expect(isTakenOver(invoiceId)).toBe(true);
      await instruct(world, invoiceId, 'RETRY');
      await world.advance({ days: 3 });
      expect(payCalls(world, invoiceId)).toEqual([]);
      world.sandbox.updateSubscription(subscriptionId, { cancel_at_period_end: false });
      await world.advance({ days: 1 });
      expect(statusOf(world, invoiceId)).toBe('paid');
      expect(emails()).toHaveLength(1);
    },
  );

  test('another card of a customer who asked to end is not charged unasked either', async () => {
    const untried = accepts({ last4: '1111', fingerprint: 'fp_untried' });
    const { customerId, subscriptionId } = await subscribe(world, untried);
    const { id: dead } = world.sandbox.attachCard(customerId, declines('stolen_card'));
    world.sandbox.updateSubscription(subscriptionId, { default_payment_method: dead });
    await world.settle();
    const { id: invoiceId } = world.sandbox.renewNow(subscriptionId);
    requestEnd(subscriptionId);
    world.sandbox.detachCard(dead);
    await world.settle();
    await instruct(world, invoiceId, 'CARD_CHANGE');
    await world.advance({ days: 1 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(emails()).toHaveLength(1);
  });

  test('AFTER_GIVING_UP does not end a subscription before its customer wants it to end; a person has its customer charged', async () => {
    const failed = await failTogether(world, { ended: broke(99, '1001'), charged: broke(1, '1002') });
    await world.advance({ days: 2 });
    for (const name of ['ended', 'charged'] as const) requestEnd(failed(name).subscriptionId);
    await world.settle();
    const { invoiceId, subscriptionId } = failed('ended');
    await callBack(world, { id: 'end_1', type: 'complete_dunning', created: 'now', data: { invoiceId } });
    const { invoiceId: charged } = failed('charged');
    await instruct(world, charged, 'RETRY');
    expect(statusOf(world, charged)).toBe('open');
    await operate(world, 'retry', { invoice: charged });
    await world.settle();
    expect(statusOf(world, charged)).toBe('paid');
    await world.advance({ days: 2 });
    expect(subscriptionOf(subscriptionId)?.status).toBe('past_due');
  });
});

describe('stop', () => {
  beforeAll(begin('stop'));

  test('AFTER_CANCEL_REQUEST=stop neither charges nor asks, until a person releases the invoice', async () => {
    const { invoiceId } = await askedAfterFailure(1);
    await instruct(world, invoiceId, 'CARD_CHANGE');
    await instruct(world, invoiceId, 'RETRY');
    await world.advance({ days: 1 });
    expect([payCalls(world, invoiceId), emails()]).toEqual([[], []]);
    await operate(world, 'release', { invoice: invoiceId });
    await world.advance({ days: 1 });
    expect(statusOf(world, invoiceId)).toBe('paid');
  });
});

describe('collect', () => {
  beforeAll(begin('collect'));

  test('AFTER_CANCEL_REQUEST=collect takes over and charges as ever', async () => {
    const { invoiceId } = await askedBeforeFailure();
    expect(isTakenOver(invoiceId)).toBe(true);
    await world.advance({ days: 2 });
    await instruct(world, invoiceId, 'RETRY');
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    expect(emails()).toEqual([]);
  });
});

describe('with the embedded service', () => {
  beforeAll(() => startOtherwise(world, settings, { ...EMBEDDED, ...EXCLUSIVE }));

  test('a customer who asked to end is not charged, gets one email, and is charged again once the request is taken back', async () => {
    const { invoiceId, subscriptionId } = await failingInvoice(world, broke(1));
    requestEnd(subscriptionId);
    await world.advance({ days: 9 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(emails()).toHaveLength(1);
    expect(emails()[0]).not.toMatch(/stopped|canceled|paused/);
    world.sandbox.updateSubscription(subscriptionId, { cancel_at_period_end: false });
    await world.advance({ days: 9 });
    expect([statusOf(world, invoiceId), subscriptionOf(subscriptionId)?.status]).toEqual(['paid', 'active']);
  });

  inFull(
    'a new card given while collection is paused pays when it goes on, before the day that an email had named',
    async () => {
      const { customerId, subscriptionId, invoiceId } = await failingInvoice(
        world,
        acceptsFirst(1, declines('stolen_card')),
      );
      const isWarned = () => emails().some((text) => text.includes('will be canceled'));
      for (let days = 0; !isWarned() && days < 30; days += 1) await world.advance({ days: 1 });
      const sent = emails().length;
      const resumes = Math.floor(world.clock.now().plus({ days: 4 }).toSeconds());
      world.sandbox.pauseCollection(subscriptionId, { behavior: 'keep_as_draft', resumes_at: resumes });
      await world.advance({ hours: 1 });
      world.sandbox.changeDefaultCard(customerId, accepts({ last4: '5555' }));
      await world.advance({ days: 5 });
      expect([statusOf(world, invoiceId), subscriptionOf(subscriptionId)?.status]).toEqual([
        'paid',
        'active',
      ]);
      expect([isWarned(), emails().length]).toEqual([true, sent]);
    },
  );
});

/** RECOVER: what is left out is observed only, also what was planned or taken over before. */

import { reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import {
  actionsOf,
  callBack,
  failingInvoice,
  instruct,
  payCalls,
  statusOf,
  storyOf,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { startOtherwise } from './start-otherwise.ts';

const settings: OwnOptions = { recover: 'country:DE' };
let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true, sandbox: { stripeRetries: 'smart' }, plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

describe('in advisory mode', () => {
  test('in advisory mode, who is outside the scope is neither charged nor emailed, and what would have happened is counted', async () => {
    const inside = { country: 'DE' };
    const outside = { country: 'AT' };
    const card = (fingerprint: string) => declinesTimes(1, 'insufficient_funds', {}, { fingerprint });
    const paid = await failingInvoice(world, card('fp_1'), inside);
    const observed = await failingInvoice(world, card('fp_2'), outside);
    const unemailed = await failingInvoice(world, acceptsFirst(1, declines('stolen_card')), outside);
    const later = world.clock.now().plus({ hours: 25 });
    for (const { invoiceId } of [paid, observed]) await instruct(world, invoiceId, 'RETRY', later);
    await instruct(world, unemailed.invoiceId, 'CARD_CHANGE', later);
    await world.advance({ days: 3 });
    expect(statusOf(world, paid.invoiceId)).toBe('paid');
    expect(payCalls(world, observed.invoiceId)).toEqual([]);
    expect(await actionsOf(world, observed.invoiceId)).toMatchObject([
      { state: 'done', reason: { code: 'payment_observed' } },
    ]);
    expect(await storyOf(world, observed.invoiceId)).toContain('observed.pay');
    expect(await storyOf(world, unemailed.invoiceId)).toContain('observed.email');
    expect(world.email.emails).toEqual([]);
    const { text } = await reportStatus(world.plugin.parts.database, {}, world.clock.now());
    expect(text).toContain('payments attempted: 1, for 1 invoice(s)');
  });
});

describe('in exclusive mode', () => {
  beforeAll(async () => {
    const recover = 'percent:100';
    await startOtherwise(world, settings, { retryMode: 'exclusive', afterGivingUp: 'cancel', recover });
  });

  /** As after a restart with another setting. */
  function setPercent(percent: number): void {
    Object.assign(world.plugin.config.scope, { percent });
  }
  const isStripes = (invoiceId: string) => world.sandbox.state.invoices.get(invoiceId)?.auto_advance;

  test('in exclusive mode, a narrower scope holds for what is planned, and gives back what was taken over', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    expect(isStripes(invoiceId)).toBe(false);
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
    setPercent(0);
    const other = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    await world.advance({ hours: 26 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(await storyOf(world, invoiceId)).toEqual(
      expect.arrayContaining(['observed.pay', 'invoice.handed_back']),
    );
    expect([isStripes(invoiceId), isStripes(other.invoiceId)]).toEqual([true, true]);
    setPercent(100);
  });

  test('the end of dunning outside the scope is written down, and no subscription canceled', async () => {
    const { invoiceId, subscriptionId } = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    setPercent(0);
    await callBack(world, { id: 'end_1', type: 'complete_dunning', created: 'now', data: { invoiceId } });
    await world.advance({ hours: 1 });
    expect(world.sandbox.state.subscriptions.get(subscriptionId)?.status).toBe('past_due');
    expect(await storyOf(world, invoiceId)).toContain('observed.ending');
    setPercent(100);
  });
});

/** RECOVER: what is left out is observed only, also what was planned or taken over before. */

import { reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import {
  actionsOf,
  askToRetry,
  callBack,
  failingInvoice,
  instruct,
  payCalls,
  statusOf,
  storyOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { withoutEffects } from './fail-together.ts';
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
    const quiet = withoutEffects(world);
    const begun = [
      await subscribe(quiet, card('fp_1'), inside),
      await subscribe(quiet, card('fp_2'), outside),
      await subscribe(quiet, acceptsFirst(1, declines('stolen_card')), outside),
    ];
    await world.settle();
    const [paid = '', observed = '', unemailed = ''] = begun.map(
      ({ subscriptionId }) => world.sandbox.renewNow(subscriptionId).id,
    );
    await world.settle();
    const later = world.clock.now().plus({ hours: 25 });
    for (const invoiceId of [paid, observed]) await instruct(world, invoiceId, 'RETRY', later);
    await instruct(world, unemailed, 'CARD_CHANGE', later);
    await world.advance({ days: 3 });
    expect(statusOf(world, paid)).toBe('paid');
    expect(payCalls(world, observed)).toEqual([]);
    expect(await actionsOf(world, observed)).toMatchObject([
      { state: 'done', reason: { code: 'payment_observed' } },
    ]);
    expect(await storyOf(world, observed)).toContain('observed.pay');
    expect(await storyOf(world, unemailed)).toContain('observed.email');
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

  test('in exclusive mode, a narrower scope holds for what is planned, gives back what was taken over, and cancels no subscription at the end of dunning', async () => {
    const many = (fingerprint: string) => ({
      paymentMethod: declinesTimes(9, 'insufficient_funds', {}, { fingerprint }),
    });
    const [{ invoiceId }, ended] = await failList(world, [many('fp_3'), many('fp_4')], 'older');
    expect(isStripes(invoiceId)).toBe(false);
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
    setPercent(0);
    const data = { invoiceId: ended.invoiceId };
    await callBack(world, { id: 'end_1', type: 'complete_dunning', created: 'now', data });
    const other = await failingInvoice(world, many('fp_5').paymentMethod);
    expect(await askToRetry(world, other.invoiceId)).toMatchObject({
      message: expect.stringMatching(/^Only observed \(RECOVER percent\): Retry/),
    });
    await world.advance({ hours: 26 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(await storyOf(world, invoiceId)).toEqual(
      expect.arrayContaining(['observed.pay', 'invoice.handed_back']),
    );
    expect([isStripes(invoiceId), isStripes(other.invoiceId)]).toEqual([true, true]);
    expect(world.sandbox.state.subscriptions.get(ended.subscriptionId)?.status).toBe('past_due');
    expect(await storyOf(world, ended.invoiceId)).toContain('observed.ending');
    setPercent(100);
  });
});

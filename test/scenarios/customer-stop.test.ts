/** All collection from a customer is stopped: open invoices and later ones, in both modes, until it is resumed. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { OPERATIONS } from '../../src/plugin/operator/operations/operations.ts';
import { EXACTLY } from '../../src/plugin/operator/text/describe-operation.ts';
import { accepts, acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { ADA, operate, say } from '../support/operate.ts';
import {
  actionsOf,
  chargesOf,
  failingInvoice,
  instruct,
  instructionOf,
  payCalls,
  renew,
  statusOf,
  storyOf,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { startOtherwise } from './start-otherwise.ts';

let world: World;
const settings: OwnOptions = {};
beforeAll(async () => {
  world = await createWorld({ isRemote: true, plugin: settings });
});
afterEach(() => world.reset());
afterAll(() => world?.stop());

const WHY = 'asked us to stop charging';
const broke = () => acceptsFirst(1, declines('insufficient_funds'));
const STOPPED = { code: 'stopped_by_person', note: WHY };

describe.each([{ retryMode: 'advisory' }, { retryMode: 'exclusive', afterGivingUp: 'leave' }] as const)(
  'in $retryMode mode',
  (plugin) => {
    beforeAll(() => startOtherwise(world, settings, plugin));

    test('nobody is charged or emailed about an open or a later invoice until collection resumes', async () => {
      const { customerId: customer, subscriptionId, invoiceId } = await failingInvoice(world, broke());
      await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 2 }));
      await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 3 }));
      const { text } = await say(world, 'stopCollection', { customer }, WHY);
      expect(text).toContain('1 planned action closed');
      expect(await operate(world, 'stopCollection', { customer }, WHY)).toMatchObject({
        code: 'collection_stopped_already',
        reason: WHY,
      });
      const later = await renew(world, subscriptionId);
      for (const id of [invoiceId, later])
        for (const suggestion of ['RETRY', 'CARD_CHANGE'])
          expect(await instructionOf(world, await instruct(world, id, suggestion))).toEqual({
            state: 'no_action',
            reason: STOPPED,
          });
      world.sandbox.changeDefaultCard(customer, accepts());
      await world.advance({ days: 2 });
      expect([payCalls(world, invoiceId), payCalls(world, later), world.email.emails]).toEqual([[], [], []]);
      expect(await storyOf(world, invoiceId)).toContain('customer.stopped');
      // In exclusive mode Stripe does not collect the later one either.
      expect(world.sandbox.state.invoices.get(later)?.auto_advance).toBe(plugin.retryMode === 'advisory');

      expect(await operate(world, 'resumeCollection', { customer }, WHY)).toMatchObject({
        code: 'collection_resumed',
      });
      await world.advance({ days: 1 });
      expect([payCalls(world, invoiceId), world.email.emails]).toEqual([[], []]);
      await instruct(world, invoiceId, 'RETRY');
      expect(statusOf(world, invoiceId)).toBe('paid');
    });

    test('a payment planned before its invoice is known stops at its guard, also after a crash', async () => {
      const { customerId: customer, invoiceId } = await failingInvoice(world, broke());
      await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 2 }));
      await operate(world, 'stopCollection', { customer }, WHY);
      // As if the plan had been committed by another process in the same moment.
      await world.query(
        `update payment_retry.actions set state = 'scheduled', closed_at = null, reason = null where invoice_id = $1`,
        [invoiceId],
      );
      await world.query('delete from payment_retry.invoices where id = $1', [invoiceId]);
      await world.abandon().stop();
      await world.restart();
      await world.advance({ days: 3 });
      expect(payCalls(world, invoiceId)).toEqual([]);
      expect((await actionsOf(world, invoiceId)).at(-1)?.reason).toEqual(STOPPED);
    });
  },
);

describe('around the stop', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ isRemote: true, sandbox: { stripeRetries: 'smart' } });
  });
  afterAll(() => world?.stop());
  afterEach(() => world.reset());
  const deps = () => world.plugin.parts.operations;

  test('the preview says what is stopped, and what Stripe still does on its own; without a reason nothing is', async () => {
    const { customerId: customer, invoiceId } = await failingInvoice(world, broke());
    const { will } = await OPERATIONS.stopCollection.preview(deps(), { customer });
    expect(will?.(EXACTLY)).toEqual([
      expect.stringMatching(/^1 unpaid invoice, \$20\.00: no charge and no email until you resume/),
      expect.stringMatching(new RegExp(`^Stripe retries ${invoiceId} at .* on its own$`)),
      expect.stringMatching(/ keeps running and renews at .*; to end it, cancel it in Stripe$/),
    ]);
    const asking = OPERATIONS.stopCollection.carryOut(deps(), { who: ADA }, { customer });
    await expect(asking).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    expect(await operate(world, 'resumeCollection', { customer })).toMatchObject({
      code: 'collection_not_stopped',
    });
  });

  test('an invoice released afterwards is collected, and one stopped on its own outlasts the resumption', async () => {
    const { customerId: customer, subscriptionId, invoiceId } = await failingInvoice(world, broke());
    const second = await renew(world, subscriptionId);
    await operate(world, 'stop', { invoice: second }, WHY);
    await operate(world, 'stopCollection', { customer }, WHY);
    await world.advance({ hours: 25 });
    await operate(world, 'release', { invoice: invoiceId }, 'agreed on the phone');
    world.sandbox.changeDefaultCard(customer, accepts());
    await instruct(world, invoiceId, 'RETRY');
    expect(chargesOf(world, invoiceId)).toContain('succeeded');

    await operate(world, 'resumeCollection', { customer }, WHY);
    const requestId = await instruct(world, second, 'RETRY');
    expect(await instructionOf(world, requestId)).toEqual({ state: 'no_action', reason: STOPPED });
    expect(payCalls(world, second)).toEqual([]);
  });

  test('an unknown customer is not found', async () => {
    for (const name of ['stopCollection', 'resumeCollection'] as const)
      expect(await operate(world, name, { customer: 'cus_unknown' }, WHY)).toMatchObject({
        code: 'customer_unknown',
      });
  });
});

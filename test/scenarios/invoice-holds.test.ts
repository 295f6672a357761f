/** Stopped means stopped: nothing brings an invoice back but a new instruction after a person released it. */
import { accepts, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { say } from '../support/operate.ts';
import {
  actionsOf,
  chargesOf,
  instruct,
  instructionOf,
  payCalls,
  statusOf,
  storyOf,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { type ByName, emailsTo, failTogether } from './fail-together.ts';

/** Each test has its own of them, whose payment failed when the others' did. */
const PAYERS = [
  ...['stopped', 'released', 'disputed', 'canceled', 'user_forgiven', 'subscription_paused'],
  ...['exhausted', 'voided'],
] as const;
let world: World;
let failed: ByName<(typeof PAYERS)[number]>;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
  const cards = PAYERS.map((name) => [
    name,
    declinesTimes(1, 'insufficient_funds', {}, { fingerprint: `fp_${name}` }),
  ]);
  failed = await failTogether<string>(world, Object.fromEntries(cards));
});
afterAll(() => world?.stop());

const stop = (invoice: string) => say(world, 'stop', { invoice }, 'the customer called');
const release = (invoice: string) => say(world, 'release', { invoice }, 'the customer called');

test('an operator stops an invoice: neither what is planned, nor a new instruction, nor a new card restarts it', async () => {
  const { invoiceId, customerId } = failed('stopped');
  await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 2 }));
  expect(await stop(invoiceId)).toMatchObject({ code: 0, text: expect.stringContaining('(1 planned') });
  expect(await stop(invoiceId)).toMatchObject({ code: 3, text: expect.stringContaining('nothing changed') });
  await world.advance({ days: 3 });

  for (const suggestion of ['RETRY', 'CARD_CHANGE']) {
    const requestId = await instruct(world, invoiceId, suggestion);
    const reason = { code: 'stopped_by_person', note: 'the customer called' };
    expect(await instructionOf(world, requestId)).toEqual({ state: 'no_action', reason });
  }
  world.sandbox.changeDefaultCard(customerId, accepts());
  await world.settle();
  await world.advance({ days: 1 });

  expect(payCalls(world, invoiceId)).toEqual([]);
  expect(emailsTo(world, 'stopped')).toEqual([]);
  expect((await actionsOf(world, invoiceId)).map(({ state }) => state)).not.toContain('scheduled');
});

test('released, the next instruction is followed, and an old one is not', async () => {
  const { invoiceId } = failed('released');
  await world.advance({ hours: 25 });
  await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 1 }));
  await stop(invoiceId);
  expect((await release(invoiceId)).code).toBe(0);
  await world.advance({ days: 1 });
  expect(payCalls(world, invoiceId)).toEqual([]);

  await instruct(world, invoiceId, 'RETRY');
  await world.settle();
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(await storyOf(world, invoiceId)).toEqual(
    expect.arrayContaining(['operator.stopped', 'operator.released', 'attempt.paid']),
  );
});

test('a disputed invoice and one of a canceled subscription stay closed until a person releases them, and what was asked before does not happen then', async () => {
  const [disputed, canceled] = [failed('disputed'), failed('canceled')];
  const both = [disputed, canceled];
  await world.advance({ hours: 25 });
  world.sandbox.cancelSubscription(canceled.subscriptionId);
  await world.query(
    `insert into payment_retry.disputes values ('own', 'dp_1', $1, 'general', 'needs_response', 2000, $2)`,
    [disputed.invoiceId, world.clock.now().toISO()],
  );
  await world.settle();
  const reasons = async () =>
    Promise.all(both.map(async ({ invoiceId }) => (await actionsOf(world, invoiceId)).at(-1)?.reason));
  for (const { invoiceId } of both) await instruct(world, invoiceId, 'RETRY');
  expect(await reasons()).toMatchObject([
    { code: 'disputed' },
    { code: 'subscription_status', status: 'canceled' },
  ]);
  for (const { invoiceId, customerId } of both) {
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 1 }));
    world.sandbox.changeDefaultCard(customerId, accepts({ fingerprint: `new${customerId}` }));
  }
  await world.advance({ minutes: 1 });
  for (const { invoiceId } of both) await release(invoiceId);
  await world.advance({ days: 2 });
  for (const { invoiceId } of both) {
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect((await actionsOf(world, invoiceId)).map(({ reason }) => reason)).toContainEqual({
      code: 'planned_before_release',
    });
    await instruct(world, invoiceId, 'RETRY');
    expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  }
});

test('a forgiven or written-off invoice is neither charged nor emailed about, whoever asks, until a person releases it', async () => {
  const all = (['user_forgiven', 'subscription_paused'] as const).map((stripeReason) => ({
    ...failed(stripeReason),
    stripeReason,
  }));
  for (const { invoiceId, stripeReason } of all) {
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 2 }));
    world.sandbox.markUncollectible(invoiceId, stripeReason);
  }
  await world.settle();
  for (const { invoiceId } of all)
    expect(await actionsOf(world, invoiceId)).toMatchObject([
      { state: 'closed', reason: { code: 'invoice_ended', status: 'uncollectible' } },
    ]);
  await world.advance({ days: 3 });
  for (const { invoiceId, customerId, stripeReason } of all) {
    for (const suggestion of ['RETRY', 'CARD_CHANGE', 'CARD_CONFIRMATION']) {
      await instruct(world, invoiceId, suggestion);
      expect((await actionsOf(world, invoiceId)).at(-1)).toMatchObject({
        state: 'closed',
        reason: { code: 'written_off', stripeReason },
      });
    }
    world.sandbox.changeDefaultCard(customerId, accepts({ fingerprint: `new${customerId}` }));
  }
  await world.advance({ days: 1 });
  for (const { invoiceId, stripeReason } of all) {
    expect([payCalls(world, invoiceId), emailsTo(world, stripeReason)]).toEqual([[], []]);
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 1 }));
    await release(invoiceId);
  }
  await world.advance({ days: 2 });
  for (const { invoiceId } of all) {
    expect(payCalls(world, invoiceId)).toEqual([]);
    await instruct(world, invoiceId, 'RETRY');
    expect(statusOf(world, invoiceId)).toBe('paid');
  }
});

test('an invoice for which only Stripe has run out of attempts is still collected as the service says, also after a change of its description', async () => {
  const { invoiceId } = failed('exhausted');
  world.sandbox.markUncollectible(invoiceId, 'max_payment_attempts');
  await world.advance({ days: 1 });
  await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 2 }));
  await world.advance({ hours: 1 });
  const changed = await fetch(`${world.sandbox.url}/v1/invoices/${invoiceId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.sandbox.secretKey}` },
    body: new URLSearchParams({ description: 'March' }),
  });
  expect(changed.status).toBe(200);
  await world.advance({ days: 3 });
  expect(statusOf(world, invoiceId)).toBe('paid');
});

test('a void invoice stays so, whoever asks and whatever is released', async () => {
  const { invoiceId, customerId } = failed('voided');
  await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 2 }));
  world.sandbox.voidInvoice(invoiceId);
  await world.settle();
  await release(invoiceId);
  const requestId = await instruct(world, invoiceId, 'RETRY');
  expect(await instructionOf(world, requestId)).toEqual({
    state: 'no_action',
    reason: { code: 'invoice_settled', invoiceId, status: 'void' },
  });
  world.sandbox.changeDefaultCard(customerId, accepts());
  await world.advance({ days: 4 });
  expect([payCalls(world, invoiceId), emailsTo(world, 'voided')]).toEqual([[], []]);
});

test('an invoice that nobody knows is not stopped by a slip of the pen', async () => {
  expect(await stop('in_unknown')).toEqual({ code: 1, text: 'nothing is known about in_unknown' });
  expect((await release('in_unknown')).code).toBe(1);
});

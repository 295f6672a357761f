/** A failed invoice on its way to being paid, with the embedded service and Stripe's own retries off. */

import {
  acceptsFirst,
  declines,
  declinesTimes,
  pendingThen,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import {
  actionsOf,
  attemptsOf,
  chargesOf,
  failingInvoice,
  payCalls,
  renew,
  statusOf,
  storyOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

test('a failed invoice is paid at the instructed time', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  const [action] = await actionsOf(world, invoiceId);
  expect(action).toMatchObject({ kind: 'pay', state: 'scheduled' });
  const dueAt = action?.dueAt.toMillis() ?? 0;
  await world.advance({ milliseconds: dueAt - world.clock.now().toMillis() - 1 });
  expect(payCalls(world, invoiceId)).toEqual([]);
  await world.advance({ milliseconds: 1 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  expect(await attemptsOf(world, invoiceId)).toMatchObject([
    { source: 'stripe', outcome: 'declined', calls: 0 },
    { source: 'ours', outcome: 'paid', calls: 1 },
  ]);
  expect(await storyOf(world, invoiceId)).toEqual([
    'instruction.scheduled',
    'attempt.started',
    'attempt.paid',
  ]);
});

test('a declined retry leads to the next instruction, until the invoice is paid', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(3, 'insufficient_funds'));
  await world.advance({ days: 25 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'failed', 'failed', 'succeeded']);
  const declined = { code: 'attempt_ended', outcome: 'declined', declineCode: 'insufficient_funds' };
  expect(await actionsOf(world, invoiceId)).toMatchObject([
    { kind: 'pay', state: 'done', reason: declined },
    { kind: 'pay', state: 'done', reason: declined },
    { kind: 'pay', state: 'done', reason: { code: 'attempt_ended', outcome: 'paid' } },
    { kind: 'failure_notice_email', state: 'done', reason: { code: 'email_sent' } },
  ]);
});

test('an invoice that is paid elsewhere, disputed, or whose subscription is canceled or paused is closed and not charged again', async () => {
  const short = (fingerprint: string) => ({
    paymentMethod: declinesTimes(1, 'insufficient_funds', {}, { fingerprint }),
  });
  const [elsewhere, canceled, paused, disputed] = await failList(world, [
    short('fp_elsewhere'),
    short('fp_canceled'),
    short('fp_paused'),
    short('fp_disputed'),
  ]);
  world.sandbox.payAsCustomer(disputed.invoiceId);
  const [charge] = world.sandbox.state.charges.newestFirst();
  world.sandbox.payOutOfBand(elsewhere.invoiceId);
  world.sandbox.cancelSubscription(canceled.subscriptionId);
  world.sandbox.pauseCollection(paused.subscriptionId, { behavior: 'keep_as_draft' });
  await world.settle();
  world.sandbox.disputeCharge(charge?.id ?? '');
  await world.settle();
  expect(await actionsOf(world, elsewhere.invoiceId)).toMatchObject([
    { state: 'closed', reason: { code: 'invoice_ended', status: 'paid' } },
  ]);
  expect(await actionsOf(world, canceled.invoiceId)).toMatchObject([
    { state: 'closed', reason: { code: 'subscription_canceled', subscriptionId: canceled.subscriptionId } },
  ]);
  const [event] = await world.query<{ results: object[] }>(
    `select results from payment_retry.events where type = 'charge.dispute.created'`,
  );
  expect(event?.results).toContainEqual({ code: 'collection_stopped', invoiceId: disputed.invoiceId });
  await world.advance({ days: 20 });
  const [action] = await actionsOf(world, paused.invoiceId);
  expect(action).toMatchObject({
    state: 'closed',
    reason: { code: 'collection_paused', subscriptionId: paused.subscriptionId },
  });
  for (const { invoiceId } of [elsewhere, canceled, paused, disputed])
    expect(payCalls(world, invoiceId)).toEqual([]);
});

test('a hard decline asks for another card, again three days later, and is not retried', async () => {
  const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('stolen_card')));
  await world.advance({ days: 5 });
  expect(payCalls(world, invoiceId)).toEqual([]);
  const sent = {
    kind: 'card_update_email',
    state: 'done',
    reason: { code: 'email_sent', template: 'card_update' },
  };
  expect(await actionsOf(world, invoiceId)).toMatchObject([sent, sent]);
  expect(world.email.emails).toHaveLength(2);
});

describe('a bank debit', () => {
  test('a bank debit that settles days later closes the case', async () => {
    const { subscriptionId } = await subscribe(world, pendingThen('succeed'));
    await world.advance({ days: 5 });
    const invoiceId = await renew(world, subscriptionId);
    await world.advance({ days: 5 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(await attemptsOf(world, invoiceId)).toMatchObject([{ source: 'stripe', outcome: 'paid' }]);
    expect(await actionsOf(world, invoiceId)).toEqual([]);
  });

  test('a bank debit that we asked for is pending until the bank has answered, and no other attempt is made meanwhile', async () => {
    const { customerId, invoiceId } = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    await world.advance({ hours: 1 });
    world.sandbox.changeDefaultCard(customerId, pendingThen('succeed'));
    await world.settle();
    expect((await attemptsOf(world, invoiceId)).map(({ source, outcome }) => [source, outcome])).toEqual([
      ['stripe', 'declined'],
      ['ours', 'pending'],
    ]);
    await world.advance({ days: 5 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    expect((await attemptsOf(world, invoiceId)).map(({ source, outcome }) => [source, outcome])).toEqual([
      ['stripe', 'declined'],
      ['ours', 'paid'],
    ]);
  });

  inFull('a bank debit that fails days later is retried within the limits of its scheme', async () => {
    const { subscriptionId } = await subscribe(world, pendingThen('fail'));
    await world.advance({ days: 5 });
    const [first] = world.sandbox.state.invoices.newestFirst({ index: 'subscription', key: subscriptionId });
    const invoiceId = first?.id ?? '';
    await world.advance({ days: 40 });
    const attempts = await attemptsOf(world, invoiceId);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(attempts.map(() => 'declined'));
    expect(attempts.length).toBeGreaterThan(1);
    expect(attempts.length).toBeLessThanOrEqual(3);
  });
});

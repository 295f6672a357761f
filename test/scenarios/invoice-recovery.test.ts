/** A failed invoice on its way to being paid, with the embedded service and Stripe's own retries off. */

import type { DateTime } from 'luxon';
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
  payCalls,
  renew,
  statusOf,
  storyOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { type ByName, emailsTo, failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

describe('of invoices that failed at one time', () => {
  const short = (times: number, last4: string) => declinesTimes(times, 'insufficient_funds', {}, { last4 });
  const CARDS = {
    ...{ timed: short(1, '1001'), thrice: short(3, '1002'), debited: short(9, '1003') },
    ...{ elsewhere: short(1, '1004'), canceled: short(1, '1005') },
    ...{ paused: short(1, '1006'), disputed: short(1, '1007') },
    stolen: acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' })),
  };
  let start: DateTime;
  let failed: ByName<keyof typeof CARDS>;
  let atOnce: Awaited<ReturnType<typeof actionsOf>>[];
  beforeAll(async () => {
    const { sandbox } = world;
    start = world.clock.now();
    failed = await failTogether(world, CARDS);
    sandbox.payAsCustomer(failed('disputed').invoiceId);
    const [charge] = sandbox.state.charges.newestFirst();
    sandbox.payOutOfBand(failed('elsewhere').invoiceId);
    sandbox.cancelSubscription(failed('canceled').subscriptionId);
    sandbox.pauseCollection(failed('paused').subscriptionId, { behavior: 'keep_as_draft' });
    await world.settle();
    atOnce = [
      await actionsOf(world, failed('elsewhere').invoiceId),
      await actionsOf(world, failed('canceled').invoiceId),
    ];
    sandbox.disputeCharge(charge?.id ?? '');
    await world.advance({ hours: 1 });
    sandbox.changeDefaultCard(failed('debited').customerId, pendingThen('succeed'));
    await world.settle();
  });
  afterAll(() => world.reset());
  const until = (days: number) => world.advance(start.plus({ days }).diff(world.clock.now()));

  test('an invoice that is paid elsewhere, or whose subscription is canceled, is closed at once', async () => {
    const { subscriptionId } = failed('canceled');
    expect(atOnce).toMatchObject([
      [{ state: 'closed', reason: { code: 'invoice_ended', status: 'paid' } }],
      [{ state: 'closed', reason: { code: 'subscription_canceled', subscriptionId } }],
    ]);
    const [event] = await world.query<{ results: object[] }>(
      `select results from payment_retry.events where type = 'charge.dispute.created'`,
    );
    expect(event?.results).toContainEqual({
      code: 'collection_stopped',
      invoiceId: failed('disputed').invoiceId,
    });
  });

  test('a failed invoice is paid at the instructed time', async () => {
    const { invoiceId } = failed('timed');
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

  test('a bank debit that we asked for is pending until the bank has answered, and no other attempt is made meanwhile', async () => {
    const { invoiceId } = failed('debited');
    const outcomes = async () =>
      (await attemptsOf(world, invoiceId)).map(({ source, outcome }) => [source, outcome]);
    expect(await outcomes()).toEqual([
      ['stripe', 'declined'],
      ['ours', 'pending'],
    ]);
    await until(5.1);
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    expect(await outcomes()).toEqual([
      ['stripe', 'declined'],
      ['ours', 'paid'],
    ]);
  });

  test('a hard decline asks for another card, again three days later, and is not retried', async () => {
    const { invoiceId } = failed('stolen');
    await until(5.1);
    expect(payCalls(world, invoiceId)).toEqual([]);
    const sent = {
      kind: 'card_update_email',
      state: 'done',
      reason: { code: 'email_sent', template: 'card_update' },
    };
    expect(await actionsOf(world, invoiceId)).toMatchObject([sent, sent]);
    expect(emailsTo(world, 'stolen')).toHaveLength(2);
  });

  test('a declined retry leads to the next instruction, until the invoice is paid', async () => {
    const { invoiceId } = failed('thrice');
    await until(25);
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

  test('an invoice that is paid elsewhere, disputed, or whose subscription is canceled or paused is not charged again', async () => {
    const { subscriptionId, invoiceId } = failed('paused');
    await until(25);
    const [action] = await actionsOf(world, invoiceId);
    expect(action).toMatchObject({ state: 'closed', reason: { code: 'collection_paused', subscriptionId } });
    for (const name of ['elsewhere', 'canceled', 'paused', 'disputed'] as const)
      expect([name, payCalls(world, failed(name).invoiceId)]).toEqual([name, []]);
  });
});

describe('a bank debit', () => {
  afterEach(() => world.reset());

  test('a bank debit that settles days later closes the case', async () => {
    const { subscriptionId } = await subscribe(world, pendingThen('succeed'));
    await world.advance({ days: 5 });
    const invoiceId = await renew(world, subscriptionId);
    await world.advance({ days: 5 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(await attemptsOf(world, invoiceId)).toMatchObject([{ source: 'stripe', outcome: 'paid' }]);
    expect(await actionsOf(world, invoiceId)).toEqual([]);
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

/** Stripe fails in the middle of `pay`: the invoice is charged exactly once and the outcome becomes known. */
import { reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import type { ApiFault } from '../../src/workbench/sandbox/api/api-faults.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { firstOf, inFull } from '../support/runner/full-run.ts';
import {
  actionsOf,
  attemptsOf,
  chargesOf,
  failingInvoice,
  instruct,
  payCalls,
  renew,
  statusOf,
  storyOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import type { FailedSubscriber } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

/** Cards that differ, so that what one answers says nothing of another. */
const short = (name: string, times = 1) => ({
  mailbox: name,
  paymentMethod: declinesTimes(times, 'insufficient_funds', {}, { fingerprint: name }),
});
const failAtPay = (invoiceId: string, fault: ApiFault, times: number) =>
  world.sandbox.faults.next('POST', `/invoices/${invoiceId}/pay`, fault, times);
const status = () => reportStatus(world.plugin.parts.database, {}, world.clock.now());

const keysOf = (invoiceId: string) => new Set(payCalls(world, invoiceId).map((call) => call.idempotencyKey));

const FAULTS: readonly ApiFault[] = [
  'rate_limit',
  'lock_timeout',
  'conflict',
  'server_error_before',
  'drop_before',
  'drop_after',
];

test.each(firstOf(1, [3, 1]))(
  'after a Stripe fault during pay, %d time(s), an invoice is charged once, under one key, and settled as paid',
  async (times) => {
    const payers = await failList(
      world,
      FAULTS.map((fault) => ({ fault, ...short(fault) })),
      'older',
    );
    const later = world.clock.now().plus({ hours: 25 });
    for (const { fault, invoiceId } of payers) {
      await instruct(world, invoiceId, 'RETRY', later);
      failAtPay(invoiceId, fault, times);
    }
    await world.advance({ hours: 30 });
    for (const { fault, invoiceId } of payers) {
      expect([fault, statusOf(world, invoiceId)]).toEqual([fault, 'paid']);
      expect([fault, chargesOf(world, invoiceId)]).toEqual([fault, ['failed', 'succeeded']]);
      expect([fault, payCalls(world, invoiceId).length > 1, keysOf(invoiceId).size]).toEqual([
        fault,
        true,
        1,
      ]);
      const attempts = await attemptsOf(world, invoiceId);
      expect([fault, ...attempts.map(({ source, outcome }) => `${source} ${outcome}`)]).toEqual([
        fault,
        'stripe declined',
        'ours paid',
      ]);
      expect([fault, await actionsOf(world, invoiceId)]).toMatchObject([fault, [{ state: 'done' }]]);
    }
  },
);

test('a key refused at the payment, or at the reading before it: nothing is lost, a person is told, and it goes on by itself', async () => {
  const [reading, paying] = await failList(world, [short('reading'), short('paying')], 'older');
  await world.advance({ hours: 25 });
  for (const [{ invoiceId }, method, path, right] of [
    [reading, 'GET', '', 'read'],
    [paying, 'POST', '/pay', 'write'],
  ] as const) {
    world.sandbox.faults.next(method, `/invoices/${invoiceId}${path}`, 'permission_denied', 3);
    await instruct(world, invoiceId, 'RETRY');
    const refused = await status();
    expect(refused.code).toBe(1);
    expect(refused.text).toContain(
      `account own: 1 action(s), Stripe refused the key: it lacks the permission Invoices (${right})`,
    );
    await world.advance({ hours: 4 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
    expect(keysOf(invoiceId).size).toBe(1);
    expect((await status()).code).toBe(0);
  }
});

test('a key that may not read charges: events wait with the permission’s name, and go on by themselves', async () => {
  const { subscriptionId } = await subscribe(world, declinesTimes(1, 'insufficient_funds'));
  world.sandbox.faults.next('GET', '/charges', 'permission_denied', 100_000);
  const invoiceId = await renew(world, subscriptionId);
  // A job that failed so often would be dead after two hours.
  await world.advance({ minutes: 150 });
  const refused = await status();
  expect(refused.text).toMatch(
    /account own: \d+ event\(s\), Stripe refused the key: it lacks the permission Charges \(read\)/,
  );
  expect([refused.code, refused.text]).toEqual([1, expect.not.stringContaining('Dead events')]);
  expect(await attemptsOf(world, invoiceId)).toEqual([]);
  world.sandbox.faults.clear();
  await world.advance({ minutes: 11 });
  expect(await attemptsOf(world, invoiceId)).toMatchObject([{ source: 'stripe', outcome: 'declined' }]);
  expect((await status()).code).toBe(0);
});

test('what became of a call is settled by reading: an unheard decline counts once, a stored 500 is tried anew under another key, none is paid twice, no charge of Stripe’s own is taken for ours, and a Stripe that is away only delays', async () => {
  const [unheard, stored, between, paid, away] = await failList(
    world,
    [short('unheard', 2), short('stored'), short('between', 3), short('paid'), short('away')],
    'older',
  );
  const due = world.clock.now().plus({ hours: 25 });
  for (const [{ invoiceId }, fault, times] of [
    [unheard, 'drop_after', 1],
    [stored, 'server_error', 1],
    [between, 'server_error', 1],
    [paid, 'server_error_before', 1],
    [away, 'server_error_before', 12],
  ] as const) {
    await instruct(world, invoiceId, 'RETRY', due);
    failAtPay(invoiceId, fault, times);
  }
  await world.clock.set(due);
  await world.settle();
  expect(() => world.sandbox.payAsMerchant(between.invoiceId)).toThrow();
  expect(await storyOf(world, paid.invoiceId)).toContain('attempt.unknown');
  world.sandbox.payOutOfBand(paid.invoiceId);
  await world.advance({ days: 1, hours: 5 });

  const attempts = async ({ invoiceId }: FailedSubscriber) =>
    (await attemptsOf(world, invoiceId)).map(({ source, outcome }) => `${source} ${outcome}`);
  const charges = ({ invoiceId }: FailedSubscriber) => chargesOf(world, invoiceId);
  expect([charges(unheard), keysOf(unheard.invoiceId).size]).toEqual([['failed', 'failed'], 1]);
  expect(await attempts(unheard)).toEqual(['stripe declined', 'ours declined']);

  expect([charges(stored), keysOf(stored.invoiceId).size]).toEqual([['failed', 'succeeded'], 2]);
  expect(await attempts(stored)).toEqual(['stripe declined', 'ours not_executed', 'ours paid']);
  const story = await storyOf(world, stored.invoiceId);
  expect(story.filter((kind) => kind === 'attempt.unknown').length).toBeGreaterThan(1);
  expect(story.slice(-4)).toEqual([
    'attempt.not_executed',
    'guard.postponed',
    'attempt.started',
    'attempt.paid',
  ]);

  expect(charges(between)).toEqual(['failed', 'failed', 'failed']);
  // Ours is made an hour after Stripe's, under a key of its own.
  expect((await attempts(between)).sort()).toEqual([
    'ours declined',
    'ours not_executed',
    'stripe declined',
    'stripe declined',
  ]);

  expect([charges(paid), payCalls(world, paid.invoiceId).length]).toEqual([['failed'], 1]);
  expect([statusOf(world, away.invoiceId), charges(away)]).toEqual(['paid', ['failed', 'succeeded']]);
});

inFull('reads that fail before the attempt are repeated until it can be made', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
  world.sandbox.faults.next('GET', `/invoices/${invoiceId}`, 'server_error_before', 12);
  await world.advance({ hours: 30 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
});

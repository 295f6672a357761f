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

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

async function retryWith(fault: ApiFault, times: number, declines = 1): Promise<string> {
  const { invoiceId } = await failingInvoice(world, declinesTimes(declines, 'insufficient_funds'));
  await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
  world.sandbox.faults.next('POST', `/invoices/${invoiceId}/pay`, fault, times);
  await world.advance({ hours: 30 });
  return invoiceId;
}

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
      FAULTS.map((fault) => {
        const paymentMethod = declinesTimes(1, 'insufficient_funds', {}, { fingerprint: fault });
        return { fault, paymentMethod };
      }),
    );
    const later = world.clock.now().plus({ hours: 25 });
    for (const { fault, invoiceId } of payers) {
      await instruct(world, invoiceId, 'RETRY', later);
      world.sandbox.faults.next('POST', `/invoices/${invoiceId}/pay`, fault, times);
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

test.each([
  ['POST', (id: string) => `/invoices/${id}/pay`],
  ['GET', (id: string) => `/invoices/${id}`],
] as const)(
  'a key refused at %s: nothing is lost, a person is told, and it goes on by itself',
  async (method, path) => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    await world.advance({ hours: 25 });
    world.sandbox.faults.next(method, path(invoiceId), 'permission_denied', 3);
    await instruct(world, invoiceId, 'RETRY');
    const status = () => reportStatus(world.plugin.parts.database, {}, world.clock.now());
    const refused = await status();
    expect(refused.code).toBe(1);
    const permission = `Invoices (${method === 'GET' ? 'read' : 'write'})`;
    expect(refused.text).toContain(
      `account own: 1 action(s), Stripe refused the key: it lacks the permission ${permission}`,
    );
    await world.advance({ hours: 4 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
    expect(keysOf(invoiceId).size).toBe(1);
    expect((await status()).code).toBe(0);
  },
);

test('a key that may not read charges: events wait with the permission’s name, and go on by themselves', async () => {
  const { subscriptionId } = await subscribe(world, declinesTimes(1, 'insufficient_funds'));
  world.sandbox.faults.next('GET', '/charges', 'permission_denied', 100_000);
  const invoiceId = await renew(world, subscriptionId);
  // A job that failed so often would be dead after two hours.
  await world.advance({ hours: 6 });
  const status = () => reportStatus(world.plugin.parts.database, {}, world.clock.now());
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

test('a charge of Stripe’s own that comes between is not taken for ours', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(3, 'insufficient_funds'));
  await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
  world.sandbox.faults.next('POST', `/invoices/${invoiceId}/pay`, 'server_error', 1);
  await world.clock.set(world.clock.now().plus({ hours: 25 }));
  await world.settle();
  expect(() => world.sandbox.payAsMerchant(invoiceId)).toThrow();
  await world.advance({ hours: 3 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'failed', 'failed']);
  const attempts = (await attemptsOf(world, invoiceId)).map(({ source, outcome }) => `${source} ${outcome}`);
  // Ours is made an hour after Stripe's, under a key of its own.
  expect(attempts.sort()).toEqual([
    'ours declined',
    'ours not_executed',
    'stripe declined',
    'stripe declined',
  ]);
});

test('a decline whose answer is lost is recorded once, as a decline', async () => {
  const invoiceId = await retryWith('drop_after', 1, 2);
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'failed']);
  expect(keysOf(invoiceId).size).toBe(1);
  expect((await attemptsOf(world, invoiceId)).map(({ source, outcome }) => [source, outcome])).toEqual([
    ['stripe', 'declined'],
    ['ours', 'declined'],
  ]);
});

test('a stored 500 is settled by reading, and the attempt is made anew under another key', async () => {
  const invoiceId = await retryWith('server_error', 1);
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  expect(keysOf(invoiceId).size).toBe(2);
  expect((await attemptsOf(world, invoiceId)).map(({ outcome }) => outcome)).toEqual([
    'declined',
    'not_executed',
    'paid',
  ]);
  const story = await storyOf(world, invoiceId);
  expect(story.filter((kind) => kind === 'attempt.unknown').length).toBeGreaterThan(1);
  expect(story.slice(-4)).toEqual([
    'attempt.not_executed',
    'guard.postponed',
    'attempt.started',
    'attempt.paid',
  ]);
});

test('an invoice whose payment was lost on the way, and that is paid meanwhile, is not paid again', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
  world.sandbox.faults.next('POST', `/invoices/${invoiceId}/pay`, 'server_error_before', 1);
  await world.clock.set(world.clock.now().plus({ hours: 25 }));
  await world.settle();
  expect(await storyOf(world, invoiceId)).toContain('attempt.unknown');
  world.sandbox.payOutOfBand(invoiceId);
  await world.advance({ hours: 2 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  expect(payCalls(world, invoiceId)).toHaveLength(1);
});

test('Stripe that is away for hours delays the attempt and does not multiply it', async () => {
  const invoiceId = await retryWith('server_error_before', 12);
  await world.advance({ days: 1 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
});

inFull('reads that fail before the attempt are repeated until it can be made', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
  world.sandbox.faults.next('GET', `/invoices/${invoiceId}`, 'server_error_before', 12);
  await world.advance({ hours: 30 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
});

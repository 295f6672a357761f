/** The retry service is away, slow or picky. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { accepts } from '../../src/workbench/sandbox/payment-behaviour.ts';
import type { IngestRequest } from '../support/http/recording-service.ts';
import { subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { startOtherwise } from './start-otherwise.ts';

const settings: OwnOptions = {};
let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true, plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

function describeIt(subscriptionId: string, description: string): void {
  world.sandbox.updateSubscription(subscriptionId, { metadata: { business_entity: description } });
}

const entityOf = (subscriptionId: string) => world.service.view.get(subscriptionId)?.businessEntity;
const carries = (id: string) => (request: IngestRequest) =>
  request.records.some((record) => record.id === id);

test('a service that is down for an hour gets everything afterwards, after growing pauses', async () => {
  const { subscriptionId } = await subscribe(world, accepts());
  const before = world.service.requests.length;
  world.service.isDown = true;
  const began = world.clock.now();
  for (let minute = 0; minute < 60; minute += 10) {
    describeIt(subscriptionId, `Entity ${minute}`);
    await world.advance({ minutes: 10 });
  }
  // A kept connection that breaks is asked again at once on a new one: both are one try.
  const tries = [...new Set(world.service.requests.slice(before).map(({ at }) => at.toMillis()))];
  const waits = tries.slice(1).map((at, index) => at - (tries[index] ?? at));
  // Half of each pause is fixed, half is jitter: the n-th is at least half of 2^n seconds, and 150 s in the end.
  for (const [failures, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(Math.min(1000 * 2 ** failures, 300_000) / 2);
    expect(wait).toBeLessThanOrEqual(300_001);
  }
  expect(tries.length).toBeGreaterThan(10);
  expect(tries.length).toBeLessThan(40);
  expect(began.plus({ hours: 1 })).toEqual(world.clock.now());

  world.service.isDown = false;
  const late = await subscribe(world, accepts());
  await world.advance({ minutes: 6 });
  expect(entityOf(subscriptionId)).toBe('Entity 50');
  expect(world.service.view.has(late.subscriptionId)).toBe(true);
  const times = world.service.versionsOf(subscriptionId).map(({ updatedAt }) => Date.parse(updatedAt));
  expect(times).toEqual([...times].sort((left, right) => left - right));
});

test('nothing is sent while a pause lasts, whatever happens meanwhile', async () => {
  const { subscriptionId } = await subscribe(world, accepts());
  await world.advance({ minutes: 1 });
  world.service.answer = () => ({ status: 503, headers: { 'retry-after': '600' } });
  describeIt(subscriptionId, 'First');
  await world.settle();
  const sent = world.service.requests.length;
  for (const entity of ['Second', 'Third']) {
    await world.advance({ minutes: 4 });
    describeIt(subscriptionId, entity);
    await world.settle();
  }
  await world.advance({ seconds: 119 });
  expect(world.service.requests).toHaveLength(sent);
  world.service.answer = () => undefined;
  await world.advance({ seconds: 2 });
  expect(world.service.requests).toHaveLength(sent + 1);
  expect(entityOf(subscriptionId)).toBe('Third');
});

test.each([
  ['seconds', { 'retry-after': '90' }],
  ['a date', { date: 'Mon, 02 Mar 2026 10:00:00 GMT', 'retry-after': 'Mon, 02 Mar 2026 10:01:30 GMT' }],
])('Retry-After of a 429, given as %s, is honoured', async (_form, headers) => {
  world.service.answer = () => ({ status: 429, headers });
  const { subscriptionId } = await subscribe(world, accepts());
  expect(world.service.requests.map(({ status }) => status)).toEqual([429]);
  world.service.answer = () => undefined;
  await world.advance({ seconds: 89 });
  expect(world.service.requests).toHaveLength(1);
  await world.advance({ seconds: 1 });
  expect(world.service.requests.map(({ status }) => status)).toEqual([429, 200]);
  expect(world.service.view.has(subscriptionId)).toBe(true);
});

test('records refused with 400, 413 and 422 stand alone, the rest is delivered', async () => {
  const { id: price } = world.sandbox.createPrice();
  const { id: customer } = world.sandbox.createCustomer({ paymentMethod: accepts() });
  const ids = Array.from(
    { length: 9 },
    () => world.sandbox.createSubscription({ customer, items: [{ price }] }).id,
  );
  const bad = [400, 413, 422].map((status, index) => ({ status, id: ids[3 + index] ?? '' }));
  world.service.answer = (request) => bad.find(({ id }) => carries(id)(request));
  await world.settle();
  const isBad = (id: string) => bad.some((one) => one.id === id);
  expect([...world.service.view.keys()].sort()).toEqual(ids.filter((id) => !isBad(id)).sort());
  for (const { id, status } of bad) {
    const [row] = await world.query<{ answer: string }>(
      'select refused_answer as answer from payment_retry.subscriptions where id = $1',
      [id],
    );
    expect(row?.answer).toContain(String(status));
  }

  const sent = world.service.requests.length;
  await world.advance({ hours: 2 });
  expect(world.service.requests).toHaveLength(sent);
  world.service.answer = () => undefined;
  for (const { id } of bad) describeIt(id, 'Mended');
  await world.settle();
  expect(bad.map(({ id }) => entityOf(id))).toEqual(bad.map(() => 'Mended'));
  expect(world.service.requests).toHaveLength(sent + 1);
});

test('a service that takes only small batches gets them after it refused a large one', async () => {
  const { id: price } = world.sandbox.createPrice();
  const { id: customer } = world.sandbox.createCustomer({ paymentMethod: accepts() });
  const ids = Array.from(
    { length: 5 },
    () => world.sandbox.createSubscription({ customer, items: [{ price }] }).id,
  );
  world.service.answer = ({ records }) => (records.length > 2 ? { status: 413 } : undefined);
  await world.settle();
  expect([...world.service.view.keys()].sort()).toEqual(ids.sort());
});

test('an answer without a request id acknowledges as any other success', async () => {
  world.service.answer = () => ({ status: 204 });
  await subscribe(world, accepts());
  expect(world.service.requests).toHaveLength(1);
  await world.advance({ hours: 6 });
  expect(world.service.requests).toHaveLength(1);
  const [row] = await world.query(
    'select delivered_version = version as is_delivered, delivered_request as request from payment_retry.subscriptions',
  );
  expect(row).toEqual({ isDelivered: true, request: null });
});

describe('a service that takes all kinds but one', () => {
  beforeAll(() => startOtherwise(world, settings, { forwardInvoices: true, forwardTransactions: true }));

  test.each(['subscriptions', 'invoices'] as const)(
    'a service that fails for %s gets the other kinds at once, and these with growing pauses',
    async (kind) => {
      const { service } = world;
      service.answer = (request) => (request.kind === kind ? { status: 404 } : undefined);
      const { subscriptionId } = await subscribe(world, accepts());
      const taken = () =>
        service.requests.filter(({ status }) => status === 200).map((request) => request.kind);
      const others = ['subscriptions', 'invoices', 'transactions'].filter((one) => one !== kind);
      expect([...new Set(taken())]).toEqual(others);
      await world.advance({ minutes: 20 });
      expect(service.requests.filter((request) => request.kind === kind).length).toBeLessThan(20);
      world.sandbox.updateSubscription(subscriptionId, { metadata: { business_entity: 'Later' } });
      await world.settle();
      service.answer = () => undefined;
      await world.advance({ minutes: 6 });
      expect(service.view.get(subscriptionId)?.businessEntity).toBe('Later');
      expect([...new Set(taken())].sort()).toEqual(['invoices', 'subscriptions', 'transactions']);
    },
  );
});

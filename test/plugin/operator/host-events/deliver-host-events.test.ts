/** What the application around, and an address, are told. */
import { createHmac } from 'node:crypto';
import { silentLogger } from '../../../../src/core/base/logger.ts';
import { createHostEventDelivery } from '../../../../src/plugin/operator/host-events/deliver-host-events.ts';
import type { HostEvent } from '../../../../src/plugin/operator/host-events/host-event.ts';
import { readWorkStatus } from '../../../../src/plugin/store/reports/work-status.ts';
import { openChannels } from '../../../../src/plugin/store/tables/host-events.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import { startReceiver } from '../../../support/http/event-receiver.ts';
import { callBack, failingInvoice, instruct } from '../../../support/scenario.ts';
import { createWorld, type World } from '../../../support/world.ts';

const SECRET = `whsec_${Buffer.from('a-secret-of-thirty-two-bytes-abc').toString('base64')}`;

const told: HostEvent[] = [];
let failures = 0;
const take = (event: HostEvent) => {
  if (failures > 0) {
    failures -= 1;
    throw new Error('the application is busy');
  }
  told.push(event);
};

let world: World;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
  world = await createWorld({
    isRemote: true,
    plugin: {
      retryMode: 'exclusive',
      afterGivingUp: 'leave',
      on: {
        attempted: take,
        recovered: take,
        emailed: take,
        gaveUp: take,
        needsAttention: take,
        accessEnds: take,
        accessRestored: take,
      },
      eventsUrl: receiver.url,
      eventsSecret: SECRET,
    },
  });
});
afterAll(async () => {
  await world?.stop();
  await receiver?.stop();
});
afterEach(async () => {
  await world.reset();
  await listen();
  told.length = 0;
  receiver.received.length = 0;
  receiver.status = 200;
});

/** As the start of the process does. */
const listen = () => openChannels(world.plugin.parts.database, ['host', 'webhook'], world.clock.now());

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type);

test('an attempt, a recovery and an email are sent to handlers and as signed webhooks, with the same content', async () => {
  const { invoiceId, customerId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await world.advance({ hours: 25 });
  await instruct(world, invoiceId, 'RETRY');
  const emailed = await failingInvoice(world, acceptsFirst(1, declines('stolen_card')));
  await instruct(world, emailed.invoiceId, 'CARD_CHANGE');
  await world.advance({ hours: 5 });
  expect(typesOf(told).sort()).toEqual(['attempted', 'emailed', 'recovered']);
  expect(told.find(({ type }) => type === 'attempted')).toMatchObject({
    account: 'own',
    invoice: invoiceId,
    data: { outcome: 'paid' },
  });
  expect(told.find(({ type }) => type === 'recovered')).toMatchObject({
    invoice: invoiceId,
    data: { customer: customerId, currency: 'usd', amount: 2000 },
  });
  expect(told.find(({ type }) => type === 'emailed')).toMatchObject({ data: { template: 'card_update' } });

  expectSameWebhooks();
  for (const { headers, body } of receiver.received) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const key = Buffer.from(SECRET.slice(6), 'base64');
    const expected = createHmac('sha256', key).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
    expect(JSON.parse(body).id).toBe(headers['webhook-id']);
  }
});

function expectSameWebhooks(): void {
  const bodies = receiver.received.map(({ body }) => JSON.parse(body));
  expect(bodies).toHaveLength(told.length);
  expect(bodies).toEqual(expect.arrayContaining(JSON.parse(JSON.stringify(told))));
}

const brokeOnce = () => declinesTimes(1, 'insufficient_funds');
const broke = () => acceptsFirst(1, declines('insufficient_funds'));

test('the end of dunning, and of access with it, is reported once, with its reason', async () => {
  const { invoiceId, customerId } = await failingInvoice(world, broke());
  const end = { id: 'end_1', type: 'complete_dunning', created: 'now', data: { invoiceId } };
  await callBack(world, end);
  await callBack(world, { ...end, id: 'end_2' });
  await world.advance({ minutes: 5 });
  expect(told).toEqual([
    {
      id: expect.any(String),
      type: 'gaveUp',
      account: 'own',
      invoice: invoiceId,
      at: expect.any(String),
      data: { choice: 'leave', reason: { code: expect.any(String) } },
    },
    {
      id: expect.any(String),
      type: 'accessEnds',
      account: 'own',
      invoice: null,
      at: expect.any(String),
      data: { customer: customerId, reason: 'payment_failed' },
    },
  ]);
  expectSameWebhooks();
  told.length = 0;
  receiver.received.length = 0;
  world.sandbox.changeDefaultCard(customerId, accepts());
  world.sandbox.payAsCustomer(invoiceId);
  await world.advance({ minutes: 5 });
  expect(typesOf(told)).toEqual(expect.arrayContaining(['accessRestored', 'recovered']));
});

test('an email that cannot go out and a payment that waits for a person need attention, once each', async () => {
  const mute = await failingInvoice(world, acceptsFirst(1, declines('stolen_card')), { email: null });
  await instruct(world, mute.invoiceId, 'CARD_CHANGE');
  const { invoiceId, customerId } = await failingInvoice(world, broke());
  await world.clock.set(world.clock.now().plus({ days: 91 }));
  await world.settle();
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  await world.advance({ hours: 5 });
  expect(told.filter(({ type }) => type === 'needsAttention')).toMatchObject([
    {
      type: 'needsAttention',
      invoice: mute.invoiceId,
      data: { guard: 'recipient', reason: { code: 'no_address' } },
    },
    {
      type: 'needsAttention',
      invoice: invoiceId,
      data: { action: 'pay', reason: { code: 'invoice_too_old', days: 90 } },
    },
  ]);
  expectSameWebhooks();
});

test('a recovery is reported once though the failure becomes known after the payment', async () => {
  world.sandbox.webhookFaults.drop = 1;
  const { invoiceId } = await failingInvoice(world, brokeOnce());
  world.sandbox.webhookFaults.drop = 0;
  world.sandbox.payAsCustomer(invoiceId);
  await world.settle();
  const lost = `select 1 as one from payment_retry.events where type = 'invoice.payment_failed'`;
  expect(await world.query(lost)).toEqual([]);
  await world.advance({ days: 1 });
  expect(await world.query(lost)).toHaveLength(1);
  expect(told).toMatchObject([{ type: 'recovered', invoice: invoiceId, data: { amount: 2000 } }]);
  expectSameWebhooks();
});

test('a payment from before the first handler is reported to nobody', async () => {
  await world.query('delete from payment_retry.event_channels');
  const { invoiceId } = await failingInvoice(world, brokeOnce());
  world.sandbox.payAsCustomer(invoiceId);
  await world.settle();
  await world.advance({ minutes: 1 });
  await listen();
  await world.query('delete from payment_retry.failures');
  await world.query(
    `insert into payment_retry.failure_changes (account, invoice_id) values ('own', '${invoiceId}')`,
  );
  await world.advance({ minutes: 5 });
  expect(await world.query('select state from payment_retry.failures')).toEqual([{ state: 'recovered' }]);
  expect(told).toEqual([]);
});

test('a handler that throws and an address that refuses get again only what they missed', async () => {
  failures = 2;
  receiver.status = 503;
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await world.advance({ hours: 25 });
  await instruct(world, invoiceId, 'RETRY');
  await world.settle();
  expect(told).toEqual([]);
  expect(receiver.received.length).toBeGreaterThan(0);
  receiver.status = 200;
  await world.advance({ hours: 1 });
  await world.settle();
  expect(typesOf(told).sort()).toEqual(['attempted', 'recovered']);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBeLessThan(ids.length);
  const count = receiver.received.length;
  await world.advance({ hours: 2 });
  expect([told.length, receiver.received.length]).toEqual([2, count]);
});

test('a handler that never ends holds up no other event, and is called again', async () => {
  failures = 100;
  for (const card of [brokeOnce(), brokeOnce()])
    world.sandbox.payAsCustomer((await failingInvoice(world, card)).invoiceId);
  await world.advance({ minutes: 5 });
  failures = 0;
  let calls = 0;
  const { parts, config } = world.plugin;
  const delivery = createHostEventDelivery({
    ...{ database: parts.database, config, mailer: undefined, logger: silentLogger, enqueue: async () => {} },
    clock: { ...world.clock, now: () => world.clock.now().plus({ hours: calls === 2 ? 2 : 1 }) },
    on: { recovered: (event) => (++calls === 1 ? new Promise(() => {}) : take(event)) },
    handledWithinMs: 20,
  });
  await delivery.job.handle();
  expect([calls, told.length]).toEqual([2, 1]);
  await delivery.job.handle();
  expect([calls, told.length, new Set(told.map(({ id }) => id)).size]).toEqual([3, 2, 2]);
});

test('what an address refuses for days is given up, and needs attention in the status', async () => {
  receiver.status = 500;
  const { invoiceId } = await failingInvoice(world, brokeOnce());
  world.sandbox.payAsCustomer(invoiceId);
  await world.advance({ minutes: 5 });
  await world.query(`update payment_retry.host_events set tries = 23`);
  await world.advance({ hours: 7 });
  await world.settle();
  const status = await readWorkStatus(world.plugin.parts.database, world.clock.now());
  expect(status.concerns).toContain('undeliveredEvents');
  expect(status.undeliveredEvents).toMatchObject([
    { channel: 'webhook', problem: 'EVENTS_URL answered 500' },
  ]);
});

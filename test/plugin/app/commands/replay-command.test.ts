import { reportStatus } from '../../../../src/plugin/app/commands/status-command.ts';
import {
  recordInstruction,
  settleInstruction,
} from '../../../../src/plugin/store/tables/retry/instructions.ts';
import { accepts, declinesTimes } from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import type { IngestRequest } from '../../../support/http/recording-service.ts';
import { say } from '../../../support/operate.ts';
import { failingInvoice, instructionOf, payCalls, statusOf, subscribe } from '../../../support/scenario.ts';
import { createWorld, type World } from '../../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const status = async () => {
  const { database } = world.plugin.parts;
  const text = await reportStatus(database, {}, world.clock.now());
  const json = await reportStatus(database, { json: true }, world.clock.now());
  expect(json.code).toBe(text.code);
  return { ...text, json: JSON.parse(json.text) };
};
const replay = (options: object) => say(world, 'replay', options);
const sweepsAsked = async () =>
  (
    await world.plugin.parts.database.query(
      `select 1 as one from payment_retry_jobs.job where name = 'sweep' and state = 'created'`,
    )
  ).length;

test('a refused record shows in the status, and is delivered once it is replayed', async () => {
  const carries = (id: string) => (request: IngestRequest) => request.records.some((one) => one.id === id);
  const { subscriptionId } = await subscribe(world, accepts());
  const other = await subscribe(world, accepts());
  expect(await status()).toMatchObject({ code: 0, json: { needsPerson: false, quarantined: [] } });

  world.service.answer = (request) =>
    carries(subscriptionId)(request) ? { status: 422, body: { message: 'no such plan' } } : undefined;
  world.sandbox.updateSubscription(subscriptionId, { metadata: { business_entity: 'Mended' } });
  await world.settle();
  const before = await status();
  expect(before).toMatchObject({
    code: 1,
    json: { quarantined: [{ kind: 'subscriptions', id: subscriptionId }] },
  });
  expect(before.text).toContain(`subscriptions ${subscriptionId}: 422 `);
  expect(before.text).toContain('Action required.');

  world.service.answer = () => undefined;
  expect((await replay({ refused: [other.subscriptionId] })).text).toContain('left alone');
  expect(await sweepsAsked()).toBe(0);
  expect(await replay({ refused: true })).toEqual({
    code: 0,
    text: '1 refused record put back, to be delivered again',
  });
  expect(await sweepsAsked()).toBe(1);
  expect((await replay({ refused: true })).text).toContain('nothing changed');
  await world.plugin.runOnce();
  expect(world.service.view.get(subscriptionId)?.businessEntity).toBe('Mended');
  expect((await status()).code).toBe(0);
});

test('a subscription that no message fits shows in the status, and is delivered once it is mended and replayed', async () => {
  const { subscriptionId } = await subscribe(world, accepts());
  const price = world.sandbox.state.subscriptions.get(subscriptionId)?.items.data[0]?.price;
  if (!price) throw new Error('It has no price.');
  Object.assign(price, { billing_scheme: 'auction' });
  world.sandbox.updateSubscription(subscriptionId, { metadata: { business_entity: 'Mended' } });
  await world.settle();
  const reason = { code: 'price_unknown', priceId: price.id, part: 'billing_scheme', value: 'auction' };
  const before = await status();
  expect(before).toMatchObject({
    code: 1,
    json: {
      concerns: ['unmapped'],
      unmapped: [{ account: 'own', kind: 'subscriptions', id: subscriptionId, reason }],
    },
  });
  expect(before.text).toContain(
    `subscriptions ${subscriptionId}: price ${price.id} has the unknown billing scheme auction`,
  );
  expect(before.text).toContain('subscriptions unmapped: 1');

  const asked = { code: 0, text: '1 unmapped record put back, to be read again' };
  expect(await replay({ unmapped: true })).toEqual(asked);
  await world.advance({ minutes: 2 });
  expect(await status()).toMatchObject({ code: 1, json: { unmapped: [{ reason }] } });

  Object.assign(price, { billing_scheme: 'per_unit' });
  expect((await replay({ unmapped: ['sub_other'] })).text).toContain('left alone');
  expect(await replay({ unmapped: [subscriptionId] })).toEqual(asked);
  await world.advance({ minutes: 2 });
  expect(world.service.view.get(subscriptionId)?.businessEntity).toBe('Mended');
  expect(await status()).toMatchObject({ code: 0, json: { unmapped: [] } });
  expect((await replay({ unmapped: true })).text).toContain('nothing changed');
});

test('an event whose processing failed for good is replayed, and processed exactly once', async () => {
  const { subscriptionId } = await subscribe(world, accepts());
  const { database } = world.plugin.parts;
  await database.exec(
    `alter table payment_retry.attempts add constraint full_disk check (source <> 'stripe') not valid`,
  );
  world.sandbox.renewNow(subscriptionId);
  await world.advance({ hours: 4 });
  const { code, text, json } = await status();
  expect(code).toBe(1);
  const dead: { id: string; type: string } = json.deadEvents.find(
    ({ type }: { type: string }) => type === 'invoice.paid',
  );
  expect(text).toMatch(new RegExp(`${dead.id} invoice\\.paid: .*full_disk`));

  await database.exec('alter table payment_retry.attempts drop constraint full_disk');
  await world.settle();
  const paid = () =>
    world.query(`select 1 as one from payment_retry.attempts where outcome = 'paid' and invoice_id in
        (select id from payment_retry.invoices where subscription_id = '${subscriptionId}')`);
  const known = (await paid()).length;

  expect((await replay({ type: 'invoice.paid', events: ['evt_unknown'] })).text).toBe(
    'nothing changed: there was nothing to put back\n  evt_unknown: nothing like that, left alone',
  );
  expect((await replay({ events: [dead.id] })).text).toContain('1 dead event put back');
  expect((await replay({ events: [dead.id] })).text).toContain('nothing changed');
  await world.plugin.runOnce();
  const jobs = () =>
    world.query<{ state: string }>(
      `select state from payment_retry_jobs.job where name = 'process-event' and data->>'eventId' = $1
         order by state`,
      [dead.id],
    );
  expect((await jobs()).map(({ state }) => state)).toEqual(['completed', 'failed']);
  expect(await paid()).toHaveLength(known + 1);
  await replay({ events: true });
  await world.advance({ hours: 1 });
  expect((await jobs()).map(({ state }) => state)).toEqual(['completed', 'failed']);
  expect(await paid()).toHaveLength(known + 1);
  expect(await status()).toMatchObject({ code: 0, json: { deadEvents: [] } });
});

test('an instruction that could not be planned is planned and carried out once it is replayed', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await world.advance({ hours: 25 });
  const { database } = world.plugin.parts;
  const requestId = 'request_that_failed';
  const key = { account: 'own', requestId };
  const now = world.clock.now();
  await recordInstruction(database, {
    ...key,
    source: 'callback',
    receivedAt: now,
    type: 'suggestion',
    invoiceId,
    subscriptionId: undefined,
    suggestion: 'ACTION_SUGGESTION_RETRY',
    idealRetryAt: now,
    body: '{}',
  });
  await settleInstruction(
    database,
    key,
    { state: 'failed', reason: { code: 'failed', error: 'the disk was full' } },
    now,
  );
  const { text } = await reportStatus(database, {}, now);
  expect(text).toContain(`${requestId} for ${invoiceId}: the disk was full`);
  expect(text).toContain('queue replay --instructions');

  expect(await replay({ instructions: [requestId] })).toEqual({
    code: 0,
    text: '1 failed instruction put back, to be planned again',
  });
  expect((await replay({ instructions: [requestId] })).text).toContain('left alone');
  await world.advance({ minutes: 15 });
  expect(await instructionOf(world, requestId)).toMatchObject({ state: 'scheduled' });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(payCalls(world, invoiceId)).toHaveLength(1);
});

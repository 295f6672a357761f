/** What is stored, compared with Stripe: what differs is found, and what is only on its way is not. */

import { listDrifts, listVerifications } from '../../src/plugin/store/reports/verifications.ts';
import { readWorkStatus } from '../../src/plugin/store/reports/work-status.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
  declinesUntil,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { instruct, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';

/** Of all tests: what Stripe keeps of one is compared in the next, so each but the last leaves books that agree. The first has no complete reading yet. */
let world: World;
beforeAll(async () => {
  const plugin = { forwardInvoices: true, forwardTransactions: true };
  world = await createWorld({ isRemote: true, plugin });
});
afterAll(() => world?.stop());
afterEach(() => {
  world.sandbox.webhookFaults.drop = 0;
});

const fails = () => acceptsFirst(1, declines('insufficient_funds'));

/** Lets the minutes pass after which it looks again, and says what it found. */
async function verify(months = 12): Promise<readonly string[]> {
  const { parts } = world.plugin;
  await parts.requestVerification(months, 'own');
  await world.settle();
  await world.advance({ minutes: 3 });
  const [verification] = await listVerifications(parts.database, 'own');
  expect(verification).toMatchObject({ reason: null, unconfirmed: 0 });
  expect(verification?.finishedAt).not.toBeNull();
  const drifts = await listDrifts(parts.database, verification?.run ?? 0, 100);
  return drifts.map(({ kind, id, difference }) => `${kind} ${id} ${JSON.stringify(difference)}`);
}

const concerns = async () => (await readWorkStatus(world.plugin.parts.database, world.clock.now())).concerns;

test('what is older than all that was backfilled is named as a gap, and is no drift', async () => {
  const { parts } = world.plugin;
  await subscribe(world, accepts());
  await world.clock.set(world.clock.now().plus({ days: 45 }));
  await world.settle();
  // As where the plugin was installed only now.
  for (const table of ['attempts', 'invoices']) await world.query(`delete from payment_retry.${table}`);
  const since = world.clock.now().minus({ months: 1 });
  await parts.requestBackfill(1, 'own');
  await world.settle();
  expect(await verify(2)).toEqual([]);
  const gap = async () => (await listVerifications(parts.database, 'own'))[0]?.notBackfilledBefore;
  expect(await gap()).toEqual(since);

  await world.advance({ minutes: 1 });
  await parts.requestBackfill(2, 'own');
  await world.settle();
  expect(await verify(2)).toEqual([]);
  expect(await gap()).toBeNull();
});

test('nothing differs where every event came or is on its way, also of a draft and of a payment outside of Stripe, and nothing is changed by looking', async () => {
  const [failed, drafting, paidOutside] = await failList(
    world,
    [{ paymentMethod: fails() }, { paymentMethod: accepts() }, { paymentMethod: fails() }],
    'older',
  );
  // Its first event comes when it is finalized.
  world.sandbox.pauseCollection(drafting.subscriptionId, { behavior: 'keep_as_draft' });
  const { status } = world.sandbox.renewNow(drafting.subscriptionId);
  expect(status).toBe('draft');
  world.sandbox.recordPart(paidOutside.invoiceId, 700);
  await world.settle();
  const rest = world.sandbox.state.invoices.get(paidOutside.invoiceId)?.amount_remaining ?? 0;
  world.sandbox.recordPart(paidOutside.invoiceId, rest);
  await world.settle();
  const rows = () =>
    world.query(`select id, version, delivered_version, status from payment_retry.invoices order by id`);
  const before = await rows();
  const shown = [failed, paidOutside].map(({ invoiceId: id }) => expect.objectContaining({ id }));
  expect(before).toEqual(expect.arrayContaining(shown));
  expect(await verify()).toEqual([]);
  expect(await rows()).toEqual(before);
  expect(await concerns()).not.toContain('verifications');
  world.sandbox.webhookFaults.delayMs = 90_000;
  world.sandbox.payOutOfBand(failed.invoiceId);
  expect(await verify()).toEqual([]);
  world.sandbox.webhookFaults.delayMs = 0;
});

test('what an event was lost of is drift, as is a payment outside of Stripe that is not stored; reading repairs it, and is nothing to deliver', async () => {
  const [ended, refunded, paidOutside] = await failList(
    world,
    [
      { paymentMethod: accepts() },
      { paymentMethod: declinesTimes(1, 'insufficient_funds') },
      { paymentMethod: fails() },
    ],
    'older',
  );
  world.sandbox.payAsCustomer(refunded.invoiceId);
  world.sandbox.recordPart(paidOutside.invoiceId, 600);
  await world.settle();
  const paid = () =>
    world.query<{ id: string; refunded: number }>(
      `select charge_id as id, refunded, version, delivered_version from payment_retry.attempts
       where invoice_id = $1 and outcome = 'paid'`,
      [refunded.invoiceId],
    );
  const [before] = await paid();
  world.sandbox.webhookFaults.drop = 1;
  world.sandbox.refundCharge(before?.id ?? '', { amount: 500 });
  world.sandbox.cancelSubscription(ended.subscriptionId);
  await world.settle();
  expect(await paid()).toEqual([before]);
  const [lost] = await world.query<{ id: string }>(
    `delete from payment_retry.attempts where amount = 600 returning charge_id as id`,
  );
  const drifts = await verify();
  expect(drifts).toHaveLength(3);
  expect(drifts).toEqual(
    expect.arrayContaining([
      expect.stringMatching(`^subscriptions ${ended.subscriptionId} .*"status":\\["active","canceled"\\]`),
      `charges ${before?.id} {"refunded":[0,500]}`,
      `charges ${lost?.id} {"record":["not stored","paid"]}`,
    ]),
  );
  expect(await world.query(`select from payment_retry.attempts where amount = 600`)).toEqual([]);
  await world.plugin.parts.requestBackfill();
  await world.settle();
  expect(await paid()).toEqual([{ ...before, refunded: 500 }]);
  expect(await verify()).toEqual([]);
});

/** Each differs in one thing; what follows is what is found. */
const PLANTED: readonly (readonly [sql: string, found: string])[] = [
  [
    `delete from payment_retry.subscriptions where id = $sub1`,
    `subscriptions $sub1 {"record":["not stored","active"]}`,
  ],
  [
    `update payment_retry.subscriptions set status = 'past_due' where id = $sub2`,
    `subscriptions $sub2 {"status":["past_due","active"]}`,
  ],
  [
    `update payment_retry.subscriptions set customer_id = 'cus_9' where id = $sub3`,
    `subscriptions $sub3 {"customer_id":["cus_9","`,
  ],
  [
    `update payment_retry.subscriptions set message = message || '{"state": "SUBSCRIPTION_STATE_PAUSED"}' where id = $sub4`,
    `subscriptions $sub4 {"message.state":["SUBSCRIPTION_STATE_PAUSED","SUBSCRIPTION_STATE_ACTIVE"]}`,
  ],
  [
    `delete from payment_retry.invoices where id = $paid1`,
    `invoices $paid1 {"record":["not stored","paid"]}`,
  ],
  [
    `update payment_retry.invoices set status = 'open' where id = $paid2`,
    `invoices $paid2 {"status":["open","paid"]}`,
  ],
  [
    `update payment_retry.invoices set amount_remaining = 1 where id = $open1`,
    `invoices $open1 {"amount_remaining":[1,`,
  ],
  [
    `update payment_retry.invoices set attempt_count = 9 where id = $open2`,
    `invoices $open2 {"attempt_count":[9,1]`,
  ],
  [
    `insert into payment_retry.invoices (account, id, customer_id, status, amount_remaining, currency, attempt_count, version, version_source)
     values ('own', 'in_gone', 'cus_1', 'open', 100, 'eur', 1, '2026-01-01', 'event')`,
    `invoices in_gone {"status":["open","deleted"]}`,
  ],
  [`delete from payment_retry.attempts where invoice_id = $open1`, `{"record":["not stored","declined"]}`],
  [
    `update payment_retry.attempts set outcome = 'declined' where id = $ours1`,
    `"outcome":["declined","paid"]`,
  ],
  [
    `update payment_retry.attempts set charge_id = 'ch_9' where id = $ours2`,
    `attempts $ours2 {"outcome of ch_9":["paid",null]}`,
  ],
  [
    `update payment_retry.attempts set outcome = null, charge_id = null, started_at = started_at - interval '3 days' where id = $ours3`,
    `attempts $ours3 {"outcome":[null,"unknown"]}`,
  ],
  [
    `update payment_retry.actions set invoice_id = $paid3 where state = 'scheduled'`,
    `{"state":["scheduled",null],"invoice":[null,"paid"]}`,
  ],
];
/** What reading cannot repair. */
const NOT_READ = ['$ours2', '$ours3', '"invoice":[null,"paid"]'];

test('fourteen kinds of drift are found, each for itself, and a reading repairs what Stripe can tell', async () => {
  const names = await manyCustomers();
  const named = (text: string, quote: string) =>
    text.replaceAll(/\$(\w+)/g, (_match, name: string) => `${quote}${names[name]}${quote}`);
  for (const [sql] of PLANTED) await world.query(named(sql, "'"));

  const drifts = await verify();
  for (const [, found] of PLANTED)
    expect(drifts).toEqual(expect.arrayContaining([expect.stringContaining(named(found, ''))]));
  expect(await concerns()).toContain('verifications');

  await world.advance({ minutes: 1 });
  await world.plugin.parts.requestBackfill();
  await world.settle();
  expect(await concerns()).not.toContain('verifications');
  const left = await verify();
  const expected = NOT_READ.map((found) => named(found, ''));
  for (const found of expected)
    expect(left).toEqual(expect.arrayContaining([expect.stringContaining(found)]));
  expect(left.filter((drift) => !expected.some((found) => drift.includes(found)))).toEqual([]);
});

/** Who pay (`sub`, `paid`), who owe (`open`), and whose invoice a retry of ours got paid (`ours`). */
async function manyCustomers(): Promise<Record<string, string | undefined>> {
  const names: Record<string, string | undefined> = {};
  const good = { paymentMethod: accepts() };
  for (const [index, payer] of (await failList(world, [good, good, good, good], 'older')).entries()) {
    names[`sub${index + 1}`] = payer.subscriptionId;
    names[`paid${index + 1}`] = payer.invoiceId;
  }
  const tomorrow = world.clock.now().plus({ days: 1 });
  const short = ['1111', '2222', '3333'].map((last4) => ({
    paymentMethod: acceptsFirst(1, declinesUntil(tomorrow, 'insufficient_funds', {}, { last4 })),
  }));
  const back = await failList(world, short, 'older');
  const open = await failList(world, [{ paymentMethod: fails() }, { paymentMethod: fails() }], 'older');
  for (const [index, { invoiceId }] of open.entries()) names[`open${index + 1}`] = invoiceId;
  await world.advance({ days: 2 });
  for (const { invoiceId } of back) await instruct(world, invoiceId, 'RETRY');
  await instruct(world, names.open2 ?? '', 'RETRY', world.clock.now().plus({ days: 20 }));
  const ours = await world.query<{ id: string }>(
    `select id from payment_retry.attempts where source = 'ours' and outcome = 'paid' order by started_at`,
  );
  expect(ours).toHaveLength(3);
  for (const [index, { id }] of ours.entries()) names[`ours${index + 1}`] = id;
  return names;
}

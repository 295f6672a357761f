/** What existed before the plugin did, and what no event can heal. */
import { reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import { findLastReport } from '../../src/plugin/store/reports/backfill-report.ts';
import { listFailures } from '../../src/plugin/store/reports/money/list-failures.ts';
import { refreshFailures } from '../../src/plugin/store/reports/money/refresh-failures.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import {
  actionsOf,
  attemptsOf,
  failingInvoice,
  payCalls,
  renew,
  statusOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { stripeRetries: 'off' } });
  // The look at Stripe's events that every start asks for finds nothing.
  await world.settle();
});
afterAll(() => world?.stop());
beforeEach(() => {
  // As before the installation: Stripe's events reach nobody, and are not asked for.
  world.sandbox.webhookFaults.drop = 1;
});
afterEach(() => world.reset());

const failsLater = () => acceptsFirst(1, declines('insufficient_funds'));

async function backfill(): Promise<void> {
  await world.plugin.parts.requestBackfill();
  await world.settle();
}

const lastReport = () => findLastReport(world.plugin.parts.database, 'own');

const told = (kind: string) =>
  world.query<{ id: string; state: string }>(`select id, state from retry_service.${kind} order by id`);

test('recovery starts for what was failing before the installation, and for nothing else; a second run finds everything equal and sends nothing', async () => {
  const failing = await failingInvoice(world, failsLater());
  const paying = await subscribe(world, accepts());
  const paid = await renew(world, paying.subscriptionId);
  const recovered = await failingInvoice(world, failsLater());
  world.sandbox.payOutOfBand(recovered.invoiceId);
  const ended = await subscribe(world, accepts());
  world.sandbox.cancelSubscription(ended.subscriptionId);
  await world.settle();
  expect(await told('subscriptions')).toEqual([]);

  await backfill();
  expect(await told('subscriptions')).toEqual(
    [failing, paying, recovered, ended]
      .map(({ subscriptionId: id }) => ({
        id,
        state: id === ended.subscriptionId ? 'SUBSCRIPTION_STATE_CANCELED' : 'SUBSCRIPTION_STATE_ACTIVE',
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
  const states = new Map((await told('invoices')).map(({ id, state }) => [id, state]));
  expect([failing.invoiceId, paid, recovered.invoiceId].map((id) => states.get(id))).toEqual([
    'INVOICE_STATE_UNPAID',
    'INVOICE_STATE_PAID',
    'INVOICE_STATE_PAID',
  ]);
  expect(await world.query('select invoice_id as id from retry_service.cases')).toEqual([
    { id: failing.invoiceId },
  ]);
  expect(await attemptsOf(world, failing.invoiceId)).toMatchObject([
    { source: 'stripe', outcome: 'declined' },
  ]);
  expect(await actionsOf(world, failing.invoiceId)).toMatchObject([{ kind: 'pay', state: 'scheduled' }]);
  expect(await actionsOf(world, recovered.invoiceId)).toEqual([]);
  // People find it as they know it: by name, plan and the digits of the card. Of those who pay without trouble none is kept.
  await refreshFailures(world.plugin.parts.database);
  const shown = await listFailures(
    world.plugin.parts.database,
    { search: 'ada' },
    { sort: 'failed', limit: 9 },
  );
  expect(shown.find(({ invoiceId }) => invoiceId === failing.invoiceId)).toMatchObject({
    customerName: 'Ada Example',
    customerEmail: 'ada@example.com',
    planName: 'Plan',
    last4: '4242',
  });
  expect(await world.query('select id from payment_retry.customers')).toEqual([{ id: failing.customerId }]);
  expect(statusOf(world, failing.invoiceId)).toBe('open');

  await world.advance({ minutes: 1 });
  const versions = () =>
    world.query(
      'select id, updated_at from retry_service.subscriptions union select id, updated_at from retry_service.invoices union select id, updated_at from retry_service.transactions order by id',
    );
  const before = await versions();
  await backfill();
  expect((await lastReport())?.kinds).toMatchObject([
    { kind: 'subscriptions', added: 0, repaired: 0 },
    { kind: 'invoices', added: 0, repaired: 0 },
    { kind: 'transactions', added: 0, repaired: 0 },
  ]);
  expect(await versions()).toEqual(before);
});

test('a renewal that failed without a card before the installation leads to a card request, and is read once', async () => {
  const { customerId, subscriptionId } = await subscribe(world, accepts());
  const card = world.sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method;
  world.sandbox.detachCard(String(card));
  const invoiceId = await renew(world, subscriptionId);
  const { id: customer } = world.sandbox.createCustomer({ email: 'new@example.com' });
  const { id: price } = world.sandbox.createPrice();
  world.sandbox.createSubscription({ customer, items: [{ price }] });
  await world.advance({ days: 2 });
  await backfill();
  const id = `${invoiceId}_attempt_1_missing_payment_method`;
  const ours = (await told('transactions')).filter((transaction) => transaction.id.startsWith('in_'));
  expect(ours).toEqual([{ id, state: 'TRANSACTION_STATE_FAILED' }]);
  expect(await actionsOf(world, invoiceId)).toMatchObject([{ kind: 'card_update_email' }]);
  const all = await told('transactions');
  expect((await lastReport())?.kinds).toMatchObject([{}, {}, { kind: 'transactions', added: all.length }]);
  await backfill();
  expect(await told('transactions')).toEqual(all);
});

test('what was paid outside of Stripe before the installation counts as a payment, once', async () => {
  const { invoiceId } = await failingInvoice(world, failsLater());
  const owed = world.sandbox.state.invoices.get(invoiceId)?.amount_remaining ?? 0;
  world.sandbox.recordPart(invoiceId, 700);
  world.sandbox.recordPart(invoiceId, owed - 700);
  await backfill();
  const attempts = async () =>
    (await attemptsOf(world, invoiceId)).map(({ source, outcome }) => `${source} ${outcome}`).toSorted();
  const all = ['stripe declined', 'stripe paid', 'stripe paid'];
  expect(await attempts()).toEqual(all);
  const transactions = await told('transactions');
  expect(transactions.filter(({ id }) => id.startsWith('par_')).map(({ state }) => state)).toEqual([
    'TRANSACTION_STATE_PAID',
    'TRANSACTION_STATE_PAID',
  ]);
  const added = (await lastReport())?.kinds.find(({ kind }) => kind === 'transactions')?.added;
  expect(added).toBe(transactions.length);
  await backfill();
  expect([await attempts(), await told('transactions')]).toEqual([all, transactions]);
});

test('who disputed a payment before the installation is not charged: the card if it was denied or warned of, else the payer until it ends; another card that was tried once ends nothing', async () => {
  const { sandbox } = world;
  const failing = async (last4: string) => {
    const card = acceptsFirst(1, declines('insufficient_funds', {}, { last4 }));
    const subscriber = await failingInvoice(world, card);
    const { customerId: customer } = subscriber;
    const paid = [...sandbox.state.charges.newestFirst()].find(
      (charge) => charge.customer === customer && charge.status === 'succeeded',
    );
    return { ...subscriber, charge: paid?.id ?? '' };
  };
  const [denied, open] = [await failing('0341'), await failing('0342')];
  const [warned, won] = [await failing('0344'), await failing('0345')];
  const lost = [
    sandbox.disputeCharge(denied.charge, 'fraudulent'),
    sandbox.disputeCharge(open.charge, 'product_not_received'),
  ];
  for (const { charge } of [warned, won]) sandbox.warnOfFraud(charge);
  const { id: answered } = sandbox.disputeCharge(won.charge, 'fraudulent');
  sandbox.answerDispute(answered);
  sandbox.closeDispute(answered, 'won');
  const tried = await failingInvoice(world, declinesTimes(1, 'insufficient_funds', {}, { last4: '0346' }));
  const other = declines('stolen_card', {}, { brand: 'mastercard', last4: '4444' });
  expect(() => sandbox.payAsCustomer(tried.invoiceId, other)).toThrow();
  await world.settle();
  await backfill();
  const messages = await world.query<{ card: string; isOther: boolean | null }>(
    `select message->>'cardBrand' as card, (message->>'isOtherMethod')::boolean as is_other
     from payment_retry.attempts where invoice_id = $1 order by card`,
    [tried.invoiceId],
  );
  expect(messages).toEqual([
    { card: 'mastercard', isOther: true },
    { card: 'visa', isOther: null },
  ]);
  const disputes = `select id, status, opened_at from payment_retry.disputes where id <> $1 order by opened_at, id`;
  const before = await world.query(disputes, [answered]);
  expect(before).toMatchObject(lost.map(({ id }) => ({ id })));
  const warnings = () =>
    world.query('select id from payment_retry.card_warnings where charge_id = $1', [warned.charge]);
  expect(await warnings()).toHaveLength(1);
  await backfill();
  expect(await world.query(disputes, [answered])).toEqual(before);
  expect(await warnings()).toHaveLength(1);

  await world.advance({ days: 4 });
  expect(statusOf(world, tried.invoiceId)).toBe('paid');
  const charged = [denied, open, warned, won].map(({ invoiceId }) => payCalls(world, invoiceId).length > 0);
  expect(charged).toEqual([false, false, false, true]);
});

test('after forty days without events a reconciliation begins by itself and repairs what they cannot', async () => {
  world.sandbox.webhookFaults.drop = 0;
  const ending = await failingInvoice(world, failsLater());
  const settled = await failingInvoice(world, failsLater());
  const deleted = await subscribe(world, accepts());
  await world.plugin.parts.requestCatchUp();
  await world.settle();
  const [payment] = await actionsOf(world, settled.invoiceId);
  expect(payment).toMatchObject({ kind: 'pay', state: 'scheduled' });

  await world.plugin.stop();
  world.sandbox.webhookFaults.drop = 1;
  world.sandbox.cancelSubscription(ending.subscriptionId);
  world.sandbox.payOutOfBand(settled.invoiceId);
  const unknown = await begin();
  await world.clock.set(world.clock.now().plus({ days: 40 }));
  await world.sandbox.run();
  await world.plugin.start();
  await world.settle();

  const report = await lastReport();
  expect(report).toMatchObject({ kind: 'reconciliation', reason: null });
  expect(report?.finishedAt).not.toBeNull();
  // Those of the tests before are listed as well.
  expect(report?.kinds[0]?.read).toBe(world.sandbox.state.subscriptions.size);
  expect(report?.kinds[0]?.added).toBeGreaterThanOrEqual(1);
  expect(report?.kinds[0]?.repaired).toBeGreaterThanOrEqual(1);
  const states = new Map((await told('subscriptions')).map(({ id, state }) => [id, state]));
  expect(states.get(ending.subscriptionId)).toBe('SUBSCRIPTION_STATE_CANCELED');
  expect(states.get(deleted.subscriptionId)).toBe('SUBSCRIPTION_STATE_ACTIVE');
  expect(states.get(unknown)).toBe('SUBSCRIPTION_STATE_ACTIVE');
  const invoices = new Map((await told('invoices')).map(({ id, state }) => [id, state]));
  expect(invoices.get(settled.invoiceId)).toBe('INVOICE_STATE_PAID');
  for (const { invoiceId } of [ending, settled])
    expect((await actionsOf(world, invoiceId)).map(({ state }) => state)).not.toContain('scheduled');
});

/** A subscription that begins while the plugin is stopped. */
async function begin(): Promise<string> {
  const { id: customer } = world.sandbox.createCustomer({ paymentMethod: accepts() });
  const { id: price } = world.sandbox.createPrice({ unit_amount: 2000 });
  return world.sandbox.createSubscription({ customer, items: [{ price, quantity: 1 }] }).id;
}

inFull('an open invoice older than the months of the run is read on its own', async () => {
  world.sandbox.webhookFaults.drop = 0;
  const old = await failingInvoice(world, failsLater());
  await world.settle();
  world.sandbox.webhookFaults.drop = 1;
  await world.clock.set(world.clock.now().plus({ days: 20 }));
  world.sandbox.payOutOfBand(old.invoiceId);
  await world.clock.set(world.clock.now().plus({ days: 20 }));
  await world.plugin.parts.requestBackfill(1);
  await world.settle();
  const [row] = await world.query<{ status: string }>(
    'select status from payment_retry.invoices where id = $1',
    [old.invoiceId],
  );
  expect(row?.status).toBe('paid');
});

inFull('Stripe refusing a page is no success: the run goes on after its pause and is whole', async () => {
  const { subscriptionId } = await subscribe(world, accepts());
  world.sandbox.faults.next('GET', '/subscriptions', 'rate_limit', 2);
  await backfill();
  expect(await lastReport()).toMatchObject({
    finishedAt: null,
    reason: { code: 'stripe_answered', status: 429 },
  });
  const status = () => reportStatus(world.plugin.parts.database, {}, world.clock.now());
  expect((await status()).text).toMatch(
    /account own, backfill of .*: incomplete, 0 subscriptions read so far, .*429/,
  );
  const stuck = await reportStatus(world.plugin.parts.database, {}, world.clock.now().plus({ hours: 2 }));
  expect(stuck).toMatchObject({ code: 1, text: expect.stringContaining('it has not moved for an hour') });
  await world.advance({ minutes: 1 });
  expect((await lastReport())?.finishedAt).not.toBeNull();
  const listed = world.sandbox.state.subscriptions.size;
  expect(await status()).toMatchObject({
    code: 0,
    text: expect.stringContaining(`Stripe has ${listed} subscriptions, ${listed} are delivered; `),
  });
  expect((await told('subscriptions')).map(({ id }) => id)).toContain(subscriptionId);
});

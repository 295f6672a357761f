/** What a merchant, a bank or Stripe does to an invoice while it is collected (stripe-facts 2.8, 3.15, 3.16, 5.13). */
import {
  accepts,
  acceptsFirst,
  declines,
  indianCard,
  pendingThen,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import {
  actionsOf,
  attemptsOf,
  chargesOf,
  failingInvoice,
  instruct,
  payCalls,
  renew,
  statusOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { stripeRetries: 'off' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const kinds = async (invoiceId: string) =>
  (await actionsOf(world, invoiceId)).map(({ kind, state }) => `${kind} ${state}`);

/** The method that the customer is charged on. */
const methodOf = (customerId: string) =>
  world.sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method ?? '';

test('a part that is paid counts at once, a repeated event counts nothing, and a new card is charged for the rest, once', async () => {
  const { invoiceId, customerId } = await failing();
  world.sandbox.webhookFaults.duplicate = 1;
  world.sandbox.recordPart(invoiceId, 700);
  await world.settle();
  world.sandbox.webhookFaults.duplicate = 0;
  const attempts = (await attemptsOf(world, invoiceId)).map(({ source, outcome }) => `${source} ${outcome}`);
  expect([attempts.sort(), statusOf(world, invoiceId)]).toEqual([['stripe declined', 'stripe paid'], 'open']);
  const sql = `select amount::int from payment_retry.attempts where outcome = 'paid' and invoice_id = $1`;
  expect(await world.query(sql, [invoiceId])).toEqual([{ amount: 700 }]);
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  await world.advance({ hours: 9 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  const [charge] = [...world.sandbox.state.charges.newestFirst()];
  expect(charge).toMatchObject({ status: 'succeeded', amount: owed(invoiceId) - 700 });
});

test('what is paid outside of Stripe counts as an attempt and a payment, and ends what was planned', async () => {
  const { invoiceId } = await failing();
  world.sandbox.recordPart(invoiceId, 700);
  world.sandbox.recordPart(invoiceId, owed(invoiceId) - 700);
  await world.advance({ days: 20 });
  const attempts = (await attemptsOf(world, invoiceId)).map(({ source, outcome }) => `${source} ${outcome}`);
  expect(attempts).toEqual(['stripe declined', 'stripe paid', 'stripe paid']);
  const sums = await world.query(
    `select outcome, sum(amount)::int as sum, count(message)::int as told from payment_retry.attempts
     where invoice_id = $1 group by outcome order by outcome`,
    [invoiceId],
  );
  expect(sums).toEqual([
    { outcome: 'declined', sum: owed(invoiceId), told: 1 },
    { outcome: 'paid', sum: owed(invoiceId), told: 2 },
  ]);
  expect([statusOf(world, invoiceId), payCalls(world, invoiceId)]).toEqual(['paid', []]);
  expect((await kinds(invoiceId)).join()).not.toContain('scheduled');
});

test('a credit note over the rest ends everything scheduled', async () => {
  const { invoiceId } = await failing();
  expect((await kinds(invoiceId)).join()).toContain('scheduled');
  world.sandbox.createCreditNote(invoiceId, { amount: owed(invoiceId) });
  await world.settle();
  expect((await kinds(invoiceId)).join()).not.toContain('scheduled');
  await world.advance({ days: 20 });
  expect([payCalls(world, invoiceId), chargesOf(world, invoiceId)]).toEqual([[], ['failed']]);
});

test('a debit whose mandate ended is not tried again, and the customer is asked for another method', async () => {
  const subscriber = await subscribe(world, acceptsFirst(1, pendingThen('succeed', { type: 'sepa_debit' })));
  world.sandbox.endMandate(methodOf(subscriber.customerId));
  const invoiceId = await renew(world, subscriber.subscriptionId);
  await world.advance({ days: 3 });
  expect(payCalls(world, invoiceId)).toEqual([]);
  expect((await kinds(invoiceId)).join()).toContain('card_update_email done');
  expect((await kinds(invoiceId)).filter((kind) => kind.startsWith('pay '))).toEqual([]);
  const { subject } = world.email.emails.at(-1) ?? {};
  expect(subject?.replaceAll('\u00a0', ' ')).toContain(
    'Update your payment method for Sandbox Inc. ($20.00)',
  );
  world.sandbox.changeDefaultCard(subscriber.customerId, accepts({ last4: '1111' }));
  await world.advance({ hours: 9 });
  expect(statusOf(world, invoiceId)).toBe('paid');
});

inFull('an attempt that a part payment came before is reported although it made no charge', async () => {
  const { invoiceId, customerId } = await failing();
  world.sandbox.payPart(invoiceId, 700, world.sandbox.attachCard(customerId, accepts({ last4: '2222' })).id);
  await world.settle();
  const method = world.sandbox.changeDefaultCard(customerId, pendingThen('succeed', { type: 'bacs_debit' }));
  world.sandbox.endMandate(method.id);
  await world.settle();
  await instruct(world, invoiceId, 'RETRY');
  expect(statusOf(world, invoiceId)).toBe('open');
  const attempts = await attemptsOf(world, invoiceId);
  expect(attempts.map(({ outcome }) => outcome)).toContain('not_payable');
});

test('an Indian card that waits for its notice is not charged again meanwhile', async () => {
  const subscriber = await subscribe(world, acceptsFirst(1, indianCard()));
  const invoiceId = await renew(world, subscriber.subscriptionId);
  await instruct(world, invoiceId, 'RETRY');
  await world.advance({ hours: 20 });
  expect([payCalls(world, invoiceId), chargesOf(world, invoiceId)]).toEqual([[], []]);
  await world.advance({ hours: 7 });
  expect([statusOf(world, invoiceId), chargesOf(world, invoiceId)]).toEqual(['paid', ['succeeded']]);
});

test('an own attempt with an Indian card is pending, then paid, and was one charge', async () => {
  const { invoiceId, customerId } = await failing();
  world.sandbox.changeDefaultCard(customerId, indianCard(accepts({ last4: '0123' })));
  await world.advance({ hours: 9 });
  await world.advance({ hours: 30 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(chargesOf(world, invoiceId).sort()).toEqual(['failed', 'succeeded']);
  expect(payCalls(world, invoiceId)).toHaveLength(1);
});

test('a card that the network renews in the middle of a case pays', async () => {
  const { invoiceId, customerId } = await failing(declines('expired_card'));
  world.sandbox.replaceCardAutomatically(methodOf(customerId), accepts({ last4: '3333', expYear: 2038 }));
  await world.settle();
  await world.advance({ hours: 9 });
  expect(statusOf(world, invoiceId)).toBe('paid');
});

test('the last invoice of a subscription that ended is left to the merchant', async () => {
  const { subscriptionId } = await subscribe(world, acceptsFirst(1, declines('insufficient_funds')));
  const subscription = world.sandbox.state.subscriptions.get(subscriptionId);
  world.sandbox.updateSubscription(subscriptionId, {
    items: [{ id: subscription?.items.data[0]?.id, quantity: 4 }],
  });
  world.sandbox.cancelSubscription(subscriptionId, { invoiceNow: true });
  await world.settle();
  const invoiceId = subscription?.latest_invoice ?? '';
  expect(statusOf(world, invoiceId)).toBe('open');
  await world.advance({ days: 10 });
  expect(payCalls(world, invoiceId)).toEqual([]);
});

async function failing(then = declines('insufficient_funds')) {
  return failingInvoice(world, acceptsFirst(1, then));
}

function owed(invoiceId: string): number {
  return world.sandbox.state.invoices.get(invoiceId)?.total ?? 0;
}

test('an update that waits for its payment is collected while it waits, and everything ends with it', async () => {
  const { customerId, subscriptionId } = await subscribe(world, accepts());
  await world.advance({ days: 10 });
  world.sandbox.changeDefaultCard(customerId, declines('insufficient_funds'));
  const [item] = world.sandbox.state.subscriptions.get(subscriptionId)?.items.data ?? [];
  world.sandbox.updateSubscription(subscriptionId, {
    items: [{ id: item?.id, quantity: 3 }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
  });
  await world.settle();
  const invoiceId = world.sandbox.state.subscriptions.get(subscriptionId)?.latest_invoice ?? '';
  expect((await kinds(invoiceId)).join()).toContain('scheduled');
  await world.advance({ hours: 24 });
  expect(statusOf(world, invoiceId)).toBe('void');
  expect((await kinds(invoiceId)).join()).not.toContain('scheduled');
  const emails = world.email.emails.length;
  await world.advance({ days: 10 });
  expect(world.email.emails).toHaveLength(emails);
  expect(world.sandbox.state.subscriptions.get(subscriptionId)).toMatchObject({
    status: 'active',
    items: { data: [{ quantity: 1 }] },
  });
});

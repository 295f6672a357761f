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
  statusOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { emailsTo, type FailedSubscriber, failTogether, withoutEffects } from './fail-together.ts';

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

/** Cards that differ, so that what one answers says nothing of another. */
const broke = (name: string, code = 'insufficient_funds') =>
  acceptsFirst(1, declines(code, {}, { fingerprint: name }));
const madeOn = async ({ invoiceId }: FailedSubscriber) =>
  (await attemptsOf(world, invoiceId)).map(({ source, outcome }) => `${source} ${outcome}`);

test('a part paid counts at once and once, and a new card is charged for the rest; what is paid outside of Stripe, credited or of an ended mandate is not tried; an Indian card is one charge; a card that the network renews pays', async () => {
  const { sandbox } = world;
  const cards = {
    part: broke('part'),
    outside: broke('outside'),
    credited: broke('credited'),
    indian: broke('indian'),
    renewed: broke('renewed', 'expired_card'),
    debit: acceptsFirst(1, pendingThen('succeed', { type: 'sepa_debit' })),
  };
  const failed = await failTogether(world, cards, {
    isOlder: true,
    between: async (subscriberOf) => sandbox.endMandate(methodOf(subscriberOf('debit').customerId)),
  });
  const [part, outside, credited] = [failed('part'), failed('outside'), failed('credited')];
  const [indian, renewed, debit] = [failed('indian'), failed('renewed'), failed('debit')];
  const good = (name: string) => accepts({ last4: '1111', fingerprint: `new_${name}` });
  expect((await kinds(credited.invoiceId)).join()).toContain('scheduled');
  sandbox.createCreditNote(credited.invoiceId, { amount: owed(credited.invoiceId) });
  sandbox.webhookFaults.duplicate = 1;
  sandbox.recordPart(part.invoiceId, 700);
  await world.settle();
  sandbox.webhookFaults.duplicate = 0;
  expect([(await madeOn(part)).sort(), statusOf(world, part.invoiceId)]).toEqual([
    ['stripe declined', 'stripe paid'],
    'open',
  ]);
  const sql = `select amount::int from payment_retry.attempts where outcome = 'paid' and invoice_id = $1`;
  expect(await world.query(sql, [part.invoiceId])).toEqual([{ amount: 700 }]);
  expect((await kinds(credited.invoiceId)).join()).not.toContain('scheduled');

  sandbox.changeDefaultCard(part.customerId, good('part'));
  sandbox.recordPart(outside.invoiceId, 700);
  sandbox.recordPart(outside.invoiceId, owed(outside.invoiceId) - 700);
  sandbox.changeDefaultCard(indian.customerId, indianCard(accepts({ last4: '0123' })));
  const newer = accepts({ last4: '3333', expYear: 2038 });
  sandbox.replaceCardAutomatically(methodOf(renewed.customerId), newer);
  await world.advance({ hours: 9 });
  expect([part, renewed].map(({ invoiceId }) => statusOf(world, invoiceId))).toEqual(['paid', 'paid']);
  const [charge] = [...sandbox.state.charges.newestFirst({ index: 'customer', key: part.customerId })];
  expect(charge).toMatchObject({ status: 'succeeded', amount: owed(part.invoiceId) - 700 });

  await world.advance({ days: 3 });
  expect(statusOf(world, indian.invoiceId)).toBe('paid');
  expect(chargesOf(world, indian.invoiceId).sort()).toEqual(['failed', 'succeeded']);
  expect(payCalls(world, indian.invoiceId)).toHaveLength(1);
  expect(payCalls(world, debit.invoiceId)).toEqual([]);
  const ofDebit = await kinds(debit.invoiceId);
  expect(ofDebit.join()).toContain('card_update_email done');
  expect(ofDebit.filter((kind) => kind.startsWith('pay '))).toEqual([]);
  expect(emailsTo(world, 'debit').at(-1)?.subject?.replaceAll('\u00a0', ' ')).toContain(
    'Update your payment method for Sandbox Inc. ($20.00)',
  );
  sandbox.changeDefaultCard(debit.customerId, good('debit'));
  await world.advance({ hours: 9 });
  expect(statusOf(world, debit.invoiceId)).toBe('paid');

  await world.advance({ days: 8 });
  expect((await madeOn(outside)).sort()).toEqual(['stripe declined', 'stripe paid', 'stripe paid']);
  const sums = await world.query(
    `select outcome, sum(amount)::int as sum, count(message)::int as told from payment_retry.attempts
     where invoice_id = $1 group by outcome order by outcome`,
    [outside.invoiceId],
  );
  expect(sums).toEqual([
    { outcome: 'declined', sum: owed(outside.invoiceId), told: 1 },
    { outcome: 'paid', sum: owed(outside.invoiceId), told: 2 },
  ]);
  expect([statusOf(world, outside.invoiceId), payCalls(world, outside.invoiceId)]).toEqual(['paid', []]);
  expect((await kinds(outside.invoiceId)).join()).not.toContain('scheduled');
  const { invoiceId } = credited;
  expect([payCalls(world, invoiceId), chargesOf(world, invoiceId)]).toEqual([[], ['failed']]);
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

async function failing(then = declines('insufficient_funds')) {
  return failingInvoice(world, acceptsFirst(1, then));
}

function owed(invoiceId: string): number {
  return world.sandbox.state.invoices.get(invoiceId)?.total ?? 0;
}

test('an Indian card that waits for its notice is not charged again meanwhile; the last invoice of an ended subscription is left to the merchant; an update that waits for its payment is collected while it waits, and everything ends with it', async () => {
  const quiet = withoutEffects(world);
  const indian = await subscribe(quiet, acceptsFirst(1, indianCard()));
  const ending = await subscribe(quiet, broke('ending'));
  const { customerId, subscriptionId } = await subscribe(quiet, accepts());
  await world.settle();
  const noticed = world.sandbox.renewNow(indian.subscriptionId).id;
  const ended = world.sandbox.state.subscriptions.get(ending.subscriptionId);
  const items = [{ id: ended?.items.data[0]?.id, quantity: 4 }];
  world.sandbox.updateSubscription(ending.subscriptionId, { items });
  world.sandbox.cancelSubscription(ending.subscriptionId, { invoiceNow: true });
  await world.settle();
  await instruct(world, noticed, 'RETRY');
  const last = ended?.latest_invoice ?? '';
  expect(statusOf(world, last)).toBe('open');
  await world.advance({ hours: 20 });
  expect([payCalls(world, noticed), chargesOf(world, noticed)]).toEqual([[], []]);
  await world.advance({ hours: 7 });
  expect([statusOf(world, noticed), chargesOf(world, noticed)]).toEqual(['paid', ['succeeded']]);
  await world.advance({ days: 9 });
  expect(payCalls(world, last)).toEqual([]);

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
  await world.advance({ days: 8 });
  expect(world.email.emails).toHaveLength(emails);
  expect(world.sandbox.state.subscriptions.get(subscriptionId)).toMatchObject({
    status: 'active',
    items: { data: [{ quantity: 1 }] },
  });
});

/** A subscription that names a card of its own gets the new card that has paid it. */
import { reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  type PaymentMethodBehaviour,
  pendingThen,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import { renew, type Subscriber, statusOf, storyOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());
afterEach(() => world.reset());

const old = () => acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' }));
const better = () => accepts({ last4: '1111' });
const subscriptionOf = (id: string) => world.sandbox.state.subscriptions.get(id);
const cardOf = (id: string) => subscriptionOf(id)?.default_payment_method ?? null;
const updates = (id: string) =>
  world.sandbox.state.apiCalls.filter(
    ({ method, path }) => method === 'POST' && path === `/v1/subscriptions/${id}`,
  );
const kept = async (invoiceId: string) =>
  (await storyOf(world, invoiceId)).filter((kind) => kind.startsWith('card.'));

/** A subscriber whose subscription names its card, which fails at the second month. */
async function failingOnItsOwnCard(): Promise<Subscriber & { invoiceId: string; oldCard: string }> {
  const subscriber = await subscribe(world, old());
  const oldCard = String(
    world.sandbox.state.customers.get(subscriber.customerId)?.invoice_settings.default_payment_method,
  );
  world.sandbox.updateSubscription(subscriber.subscriptionId, { default_payment_method: oldCard });
  await world.settle();
  return { ...subscriber, oldCard, invoiceId: await renew(world, subscriber.subscriptionId) };
}

async function change(customerId: string, behaviour: PaymentMethodBehaviour): Promise<string> {
  const { id } = world.sandbox.changeDefaultCard(customerId, behaviour);
  await world.settle();
  return id;
}

test('the next month is charged on the card that paid this one', async () => {
  const { customerId, subscriptionId, invoiceId } = await failingOnItsOwnCard();
  world.sandbox.webhookFaults.duplicate = 1;
  const card = await change(customerId, better());
  expect([statusOf(world, invoiceId), cardOf(subscriptionId)]).toEqual(['paid', card]);
  expect(statusOf(world, await renew(world, subscriptionId))).toBe('paid');
  expect(await kept(invoiceId)).toEqual(['card.kept']);
  expect(updates(subscriptionId)).toHaveLength(1);
});

test('a card that is declined is not kept', async () => {
  const { customerId, subscriptionId, oldCard } = await failingOnItsOwnCard();
  await change(customerId, declines('insufficient_funds', {}, { last4: '0341' }));
  expect(cardOf(subscriptionId)).toBe(oldCard);
});

inFull('a subscription that names no card follows its customer', async () => {
  const { customerId, subscriptionId } = await subscribe(world, old());
  const invoiceId = await renew(world, subscriptionId);
  await change(customerId, better());
  expect([statusOf(world, invoiceId), cardOf(subscriptionId)]).toEqual(['paid', null]);
  expect(updates(subscriptionId)).toEqual([]);
});

inFull('another subscription of the customer keeps its own card', async () => {
  const { customerId, subscriptionId } = await failingOnItsOwnCard();
  const { id: own } = world.sandbox.attachCard(customerId, accepts({ last4: '2222' }));
  const price = world.sandbox.createPrice({ unit_amount: 500 });
  const other = world.sandbox.createSubscription({
    customer: customerId,
    items: [{ price: price.id }],
    default_payment_method: own,
  });
  await world.settle();
  const card = await change(customerId, better());
  expect([cardOf(subscriptionId), cardOf(other.id)]).toEqual([card, own]);
});

inFull('a source that the subscription names gives way to the card that paid, too', async () => {
  const { customerId, subscriptionId, oldCard } = await failingOnItsOwnCard();
  const subscription = subscriptionOf(subscriptionId);
  if (subscription) Object.assign(subscription, { default_payment_method: null, default_source: oldCard });
  const card = await change(customerId, better());
  expect(cardOf(subscriptionId)).toBe(card);
});

inFull('a bank account is kept once its debit has succeeded', async () => {
  const { customerId, subscriptionId, oldCard } = await failingOnItsOwnCard();
  const account = await change(customerId, pendingThen('succeed', { days: 4 }));
  expect(cardOf(subscriptionId)).toBe(oldCard);
  await world.advance({ days: 6 });
  expect(cardOf(subscriptionId)).toBe(account);
});

test('a card that was chosen while the debit was under way stays', async () => {
  const { customerId, subscriptionId, invoiceId } = await failingOnItsOwnCard();
  await change(customerId, pendingThen('succeed', { days: 4 }));
  await world.advance({ days: 1 });
  const { id: later } = world.sandbox.attachCard(customerId, better());
  world.sandbox.updateSubscription(subscriptionId, { default_payment_method: later });
  await world.settle();
  await world.advance({ days: 6 });
  expect([statusOf(world, invoiceId), cardOf(subscriptionId)]).toEqual(['paid', later]);
});

test('a card is kept in the phases of a schedule, too; the next phase does not bring the old one back', async () => {
  const { customerId, subscriptionId, oldCard } = await failingOnItsOwnCard();
  const now = world.clock.now();
  const phases = [
    { ends: now.plus({ days: 10 }).toSeconds(), defaultPaymentMethod: oldCard },
    { ends: now.plus({ days: 20 }).toSeconds(), defaultPaymentMethod: oldCard, quantity: 3 },
  ];
  const schedule = world.sandbox.schedulePhases(subscriptionId, phases);
  await world.settle();
  const card = await change(customerId, better());
  expect(cardOf(subscriptionId)).toBe(card);
  expect(schedule.phases.map((phase) => phase.default_payment_method)).toEqual([card, card]);
  await world.advance({ days: 11 });
  expect([cardOf(subscriptionId), subscriptionOf(subscriptionId)?.items.data[0]?.quantity]).toEqual([
    card,
    3,
  ]);
});

inFull('a lost answer and a missing permission only delay the change of the card', async () => {
  const { customerId, subscriptionId, invoiceId } = await failingOnItsOwnCard();
  const path = `/v1/subscriptions/${subscriptionId}`;
  world.sandbox.faults.next('POST', path, 'permission_denied');
  world.sandbox.faults.next('POST', path, 'drop_after', 9);
  const card = await change(customerId, better());
  const { code, text } = await reportStatus(world.plugin.parts.database, {}, world.clock.now());
  expect([code, text]).toEqual([1, expect.stringContaining('Waiting until Stripe accepts the key')]);
  await world.advance({ hours: 3 });
  expect([statusOf(world, invoiceId), cardOf(subscriptionId)]).toEqual(['paid', card]);
  const keys = new Set(updates(subscriptionId).map(({ idempotencyKey }) => idempotencyKey));
  expect(keys.size).toBe(1);
});

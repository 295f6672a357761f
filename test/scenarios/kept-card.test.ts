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
import { failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world.stop());
afterEach(() => world.reset());

const old = () => acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' }));
const better = (fingerprint = 'better') => accepts({ last4: '1111', fingerprint });
const subscriptionOf = (id: string) => world.sandbox.state.subscriptions.get(id);
const cardOf = (id: string) => subscriptionOf(id)?.default_payment_method ?? null;
const updates = (id: string) =>
  world.sandbox.state.apiCalls.filter(
    ({ method, path }) => method === 'POST' && path === `/v1/subscriptions/${id}`,
  );
const kept = async (invoiceId: string) =>
  (await storyOf(world, invoiceId)).filter((kind) => kind.startsWith('card.'));

function nameOwnCard({ customerId, subscriptionId }: Subscriber): string {
  const { invoice_settings: settings } = world.sandbox.state.customers.get(customerId) ?? {};
  const card = String(settings?.default_payment_method);
  world.sandbox.updateSubscription(subscriptionId, { default_payment_method: card });
  return card;
}

/** A subscriber whose subscription names its card, which fails at the second month. */
async function failingOnItsOwnCard(): Promise<Subscriber & { invoiceId: string; oldCard: string }> {
  const subscriber = await subscribe(world, old());
  const oldCard = nameOwnCard(subscriber);
  await world.settle();
  return { ...subscriber, oldCard, invoiceId: await renew(world, subscriber.subscriptionId) };
}

async function change(customerId: string, behaviour: PaymentMethodBehaviour): Promise<string> {
  const { id } = world.sandbox.changeDefaultCard(customerId, behaviour);
  await world.settle();
  return id;
}

test('the card that paid this month pays the next one, also in the phases of a schedule; one that is declined is not kept, and one that was chosen while a debit was under way stays', async () => {
  const { sandbox } = world;
  const cards = { paying: old(), declined: old(), debit: old(), planned: old() };
  const names = Object.keys(cards) as (keyof typeof cards)[];
  const ownCards: Record<string, string> = {};
  const failed = await failTogether(world, cards, {
    isOlder: true,
    between: async (subscriberOf) => {
      for (const name of names) ownCards[name] = nameOwnCard(subscriberOf(name));
      await world.settle();
    },
  });
  const [paying, declined, debit, planned] = [
    failed('paying'),
    failed('declined'),
    failed('debit'),
    failed('planned'),
  ];
  const now = world.clock.now();
  const defaultPaymentMethod = ownCards.planned ?? '';
  const schedule = sandbox.schedulePhases(planned.subscriptionId, [
    { ends: now.plus({ days: 10 }).toSeconds(), defaultPaymentMethod },
    { ends: now.plus({ days: 20 }).toSeconds(), defaultPaymentMethod, quantity: 3 },
  ]);
  await world.settle();
  sandbox.webhookFaults.duplicate = 1;
  const { id: card } = sandbox.changeDefaultCard(paying.customerId, better('paying'));
  const refused = declines('insufficient_funds', {}, { last4: '0341' });
  sandbox.changeDefaultCard(declined.customerId, refused);
  sandbox.changeDefaultCard(debit.customerId, pendingThen('succeed', { days: 4 }));
  const { id: next } = sandbox.changeDefaultCard(planned.customerId, better('planned'));
  await world.settle();
  expect([statusOf(world, paying.invoiceId), cardOf(paying.subscriptionId)]).toEqual(['paid', card]);
  expect(statusOf(world, await renew(world, paying.subscriptionId))).toBe('paid');
  expect(await kept(paying.invoiceId)).toEqual(['card.kept']);
  expect(updates(paying.subscriptionId)).toHaveLength(1);
  sandbox.webhookFaults.duplicate = 0;
  expect(cardOf(declined.subscriptionId)).toBe(ownCards.declined);
  sandbox.voidInvoice(declined.invoiceId);
  expect(cardOf(planned.subscriptionId)).toBe(next);
  expect(schedule.phases.map((phase) => phase.default_payment_method)).toEqual([next, next]);

  await world.advance({ days: 1 });
  const { id: later } = sandbox.attachCard(debit.customerId, better('debit'));
  sandbox.updateSubscription(debit.subscriptionId, { default_payment_method: later });
  await world.advance({ days: 10 });
  expect([statusOf(world, debit.invoiceId), cardOf(debit.subscriptionId)]).toEqual(['paid', later]);
  // The next phase does not bring the old one back.
  const quantity = subscriptionOf(planned.subscriptionId)?.items.data[0]?.quantity;
  expect([cardOf(planned.subscriptionId), quantity]).toEqual([next, 3]);
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

/** Stripe can pause a subscription when a payment fails: its invoice is still owed (stripe-facts 2.1, 2.8). */
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { attemptsOf, failingInvoice, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { afterFirstFailure: 'pause' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const subscriptionOf = (id: string) => world.sandbox.state.subscriptions.get(id)?.status;

async function stateToldOf(id: string): Promise<unknown> {
  const [row] = await world.query('select state from retry_service.subscriptions where id = $1', [id]);
  return row;
}

test('the invoice of a subscription that its first failure paused is retried, and the payment resumes it', async () => {
  const { invoiceId, subscriptionId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  expect(subscriptionOf(subscriptionId)).toBe('paused');
  expect(await stateToldOf(subscriptionId)).toEqual({ state: 'SUBSCRIPTION_STATE_ACTIVE' });
  await world.advance({ days: 28 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect((await attemptsOf(world, invoiceId)).map(({ source, outcome }) => `${source} ${outcome}`)).toEqual([
    'stripe declined',
    'ours paid',
  ]);
  expect(subscriptionOf(subscriptionId)).toBe('active');
});

test('a new card pays the invoice of a paused subscription, and resumes it', async () => {
  const { invoiceId, subscriptionId, customerId } = await failingInvoice(
    world,
    acceptsFirst(1, declines('lost_card')),
  );
  await world.advance({ days: 1 });
  expect(world.email.emails.length).toBeGreaterThan(0);
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  await world.advance({ hours: 2 });
  expect([statusOf(world, invoiceId), subscriptionOf(subscriptionId)]).toEqual(['paid', 'active']);
});

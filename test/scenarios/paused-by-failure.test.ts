/** Stripe can pause a subscription when a payment fails: its invoice is still owed (stripe-facts 2.1, 2.8). */
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { attemptsOf, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { emailsTo } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { afterFirstFailure: 'pause' } });
});
afterAll(() => world?.stop());

const subscriptionOf = (id: string) => world.sandbox.state.subscriptions.get(id)?.status;

async function stateToldOf(id: string): Promise<unknown> {
  const [row] = await world.query('select state from retry_service.subscriptions where id = $1', [id]);
  return row;
}

test('the invoice of a subscription that its first failure paused is retried, or paid by a new card; the payment resumes it', async () => {
  const [short, lost] = await failList(
    world,
    [
      { paymentMethod: declinesTimes(1, 'insufficient_funds') },
      { paymentMethod: acceptsFirst(1, declines('lost_card', {}, { last4: '9987' })), mailbox: 'lost' },
    ],
    'older',
  );
  for (const { subscriptionId } of [short, lost]) {
    expect(subscriptionOf(subscriptionId)).toBe('paused');
    expect(await stateToldOf(subscriptionId)).toEqual({ state: 'SUBSCRIPTION_STATE_ACTIVE' });
  }
  await world.advance({ days: 1 });
  expect(emailsTo(world, 'lost').length).toBeGreaterThan(0);
  world.sandbox.changeDefaultCard(lost.customerId, accepts({ last4: '1111' }));
  await world.advance({ hours: 2 });
  expect([statusOf(world, lost.invoiceId), subscriptionOf(lost.subscriptionId)]).toEqual(['paid', 'active']);

  await world.advance({ days: 12 });
  expect([statusOf(world, short.invoiceId), subscriptionOf(short.subscriptionId)]).toEqual([
    'paid',
    'active',
  ]);
  const attempts = await attemptsOf(world, short.invoiceId);
  expect(attempts.map(({ source, outcome }) => `${source} ${outcome}`)).toEqual([
    'stripe declined',
    'ours paid',
  ]);
});

/** What one card answers holds for everything that its payer owes (stripe-facts 5.10, 5.12). */
import { acceptsFirst, declinesInTurn } from '../../src/sandbox/stripe/payment-behaviour.ts';
import { statusOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

/** An invoice of no subscription, charged at once. */
async function bill(customerId: string, amount: number): Promise<string> {
  const { id } = world.sandbox.invoiceOnce(customerId, amount);
  await world.settle();
  return id;
}

async function attemptTimes(invoiceId: string): Promise<Date[]> {
  const rows = await world.query<{ at: Date }>(
    'select started_at as at from payment_retry.attempts where invoice_id = $1 order by started_at',
    [invoiceId],
  );
  return rows.map(({ at }) => at);
}

test('payments that a card made are not counted against it', async () => {
  const card = acceptsFirst(9, declinesInTurn(['insufficient_funds'], {}, { brand: 'amex' }));
  const { customerId, subscriptionId } = await subscribe(world, card);
  for (let paid = 1; paid < 9; paid += 1) await bill(customerId, 100 * paid);
  const { id: invoiceId } = world.sandbox.renewNow(subscriptionId);
  await world.advance({ days: 9 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  const [failed, retried] = await attemptTimes(invoiceId);
  expect(Number(retried) - Number(failed)).toBeLessThan(9 * 86_400_000);
});

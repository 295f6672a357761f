/** Bank accounts and cards from before there were payment methods keep the limits of what they are. */
import { pendingThen } from '../../src/sandbox/stripe/payment-behaviour.ts';
import { chargesOf, instruct, payCalls, renew } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { stripeRetries: 'off' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const RETURNED = () => pendingThen('fail', { code: 'insufficient_funds', days: 1 });

async function billedToOldAccount(): Promise<string> {
  const { id: customer } = world.sandbox.createCustomer({ email: 'ada@example.com', country: 'US' });
  world.sandbox.giveBankAccount(customer, RETURNED());
  const price = world.sandbox.createPrice({ unit_amount: 2000 });
  const { id } = world.sandbox.importSubscription({ customer, items: [{ price: price.id, quantity: 1 }] });
  const invoiceId = await renew(world, id);
  await world.advance({ days: 2 });
  return invoiceId;
}

test('an ACH debit of an old bank account is presented three times, whatever the service asks', async () => {
  const invoiceId = await billedToOldAccount();
  expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  for (let asked = 0; asked < 5; asked += 1) {
    await instruct(world, invoiceId, 'RETRY');
    await world.advance({ days: 3 });
  }
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'failed', 'failed']);
});

test('three times also where the key may not read the account, and by the embedded service alone', async () => {
  world.sandbox.faults.next('GET', /\/sources\//, 'permission_denied', 1000);
  const invoiceId = await billedToOldAccount();
  await world.advance({ days: 29 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'failed', 'failed']);
  expect(payCalls(world, invoiceId)).toHaveLength(2);
  await instruct(world, invoiceId, 'RETRY');
  await world.advance({ days: 2 });
  expect(payCalls(world, invoiceId)).toHaveLength(2);
});

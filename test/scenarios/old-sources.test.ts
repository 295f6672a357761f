/** Bank accounts and cards from before there were payment methods keep the limits of what they are. */
import { acceptsFirst, declines, pendingThen } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { chargesOf, instruct, payCalls, renew, statusOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { stripeRetries: 'off' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const RETURNED = () => pendingThen('fail', { code: 'insufficient_funds', days: 1 });

/** Invoices of customers whose only method is an account of old, which returns the debit. */
async function failAtOldAccounts(count: number): Promise<string[]> {
  const { sandbox } = world;
  const customers = Array.from({ length: count }, (_none, index) => {
    const { id } = sandbox.createCustomer({ email: `payer${index}@example.com`, country: 'US' });
    sandbox.giveBankAccount(id, RETURNED());
    return id;
  });
  await world.advance({ minutes: 1 });
  const price = sandbox.createPrice({ unit_amount: 2000 });
  const items = [{ price: price.id, quantity: 1 }];
  const invoices = customers.map((customer) => {
    const { id } = sandbox.importSubscription({ customer, items });
    return sandbox.renewNow(id).id;
  });
  await world.settle();
  return invoices;
}

const customerOf = (invoiceId: string) => world.sandbox.state.invoices.get(invoiceId)?.customer ?? '';

const chargesBy = (invoiceId: string) => {
  const { invoicePayments, charges } = world.sandbox.state;
  const [payment] = invoicePayments.newestFirst({ index: 'invoice', key: invoiceId });
  const ofPayment = { index: 'paymentIntent', key: payment?.payment.payment_intent ?? '' } as const;
  return [...charges.newestFirst(ofPayment)].map(({ payment_method: method }) => method).reverse();
};

test('an ACH debit of an old bank account is presented three times, whatever the service asks; another one pays at once what the one before it did not, but is no news beside a payment method, which goes before it', async () => {
  const [asked = '', invoiceId = '', other = ''] = await failAtOldAccounts(3);
  await world.advance({ days: 2 });
  const { id: source } = world.sandbox.giveBankAccount(
    customerOf(invoiceId),
    pendingThen('succeed', { days: 4 }),
  );
  const { id: card } = world.sandbox.changeDefaultCard(customerOf(other), declines('insufficient_funds'));
  await world.settle();
  world.sandbox.giveBankAccount(customerOf(other), pendingThen('succeed'));
  await world.settle();
  expect(chargesBy(other).slice(1)).toEqual([card]);
  expect(chargesBy(invoiceId).slice(1)).toEqual([source]);
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'pending']);
  world.sandbox.voidInvoice(other);
  expect(chargesOf(world, asked)).toEqual(['failed']);
  for (let times = 0; times < 4; times += 1) {
    await instruct(world, asked, 'RETRY');
    await world.advance({ days: 3 });
  }
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  expect(chargesOf(world, asked)).toEqual(['failed', 'failed', 'failed']);
});

test('three times also where the key may not read the account, and by the embedded service alone', async () => {
  world.sandbox.faults.next('GET', /\/sources\//, 'permission_denied', 1000);
  const [invoiceId = ''] = await failAtOldAccounts(1);
  await world.advance({ days: 28 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'failed', 'failed']);
  expect(payCalls(world, invoiceId)).toHaveLength(2);
  await instruct(world, invoiceId, 'RETRY');
  await world.advance({ days: 1 });
  expect(payCalls(world, invoiceId)).toHaveLength(2);
});

test('a subscription that named a card is charged on the old bank account that has paid', async () => {
  const { customerId, subscriptionId } = await subscribe(world, acceptsFirst(1, declines('stolen_card')));
  const { id: card } = world.sandbox.changeDefaultCard(customerId, acceptsFirst(1, declines('stolen_card')));
  world.sandbox.updateSubscription(subscriptionId, { default_payment_method: card });
  const customer = world.sandbox.state.customers.get(customerId);
  if (customer) customer.invoice_settings.default_payment_method = null;
  await world.settle();
  const paid = await renew(world, subscriptionId);
  const invoiceId = statusOf(world, paid) === 'paid' ? await renew(world, subscriptionId) : paid;
  const ends = world.clock.now().plus({ days: 20 }).toSeconds();
  world.sandbox.schedulePhases(subscriptionId, [{ ends, defaultPaymentMethod: card }]);
  await world.settle();
  const { id: source } = world.sandbox.giveBankAccount(customerId, pendingThen('succeed', { days: 2 }));
  await world.settle();
  await world.advance({ days: 5 });
  const subscription = world.sandbox.state.subscriptions.get(subscriptionId);
  const charged = [subscription?.default_payment_method, subscription?.default_source];
  expect([statusOf(world, invoiceId), ...charged]).toEqual(['paid', null, source]);
  // Its phases name payment methods alone.
  const { apiCalls } = world.sandbox.state;
  expect(
    apiCalls.filter(({ method, path }) => method === 'POST' && path.includes('subscription_schedules')),
  ).toEqual([]);
});

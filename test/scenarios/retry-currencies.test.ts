/** What a retry charges, and in which currency, only the invoice says. */
import { acceptsFirst, declinesInTurn } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { callBack, payCalls, renew, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

test('two retries with one card are made in the currency of each invoice, whatever they name, and at once', async () => {
  const { id: customer } = world.sandbox.createCustomer({
    email: 'ada@example.com',
    paymentMethod: acceptsFirst(2, declinesInTurn(['insufficient_funds', 'insufficient_funds'])),
  });
  const subscribeIn = (currency: string) => {
    const { id: price } = world.sandbox.createPrice({ currency, unit_amount: 2000 });
    return world.sandbox.createSubscription({ customer, items: [{ price }], currency }).id;
  };
  const subscriptions = ['usd', 'eur'].map(subscribeIn);
  await world.settle();
  const invoices: string[] = [];
  for (const id of subscriptions) invoices.push(await renew(world, id));
  expect(invoices.map((id) => statusOf(world, id))).toEqual(['open', 'open']);
  await world.advance({ hours: 25 });
  for (const invoiceId of invoices) {
    const { status } = await callBack(world, {
      requestId: `retry of ${invoiceId}`,
      invoiceId,
      actionSuggestion: 'ACTION_SUGGESTION_RETRY',
      idealRetryTime: world.clock.now().toISO(),
      currency: 'JPY',
      amount: 1,
    });
    expect(status).toBe(200);
  }
  await world.settle();
  await world.advance({ minutes: 1 });
  expect(invoices.map((id) => statusOf(world, id))).toEqual(['paid', 'paid']);
  expect(invoices.map((id) => payCalls(world, id).length)).toEqual([1, 1]);
  const attempts = await world.query(
    `select invoice_id as id, amount, currency from payment_retry.attempts where source = 'ours' order by currency desc`,
  );
  expect(attempts).toEqual([
    { id: invoices[0], amount: 2000, currency: 'usd' },
    { id: invoices[1], amount: 2000, currency: 'eur' },
  ]);
});

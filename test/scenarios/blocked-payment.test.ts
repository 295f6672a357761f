/** Stripe refused to send the payment to the bank: whatever the decline code says, it is not tried again. */
import { acceptsFirst, declines } from '../../src/sandbox/stripe/payment-behaviour.ts';
import { actionsOf, failingInvoice, instruct, payCalls } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const blocked = (outcomeReason: string) =>
  acceptsFirst(1, declines('generic_decline', { outcomeType: 'blocked', outcomeReason }));

test.each([
  ['previously_declined_do_not_retry', 'previously_declined_do_not_retry'],
  ['a_reason_of_next_year', 'blocked'],
  ['generic_decline', 'blocked'],
])('a payment blocked for %s is not tried again', async (reason, because) => {
  const { invoiceId } = await failingInvoice(world, blocked(reason));
  await instruct(world, invoiceId, 'RETRY');
  await world.advance({ days: 2 });
  expect(payCalls(world, invoiceId)).toEqual([]);
  expect(await actionsOf(world, invoiceId)).toMatchObject([
    { state: 'closed', reason: expect.stringContaining(`declined with ${because},`) },
  ]);
});

/** A card whose holder told the bank of fraud is not charged, for whichever invoice, until that is settled (stripe-facts 5.12). */
import {
  acceptsFirst,
  declinesTimes,
  type PaymentMethodBehaviour,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { inFull } from '../support/runner/full-run.ts';
import {
  actionsOf,
  chargesOf,
  instruct,
  payCalls,
  renew,
  type Subscriber,
  statusOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { emailsTo } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { stripeRetries: 'off' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

/** Short of money once, after the first month was paid. */
const shortOnce = (fingerprint = 'short'): PaymentMethodBehaviour =>
  declinesTimes(1, 'insufficient_funds', {}, { last4: '0341', fingerprint });

function firstCharge({ customerId }: Subscriber): string {
  const [charge] = [
    ...world.sandbox.state.charges.newestFirst({ index: 'customer', key: customerId }),
  ].reverse();
  return charge?.id ?? '';
}

async function failing(): Promise<Subscriber & { invoiceId: string }> {
  const subscriber = await subscribe(world, shortOnce());
  return { ...subscriber, invoiceId: await renew(world, subscriber.subscriptionId) };
}

test('a card that its holder reported pays nothing, also for who shares it or chooses it anew: an email asks for another; once the dispute is won or a person says so, it is charged again', async () => {
  const [disputed, own, shared, chosen] = await failList(world, [
    { paymentMethod: shortOnce('disputed'), mailbox: 'disputed' },
    { paymentMethod: shortOnce('shared') },
    { paymentMethod: shortOnce('shared') },
    { paymentMethod: shortOnce('chosen'), mailbox: 'chosen' },
  ]);
  const dispute = world.sandbox.disputeCharge(firstCharge(disputed));
  world.sandbox.warnOfFraud(firstCharge(chosen));
  const soon = world.clock.now().plus({ hours: 30 });
  // They were planned before the warning.
  for (const { invoiceId } of [own, shared]) await instruct(world, invoiceId, 'RETRY', soon);
  await world.advance({ hours: 25 });
  await instruct(world, chosen.invoiceId, 'CARD_CHANGE', world.clock.now().plus({ hours: 2 }));
  world.sandbox.changeDefaultCard(chosen.customerId, acceptsFirst(9, shortOnce('chosen')));
  await world.advance({ hours: 4 });
  expect([payCalls(world, chosen.invoiceId), emailsTo(world, 'chosen').length]).toEqual([[], 1]);
  world.sandbox.voidInvoice(chosen.invoiceId);

  world.sandbox.warnOfFraud(firstCharge(own));
  await world.advance({ hours: 20 });
  expect([own, shared].map(({ invoiceId }) => payCalls(world, invoiceId).length)).toEqual([0, 0]);
  await operate(world, 'release', { invoice: own.invoiceId }, 'it was the holder');
  await instruct(world, own.invoiceId, 'RETRY');
  expect([own, shared].map(({ invoiceId }) => statusOf(world, invoiceId))).toEqual(['paid', 'open']);
  world.sandbox.voidInvoice(shared.invoiceId);

  await world.advance({ days: 10 });
  const { invoiceId } = disputed;
  expect([chargesOf(world, invoiceId), payCalls(world, invoiceId)]).toEqual([['failed'], []]);
  expect((await actionsOf(world, invoiceId)).map(({ kind, state }) => [kind, state])).toEqual([
    ['pay', 'closed'],
    ...Array.from({ length: 3 }, () => ['card_update_email', 'done']),
  ]);
  expect(emailsTo(world, 'disputed')).toHaveLength(3);
  world.sandbox.closeDispute(dispute.id, 'won');
  await world.settle();
  await instruct(world, invoiceId, 'RETRY');
  expect(statusOf(world, invoiceId)).toBe('paid');
});

inFull(
  'a lost dispute lifts nothing; one about the goods makes the payer wait until it is closed',
  async () => {
    const lost = await failing();
    world.sandbox.closeDispute(world.sandbox.disputeCharge(firstCharge(lost)).id, 'lost');
    const { customerId, subscriptionId } = await subscribe(
      world,
      declinesTimes(1, 'insufficient_funds', {}, { last4: '0342' }),
    );
    const other = { customerId, subscriptionId, invoiceId: await renew(world, subscriptionId) };
    const dispute = world.sandbox.disputeCharge(firstCharge(other), 'product_not_received');
    await world.advance({ hours: 25 });
    for (const { invoiceId } of [lost, other]) await instruct(world, invoiceId, 'RETRY');
    expect([lost, other].map(({ invoiceId }) => statusOf(world, invoiceId))).toEqual(['open', 'open']);
    world.sandbox.closeDispute(dispute.id, 'won');
    await world.advance({ hours: 25 });
    expect([lost, other].map(({ invoiceId }) => statusOf(world, invoiceId))).toEqual(['open', 'paid']);
  },
);

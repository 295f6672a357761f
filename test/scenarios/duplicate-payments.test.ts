/** Equal amounts on one card keep their distance, and a bank that takes one for another is asked once more (stripe-facts 5.11). */
import type { DateTime } from 'luxon';
import { describeDecline } from '../../src/workbench/sandbox/decline-details.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesInTurn,
  declinesUntil,
  type PaymentMethodBehaviour,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { inFull } from '../support/runner/full-run.ts';
import { chargesOf, failingInvoice, instruct, renew, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const DUPLICATE = 'duplicate_transaction';
const stolen = () => acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' }));

/** The bank takes an amount that it approved less than six hours ago for the same payment. */
function wary(card: PaymentMethodBehaviour): PaymentMethodBehaviour {
  const approved = new Map<number, DateTime>();
  const decline = describeDecline(DUPLICATE, {});
  return {
    ...card,
    answer: (request) => {
      const { amount, at } = request;
      const before = approved.get(amount);
      if (before && at < before.plus({ hours: 6 })) return { kind: 'declined', decline };
      const answer = card.answer(request);
      if (answer.kind === 'accepted') approved.set(amount, at);
      return answer;
    },
  };
}

test('a new card pays three invoices of one amount, hours apart', async () => {
  const { customerId, subscriptionId, invoiceId } = await failingInvoice(world, stolen());
  await world.advance({ minutes: 1 });
  const second = await renew(world, subscriptionId);
  await world.advance({ minutes: 1 });
  const third = await renew(world, subscriptionId);
  world.sandbox.changeDefaultCard(customerId, wary(accepts({ last4: '1111' })));
  await world.advance({ minutes: 1 });
  expect([invoiceId, third].map((id) => statusOf(world, id))).toEqual(['open', 'paid']);
  await world.advance({ hours: 17 });
  const paid = [invoiceId, second, third].map((id) => chargesOf(world, id));
  expect(paid).toEqual([1, 2, 3].map(() => ['failed', 'succeeded']));
});

test('two retries that are asked for at one time, of one amount, are not made at one time', async () => {
  const funded = world.clock.now().plus({ hours: 20 });
  const card = declinesUntil(funded, 'insufficient_funds', {}, { last4: '0341' });
  const { subscriptionId, invoiceId } = await failingInvoice(world, wary(acceptsFirst(1, card)));
  const second = await renew(world, subscriptionId);
  await world.advance({ hours: 25 });
  await instruct(world, invoiceId, 'RETRY');
  await instruct(world, second, 'RETRY');
  await world.advance({ hours: 1 });
  expect([statusOf(world, invoiceId), statusOf(world, second)].sort()).toEqual(['open', 'paid']);
  await world.advance({ hours: 8 });
  expect([invoiceId, second].map((id) => chargesOf(world, id))).toEqual([
    ['failed', 'succeeded'],
    ['failed', 'succeeded'],
  ]);
});

test('after the code an invoice that is still unpaid is tried once more, a day later', async () => {
  const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declinesInTurn([DUPLICATE])));
  await world.advance({ hours: 23 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  await world.advance({ hours: 2 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
});

inFull(
  'said twice of one invoice the code ends it, without an email; the next invoice is collected',
  async () => {
    const card = acceptsFirst(1, declinesInTurn([DUPLICATE, DUPLICATE, 'insufficient_funds']));
    const { subscriptionId, invoiceId } = await failingInvoice(world, card);
    await world.advance({ days: 29 });
    expect([chargesOf(world, invoiceId), world.email.emails]).toEqual([['failed', 'failed'], []]);
    const next = await renew(world, subscriptionId);
    expect(chargesOf(world, next)).toEqual(['failed']);
    await world.advance({ days: 8 });
    expect(statusOf(world, next)).toBe('paid');
    expect(statusOf(world, invoiceId)).toBe('open');
    await operate(world, 'release', { invoice: invoiceId }, 'not a duplicate');
    await instruct(world, invoiceId, 'RETRY');
    expect(statusOf(world, invoiceId)).toBe('paid');
  },
);

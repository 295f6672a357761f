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
import { type ByName, failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

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

describe('of subscribers of one moment', () => {
  let start: DateTime;
  let failed: ByName<'renewing' | 'asked' | 'once'>;
  let second: string;
  beforeAll(async () => {
    start = world.clock.now();
    const card = declinesUntil(start.plus({ hours: 20 }), 'insufficient_funds', {}, { last4: '0341' });
    failed = await failTogether(world, {
      renewing: stolen(),
      asked: wary(acceptsFirst(1, card)),
      once: acceptsFirst(1, declinesInTurn([DUPLICATE])),
    });
    second = await renew(world, failed('asked').subscriptionId);
  });
  afterAll(() => world.reset());
  const until = (hours: number) => world.advance(start.plus({ hours }).diff(world.clock.now()));

  test('a new card pays three invoices of one amount, hours apart', async () => {
    const { customerId, subscriptionId, invoiceId } = failed('renewing');
    await world.advance({ minutes: 1 });
    const second = await renew(world, subscriptionId);
    await world.advance({ minutes: 1 });
    const third = await renew(world, subscriptionId);
    world.sandbox.changeDefaultCard(customerId, wary(accepts({ last4: '1111' })));
    await world.advance({ minutes: 1 });
    expect([invoiceId, third].map((id) => statusOf(world, id))).toEqual(['open', 'paid']);
    await until(18);
    const paid = [invoiceId, second, third].map((id) => chargesOf(world, id));
    expect(paid).toEqual([1, 2, 3].map(() => ['failed', 'succeeded']));
  });

  test('after the code an invoice that is still unpaid is tried once more, a day later', async () => {
    const { invoiceId } = failed('once');
    await until(23);
    expect(chargesOf(world, invoiceId)).toEqual(['failed']);
    await until(25);
    expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  });

  test('two retries that are asked for at one time, of one amount, are not made at one time', async () => {
    const both = [failed('asked').invoiceId, second];
    await until(25);
    for (const invoiceId of both) await instruct(world, invoiceId, 'RETRY');
    await world.advance({ hours: 1 });
    expect(both.map((id) => statusOf(world, id)).sort()).toEqual(['open', 'paid']);
    await world.advance({ hours: 8 });
    expect(both.map((id) => chargesOf(world, id))).toEqual([
      ['failed', 'succeeded'],
      ['failed', 'succeeded'],
    ]);
  });
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

/** One change of card is told by several events, in any order and any number: each open invoice is paid once. */
import fc from 'fast-check';
import { accepts, acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { firstOf } from '../support/runner/full-run.ts';
import {
  chargesOf,
  failingInvoice,
  payCalls,
  renew,
  type Subscriber,
  statusOf,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const FAILING = acceptsFirst(1, declines('stolen_card'));
const GOOD = accepts({ last4: '1111', fingerprint: 'fp_good' });

type Telling = (subscriber: Subscriber, card: string) => void;

/** The ways in which Stripe may tell of one and the same card. */
const TELLINGS: Readonly<Record<string, Telling>> = {
  subscription: ({ subscriptionId }, card) =>
    void world.sandbox.updateSubscription(subscriptionId, { default_payment_method: card }),
  noOverride: ({ subscriptionId }) =>
    void world.sandbox.updateSubscription(subscriptionId, { default_payment_method: null }),
  updater: (_subscriber, card) => void world.sandbox.replaceCardAutomatically(card, GOOD),
  nothing: () => {},
};

const stories = fc.record({
  tellings: fc.array(fc.constantFrom(...Object.keys(TELLINGS)), { minLength: 1, maxLength: 4 }),
  pauses: fc.array(fc.constantFrom(0, 1, 90), { minLength: 4, maxLength: 4 }),
  duplicate: fc.constantFrom(0, 0.5, 1),
  drop: fc.constantFrom(0, 0, 0.3),
});

test.each(firstOf(3, fc.sample(stories, 6)))('told as %j', async ({ tellings, pauses, duplicate, drop }) => {
  const subscriber = await failingInvoice(world, FAILING);
  await world.advance({ hours: 1 });
  const invoices = [subscriber.invoiceId, await renew(world, subscriber.subscriptionId)];
  const before = world.sandbox.state.apiCalls.length;
  Object.assign(world.sandbox.webhookFaults, { duplicate, drop, shuffle: true });
  const { id: card } = world.sandbox.changeDefaultCard(subscriber.customerId, GOOD);
  for (const [at, telling] of tellings.entries()) {
    TELLINGS[telling]?.(subscriber, card);
    await world.advance({ seconds: pauses[at] ?? 0 });
  }
  // What was dropped is found in Stripe's list of events; equal amounts on one card keep apart.
  await world.advance({ hours: 9 });

  expect(invoices.map((id) => statusOf(world, id))).toEqual(['paid', 'paid']);
  for (const id of invoices) {
    expect(payCalls(world, id)).toHaveLength(1);
    expect(chargesOf(world, id).filter((state) => state === 'succeeded')).toHaveLength(1);
  }
  const paid = world.sandbox.state.apiCalls.slice(before).filter(({ path }) => path.endsWith('/pay'));
  expect(paid.map(({ path }) => path.split('/').at(-2))).toEqual(invoices.toReversed());
});

test('a subscription that loses its own dead card is charged on the customer’s', async () => {
  const subscriber = await failingInvoice(world, GOOD);
  const { id: dead } = world.sandbox.attachCard(subscriber.customerId, declines('expired_card'));
  world.sandbox.updateSubscription(subscriber.subscriptionId, { default_payment_method: dead });
  const invoiceId = await renew(world, subscriber.subscriptionId);
  expect(statusOf(world, invoiceId)).toBe('open');
  world.sandbox.updateSubscription(subscriber.subscriptionId, { default_payment_method: null });
  await world.advance({ hours: 9 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
});

/** One change of card is told by several events, in any order and any number: each open invoice is paid once. */
import fc from 'fast-check';
import {
  accepts,
  acceptsFirst,
  declines,
  type PaymentMethodBehaviour,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
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
import { failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const failing = (name: string) =>
  acceptsFirst(1, declines('stolen_card', {}, { fingerprint: `fp_stolen_${name}` }));
const GOOD = accepts({ last4: '1111', fingerprint: 'fp_good' });

type Telling = (subscriber: Subscriber, card: string, good: PaymentMethodBehaviour) => void;

/** The ways in which Stripe may tell of one and the same card. */
const TELLINGS: Readonly<Record<string, Telling>> = {
  subscription: ({ subscriptionId }, card) =>
    void world.sandbox.updateSubscription(subscriptionId, { default_payment_method: card }),
  noOverride: ({ subscriptionId }) =>
    void world.sandbox.updateSubscription(subscriptionId, { default_payment_method: null }),
  updater: (_subscriber, card, good) => void world.sandbox.replaceCardAutomatically(card, good),
  nothing: () => {},
};

const stories = fc.record({
  tellings: fc.array(fc.constantFrom(...Object.keys(TELLINGS)), { minLength: 1, maxLength: 4 }),
  pauses: fc.array(fc.constantFrom(0, 1, 90), { minLength: 4, maxLength: 4 }),
  duplicate: fc.constantFrom(0, 0.5, 1),
  drop: fc.constantFrom(0, 0, 0.3),
});

test('a card that is told of in any way pays each open invoice once', async () => {
  const told = new Map(firstOf(3, fc.sample(stories, 6)).map((story, index) => [`${index + 1}`, story]));
  const failed = await failTogether<string>(
    world,
    Object.fromEntries([...told.keys()].map((name) => [name, failing(name)])),
  );
  await world.advance({ hours: 1 });
  const invoices = new Map<string, readonly string[]>();
  for (const name of told.keys()) {
    const { invoiceId, subscriptionId } = failed(name);
    invoices.set(name, [invoiceId, await renew(world, subscriptionId)]);
  }
  const before = world.sandbox.state.apiCalls.length;
  for (const [name, { tellings, pauses, duplicate, drop }] of told) {
    const card = accepts({ last4: '1111', fingerprint: `fp_good_${name}` });
    Object.assign(world.sandbox.webhookFaults, { duplicate, drop, shuffle: true });
    const { id } = world.sandbox.changeDefaultCard(failed(name).customerId, card);
    for (const [at, telling] of tellings.entries()) {
      TELLINGS[telling]?.(failed(name), id, card);
      await world.advance({ seconds: pauses[at] ?? 0 });
    }
  }
  // Whatever the last story was: the events of the payments themselves get lost and come twice.
  Object.assign(world.sandbox.webhookFaults, { duplicate: 1, drop: 0.3, shuffle: true });
  // What was dropped is found in Stripe's list of events; equal amounts on one card keep apart.
  await world.advance({ hours: 9 });

  const calls = world.sandbox.state.apiCalls.slice(before).filter(({ path }) => path.endsWith('/pay'));
  const paid = calls.map(({ path }) => path.split('/').at(-2) ?? '');
  for (const [name, story] of told) {
    const both = invoices.get(name) ?? [];
    const ends = both.map((id) => [statusOf(world, id), payCalls(world, id).length, ...chargesOf(world, id)]);
    const end = ['paid', 1, 'failed', 'succeeded'];
    const order = paid.filter((id) => both.includes(id));
    expect({ story, ends, order }).toEqual({ story, ends: [end, end], order: both.toReversed() });
  }
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

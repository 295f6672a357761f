/** What is over within hours is tried again within hours (stripe-facts 13.4), by the embedded service and past the guards. */
import {
  acceptsFirst,
  declinesInTurn,
  declinesTimes,
  type PaymentMethodBehaviour,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import { chargesOf, instruct, renew, statusOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { stripeRetries: 'off' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

/** When each charge of an invoice was made, in hours after the first. */
function hoursOf(invoiceId: string): number[] {
  const { invoicePayments, charges } = world.sandbox.state;
  const times = [...invoicePayments.newestFirst({ index: 'invoice', key: invoiceId })]
    .flatMap(({ payment }) => [
      ...charges.newestFirst({ index: 'paymentIntent', key: payment.payment_intent ?? '' }),
    ])
    .map(({ created }) => created)
    .reverse();
  return times.map((created) => Math.round((created - (times[0] ?? 0)) / 360) / 10);
}

/** Renewed so long after the first month that the equal amount is no matter. */
async function failing(behaviour: PaymentMethodBehaviour): Promise<{ invoiceId: string }> {
  const { subscriptionId } = await subscribe(world, behaviour);
  await world.advance({ hours: 9 });
  return { invoiceId: await renew(world, subscriptionId) };
}

const card = (behaviour: PaymentMethodBehaviour) => acceptsFirst(1, behaviour);

inFull(
  'a bank that cannot be reached is asked again after 1, 3 and 6 hours, then on another day',
  async () => {
    const code = 'issuer_not_available';
    const { invoiceId } = await failing(card(declinesInTurn([code, code, code, code])));
    await world.advance({ days: 7 });
    const hours = hoursOf(invoiceId);
    expect([hours.slice(0, 4), statusOf(world, invoiceId)]).toEqual([[0, 1, 4, 10], 'paid']);
    expect((hours[4] ?? 0) - 10).toBeGreaterThanOrEqual(24);
  },
);

test("Mastercard's advice of one hour is followed; what the service asks for earlier waits for the hour", async () => {
  const mastercard = { brand: 'mastercard', last4: '4444' };
  const advice = { networkAdviceCode: '24' };
  const failed = await failTogether(
    world,
    {
      advised: declinesTimes(1, 'insufficient_funds', advice, mastercard),
      asked: declinesTimes(1, 'processing_error'),
      poor: declinesTimes(1, 'insufficient_funds', {}, { last4: '0341' }),
    },
    { between: () => world.advance({ hours: 9 }) },
  );
  const [advised, asked, poor] = [failed('advised'), failed('asked'), failed('poor')];
  for (const { invoiceId } of [asked, poor]) await instruct(world, invoiceId, 'RETRY');
  await world.advance({ hours: 2 });
  expect([advised, asked, poor].map(({ invoiceId }) => hoursOf(invoiceId))).toEqual([
    [0, 1],
    [0, 1],
    [0, 1],
  ]);
  expect(chargesOf(world, advised.invoiceId)).toEqual(['failed', 'succeeded']);
});

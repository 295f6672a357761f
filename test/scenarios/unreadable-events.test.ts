/** Events with a good signature, of which fields are missing or of another kind than Stripe's. */
import fc from 'fast-check';
import Stripe from 'stripe';
import { reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import { accepts, acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { mutate, mutations } from '../plugin/sync/map/mutate.ts';
import { runs } from '../support/runner/full-run.ts';
import { failingInvoice } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({
    isRemote: true,
    plugin: { forwardInvoices: true, forwardTransactions: true },
  });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const SEED = Number(process.env.PROPERTY_SEED ?? 14);
let sent = 0;

/** Under an id of its own. Gives that id, or undefined if it was refused as no event. */
async function send(event: object): Promise<string | undefined> {
  const id = `evt_bent${++sent}`;
  const number = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
  const payload = JSON.stringify({ ...event, id }, number);
  const timestamp = Math.floor(world.clock.now().toSeconds());
  const secret = world.sandbox.webhookSecret;
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const { status } = await fetch(`${world.url}/webhooks/stripe`, {
    method: 'POST',
    body: payload,
    headers: { 'stripe-signature': signature },
  });
  if (status !== 200 && status !== 400) throw new Error(`Answered ${status}: ${payload}`);
  return status === 200 ? id : undefined;
}

const eventOf = (type: string) => {
  const event = [...world.sandbox.state.events.newestFirst()].find((one) => one.type === type);
  if (!event) throw new Error(`There was no ${type}.`);
  return structuredClone(event);
};

async function resultsOf(id: string | undefined): Promise<unknown> {
  const [row] = await world.query<{ results: unknown }>(
    'select results from payment_retry.events where id = $1',
    [id],
  );
  return row?.results;
}

const unreadable = (problem: RegExp) => [
  { code: 'dead', reason: { code: 'unreadable_object', problem: expect.stringMatching(problem) } },
];

test('an event whose object cannot be read ends at its first try, with the field that is wrong', async () => {
  const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('do_not_honor')));
  const failed = eventOf('invoice.payment_failed');
  const changed = eventOf('customer.subscription.updated');
  const odd: [object, RegExp][] = [
    [{ ...failed, data: {} }, /^data\.object: /],
    [{ ...failed, data: { object: { ...failed.data.object, id: undefined } } }, /^data\.object\.id: /],
    [{ ...failed, data: { object: { ...failed.data.object, amount_remaining: '1' } } }, /amount_remaining/],
    [{ ...failed, data: { object: { ...failed.data.object, currency: '\u0000' } } }, /currency/],
    [{ ...failed, data: { object: { ...failed.data.object, attempt_count: 2 ** 40 } } }, /attempt_count/],
    [{ ...failed, data: { object: { ...failed.data.object, customer: 7 } } }, /customer/],
    [{ ...changed, data: { ...changed.data, previous_attributes: 'x' } }, /previous_attributes/],
    [{ ...changed, data: { object: { ...changed.data.object, status: null } } }, /status/],
  ];
  const ids = await Promise.all(odd.map(([event]) => send(event)));
  await world.settle();
  for (const [index, [, problem]] of odd.entries())
    expect(await resultsOf(ids[index])).toEqual(unreadable(problem));
  const { code, text } = await reportStatus(world.plugin.parts.database, {}, world.clock.now());
  expect(code).toBe(1);
  expect(text).toMatch(new RegExp(`${ids[0]} invoice\\.payment_failed: data\\.object: `));
  // What Stripe says of the same invoice goes on being heard.
  world.sandbox.voidInvoice(invoiceId);
  await world.settle();
  const [row] = await world.query('select status from payment_retry.invoices where id = $1', [invoiceId]);
  expect(row).toEqual({ status: 'void' });
});

test('no event, however its fields are bent, is tried again and again', async () => {
  const [{ subscriptionId }, { customerId }] = await failList(
    world,
    [
      { paymentMethod: acceptsFirst(1, declines('do_not_honor')) },
      { paymentMethod: acceptsFirst(1, declines('insufficient_funds', {}, { last4: '9995' })) },
    ],
    'older',
  );
  const { id } = world.sandbox.changeDefaultCard(customerId, accepts());
  world.sandbox.replaceCardAutomatically(id, accepts());
  const charge = [...world.sandbox.state.charges.newestFirst()].find(({ status }) => status === 'succeeded');
  world.sandbox.warnOfFraud(charge?.id ?? '');
  world.sandbox.disputeCharge(charge?.id ?? '', 'fraudulent');
  world.sandbox.cancelSubscription(subscriptionId);
  await world.settle();
  const events = fc.constantFrom(...world.sandbox.state.events.newestFirst());
  const cases = fc.sample(fc.tuple(events, mutations), { numRuns: runs(500), seed: SEED });
  const ids = await Promise.all(cases.map(([event, list]) => send(mutate(event, list))));
  // Some are of one object, and get into each other's way.
  await world.advance({ minutes: 10 });
  const failed = await world.query(
    `select e.type, e.payload, j.output from payment_retry.events e
     left join payment_retry_jobs.job j on j.data->>'eventId' = e.id
     where e.processed_at is null or e.error is not null`,
  );
  expect(failed).toEqual([]);
  expect(ids.filter((one) => one !== undefined).length).toBeGreaterThan(ids.length / 3);
});

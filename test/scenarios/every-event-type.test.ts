/** Every type of event that the SDK declares, in both forms, with fields and values that Stripe may add tomorrow. */
import { readFileSync } from 'node:fs';
import Stripe from 'stripe';
import { isRecord } from '../../src/core/contract/contract.ts';
import { isHandled } from '../../src/plugin/sync/events/handlers.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  pendingThen,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { notificationOf, thinEventsOf } from '../../src/workbench/sandbox/webhooks/thin-events.ts';
import { firstOf } from '../support/runner/full-run.ts';
import { failingInvoice } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

const declared = (file: string) => readFileSync(`node_modules/stripe/esm/resources/${file}`, 'utf8');

/** By type the name of its object: `customer.subscription.created` is of a `subscription`. */
function readTypes(file: string, pattern: RegExp): ReadonlyMap<string, string> {
  return new Map(
    [...declared(file).matchAll(pattern)].map(([, type = '', name = '']) => [
      type,
      name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase(),
    ]),
  );
}

const SNAPSHOTS = readTypes('Events.d.ts', /^ {4}type: '([a-z_.]+)';[\s\S]*?^ {8}object: ([\w.]+);/gm);
const THIN = [...readTypes('V2/Core/Events.d.ts', /^ {4}type: '(v\d\.[a-z_.]+)'/gm).keys()];

let world: World;

let sent = 0;

/** Signed, under an id of its own, as Stripe sends it. */
async function send(event: object): Promise<void> {
  sent += 1;
  const payload = JSON.stringify({ ...event, id: `evt_new${sent}` });
  const timestamp = Math.floor(world.clock.now().toSeconds());
  const secret = world.sandbox.webhookSecret;
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const headers = { 'stripe-signature': signature };
  const { status } = await fetch(`${world.url}/webhooks/stripe`, { method: 'POST', body: payload, headers });
  if (status !== 200) throw new Error(`Answered ${status}: ${payload}`);
}

/** As many at a time as Stripe may send. */
const AT_A_TIME = 16;

async function sendAll(events: readonly object[]): Promise<void> {
  for (let at = 0; at < events.length; at += AT_A_TIME)
    await Promise.all(events.slice(at, at + AT_A_TIME).map(send));
}

/** Of each kind of object the newest event. */
function listNewest() {
  const events = [...world.sandbox.state.events.newestFirst()].reverse();
  return new Map(events.map((event) => [String(Reflect.get(event.data.object, 'object')), event]));
}

/** Words of the contract between Stripe and everybody, or of nobody: no enum of Stripe's. */
const NO_ENUM: ReadonlySet<string> = new Set(['object', 'currency', 'id', 'name', 'email']);

/** The same with a new field in every object, and in the place of every enum's value one that nobody knows. */
function fromTomorrow(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => fromTomorrow(one, key));
  if (typeof value === 'string' && !NO_ENUM.has(key) && /^[a-z][a-z_]*$/.test(value)) return `${value}_x`;
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, fromTomorrow(part, name)]);
  return { ...Object.fromEntries(entries), new_field: { new_value: [null, 1, 'new'] } };
}

/** What became of the events, by type; throws for one that waits, or that nobody could read. */
async function readFates(): Promise<ReadonlyMap<string, readonly { code: string }[]>> {
  const rows = await world.query<{ type: string; error: string | null; results: { code: string }[] | null }>(
    `select type, error, results from payment_retry.events where id like 'evt_new%'`,
  );
  for (const row of rows)
    if (row.error !== null || row.results === null || row.results.some(({ code }) => code === 'dead'))
      throw new Error(`No end for ${JSON.stringify(row)}`);
  return new Map(rows.map(({ type, results }) => [type, results ?? []]));
}

/** One of everything that the handled events are about. */
async function arrange(): Promise<void> {
  const { sandbox } = world;
  const { customerId } = await failingInvoice(world, acceptsFirst(1, declines('insufficient_funds')));
  const { id } = sandbox.changeDefaultCard(customerId, accepts());
  sandbox.replaceCardAutomatically(id, accepts());
  await world.settle();
  const charge = [...sandbox.state.charges.newestFirst()].find(({ status }) => status === 'succeeded');
  sandbox.refundCharge(charge?.id ?? '', { amount: 1 });
  sandbox.warnOfFraud(charge?.id ?? '');
  sandbox.disputeCharge(charge?.id ?? '', 'fraudulent');
  const debit = sandbox.attachCard(
    customerId,
    acceptsFirst(1, pendingThen('succeed', { type: 'sepa_debit' })),
  );
  sandbox.endMandate(debit.id);
  await failingInvoice(world, acceptsFirst(1, declines('do_not_honor')), { isAccount: true });
}

beforeAll(async () => {
  world = await createWorld();
  await arrange();
});
afterAll(() => world?.stop());

/** All that was sent is done; of handled types, something was done about the event. */
async function expectFates(types: readonly string[]): Promise<void> {
  const fates = await readFates();
  const left = types.filter((type) => fates.get(type)?.every(({ code }) => code === 'ignored_type'));
  expect(left).toEqual(types.filter((type) => !isHandled(type)));
}

/** Of an event as it is known, and of one from tomorrow. */
const VERSIONS = firstOf(1, [
  ['2020-08-27', Stripe.API_VERSION],
  ['2031-01-01.fir', null],
  [Stripe.API_VERSION, '2020-08-27'],
  [null, '2031-01-01.fir'],
] as const);

test('a snapshot of any type and version, with new fields and values, is processed or recorded and left', async () => {
  expect(SNAPSHOTS.size).toBeGreaterThan(200);
  const newest = listNewest();
  const created = Math.floor(world.clock.now().toSeconds());
  const events: object[] = [];
  for (const [type, name] of SNAPSHOTS) {
    // Nothing of an application is used.
    if (isHandled(type) && name !== 'application') expect([name, newest.has(name)]).toEqual([name, true]);
    const object = newest.get(name)?.data.object ?? { object: name, id: `${name}_1` };
    const event = { object: 'event', type, created, livemode: false, request: { id: null } };
    const news = {
      ...event,
      data: { object: fromTomorrow(object), new_field: 1 },
      new_field: { of: 'Stripe' },
    };
    const known = { ...event, data: { object } };
    const forms = isHandled(type)
      ? VERSIONS.flatMap(([ofKnown, ofNews]) => [
          { ...known, api_version: ofKnown },
          { ...news, api_version: ofNews },
        ])
      : [{ ...news, api_version: null }];
    events.push(...forms);
  }
  await sendAll(events);
  await world.advance({ hours: 1 });
  await expectFates([...SNAPSHOTS.keys()]);
});

test('so is a thin event of any type, whose object is read with new fields and values', async () => {
  expect(THIN.length).toBeGreaterThan(200);
  const newest = listNewest();
  const named = new Map([...SNAPSHOTS].map(([type, name]) => [`v1.${type}`, name]));
  const { invoices, subscriptions, paymentMethods, charges, customers } = world.sandbox.state;
  for (const objects of [invoices, subscriptions, paymentMethods, charges, customers])
    for (const object of objects.newestFirst()) Object.assign(object, fromTomorrow(object));
  const events: object[] = [];
  for (const type of THIN) {
    const event = newest.get(named.get(type) ?? '') ?? newest.get('subscription');
    const [thin] = event ? thinEventsOf(event).slice(0, 1).map(notificationOf) : [];
    const news = { reason: { type: 'new', new: {} }, new_field: [1], context: null };
    const bare = { ...news, related_object: null };
    const forms: readonly object[] = isHandled(type) ? firstOf(1, [news, {}]) : [bare];
    for (const form of forms) events.push({ ...thin, type, ...form });
  }
  await sendAll(events);
  await world.advance({ hours: 1 });
  await expectFates(THIN);
});

/** The forms in which Stripe tells of one and the same: whatever the endpoint was made for, no invoice is lost. */
import { subscribe as onRequest } from 'node:diagnostics_channel';
import { openSdk } from '../../src/plugin/clients/stripe-client.ts';
import { THIN_TYPES } from '../../src/plugin/sync/events/handlers.ts';
import { accepts, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { firstOf, IS_FULL_RUN } from '../support/runner/full-run.ts';
import { attemptsOf, failingInvoice, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

const DESTINATIONS = '/v2/core/event_destinations';
type Form = 'snapshots' | 'thin' | 'both';

/** Worlds of their own, so that ids and times are the same whichever form the events have. */
const worlds = new Map<Form, World>();
afterAll(() => Promise.all([...worlds.values()].map((world) => world.stop())));

async function call(base: string, path: string, key: string, body: object = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(new URL(path, base), { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}

/** From the failure to the payment: what is known of it in the end. */
async function recover(world: World) {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await world.advance({ days: 30 });
  const attempts = await attemptsOf(world, invoiceId);
  return [statusOf(world, invoiceId), ...attempts.map(({ source, outcome }) => `${source} ${outcome}`)];
}

const RECOVERED = ['paid', 'stripe declined', 'ours paid'];

async function worldOf(form: Form): Promise<World> {
  const known = worlds.get(form);
  if (known) return known;
  let destination = '';
  const at = 'webhook_endpoint.signing_secret';
  const world = await createWorld({
    arrange: async (sandbox) => {
      const plan = { type: 'webhook_endpoint', event_payload: 'thin', enabled_events: THIN_TYPES };
      const made = await call(sandbox.url, DESTINATIONS, sandbox.secretKey, {
        ...plan,
        name: 'Thin',
        webhook_endpoint: { url: sandbox.url },
        include: [at],
      });
      destination = made.id;
      await call(sandbox.url, `${DESTINATIONS}/${destination}/disable`, sandbox.secretKey);
      const stripeWebhookSecret = `${sandbox.webhookSecret},${made.webhook_endpoint.signing_secret}`;
      return { stripeWebhookSecret };
    },
  });
  worlds.set(form, world);
  const { sandbox, url } = world;
  const place = { webhook_endpoint: { url: `${url}/webhooks/stripe` } };
  await call(sandbox.url, `${DESTINATIONS}/${destination}`, sandbox.secretKey, place);
  if (form !== 'snapshots')
    await call(sandbox.url, `${DESTINATIONS}/${destination}/enable`, sandbox.secretKey);
  if (form === 'thin') sendNoSnapshots(world);
  return world;
}

function sendNoSnapshots({ sandbox }: World): void {
  for (const endpoint of sandbox.state.webhookEndpoints.newestFirst()) endpoint.status = 'disabled';
}

/** What an installation knows, without the moment of a look. */
const TABLES = {
  subscriptions: `select id, customer_id, status, message - 'updatedAt' as message, unmapped_reason
    from payment_retry.subscriptions order by id`,
  invoices: `select id, customer_id, subscription_id, status, amount_remaining, currency, attempt_count, next_attempt_at,
    is_first, message - 'updatedAt' as message, unmapped_reason from payment_retry.invoices order by id`,
  attempts: `select invoice_id, charge_id, source, attempt_number, amount, outcome, code, decline_code, advice_code, fingerprint
    from payment_retry.attempts order by invoice_id, charge_id`,
};

async function readTables({ query }: World): Promise<Record<string, object[]>> {
  const dead = await query(`select type, error from payment_retry.events where results->0->>'code' = 'dead'`);
  expect(dead).toEqual([]);
  const found: Record<string, object[]> = {};
  for (const [table, sql] of Object.entries(TABLES)) found[table] = await query(sql);
  return found;
}

let requests = 0;
/** What the SDK asks of the sandbox: nobody else names a version. */
onRequest('http.server.request.start', (message) => {
  const { request } = Object(message);
  if (request.headers['stripe-version'] !== undefined) requests += 1;
});

/** Enough that the reads of a catch-up weigh little in what a renewal costs. */
const SUBSCRIBERS = IS_FULL_RUN ? 110 : 6;
const ROUNDS = IS_FULL_RUN ? 6 : 3;

test('one story ends in the same tables by snapshots, by thin events, and by thousands of both, twice and in any order', async () => {
  const tell = async (form: Form) => {
    const told = await worldOf(form);
    const { sandbox } = told;
    const before = requests;
    if (form === 'both') Object.assign(sandbox.webhookFaults, { shuffle: true, duplicate: 0.5 });
    const { id: price } = sandbox.createPrice();
    const ids: string[] = [];
    for (let number = 0; number < SUBSCRIBERS; number += 1) {
      const { id: customer } = sandbox.createCustomer({ paymentMethod: accepts() });
      ids.push(sandbox.importSubscription({ customer, items: [{ price }] }).id);
    }
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const id of ids) {
        sandbox.renewNow(id);
        sandbox.updateSubscription(id, { metadata: { round: String(round) } });
      }
      if (round === ROUNDS) for (const id of ids.slice(0, 2)) sandbox.cancelSubscription(id);
      await told.advance({ minutes: 90 });
    }
    const perRenewal = (requests - before) / (SUBSCRIBERS * ROUNDS);
    Object.assign(sandbox.webhookFaults, { shuffle: true, duplicate: 0.5 });
    expect(await recover(told)).toEqual(RECOVERED);
    const [counted] = await told.query<{ snapshots: number; thin: number }>(
      `select count(*) filter (where type not like 'v1.%')::int as snapshots,
         count(*) filter (where type like 'v1.%')::int as thin from payment_retry.events`,
    );
    const { snapshots = 0, thin = 0 } = counted ?? {};
    return { tables: await readTables(told), snapshots, thin, perRenewal };
  };
  const bySnapshots = await tell('snapshots');
  const byThin = await tell('thin');
  const byBoth = await tell('both');
  expect(byThin.tables).toEqual(bySnapshots.tables);
  expect(byBoth.tables).toEqual(bySnapshots.tables);
  expect([bySnapshots.thin, byThin.snapshots]).toEqual([0, 0]);
  for (const count of [byBoth.snapshots, byBoth.thin]) expect(count).toBeGreaterThan(5);
  expect(byBoth.snapshots + byBoth.thin).toBeGreaterThan(SUBSCRIBERS * ROUNDS * 10);
  // The figures in docs/reference/benchmarks.md, with room for another schedule of catch-ups.
  expect(byThin.perRenewal).toBeLessThan(bySnapshots.perRenewal * 1.5);
  expect(byBoth.perRenewal).toBeLessThan(20);
}, 600_000);

test('what a thin event names and Stripe no longer has is told by the event beside it, or gone, and stops nothing', async () => {
  const told = await worldOf('thin');
  await told.reset();
  sendNoSnapshots(told);
  const { sandbox } = told;
  const codes = async (id: string) => {
    const rows = await told.query<{ results: { code: string }[] }>(
      `select results from payment_retry.events where payload::text like $1 order by id`,
      [`%${id}%`],
    );
    return new Set(rows.flatMap(({ results }) => results.map(({ code }) => code)));
  };
  const stored = (id: string) => told.query('select status from payment_retry.invoices where id = $1', [id]);
  sandbox.faults.next('GET', /\/v1\/invoices\/in_\w+$/, 'missing', 999);
  const { invoiceId: toldOf } = await failingInvoice(told, declinesTimes(1, 'insufficient_funds'));
  expect(await stored(toldOf)).toEqual([{ status: 'open' }]);
  expect(await codes(toldOf)).toContain('mirrored');
  // The event is not there, either.
  sandbox.faults.next('GET', /\/v1\/events\//, 'missing', 999);
  const { invoiceId: gone } = await failingInvoice(told, declinesTimes(1, 'insufficient_funds'));
  expect(await stored(gone)).toEqual([]);
  expect(await codes(gone)).toEqual(new Set(['gone']));
  sandbox.faults.clear();
  // A draft that was really deleted, as a merchant does it in the Dashboard.
  const { id: customer } = sandbox.createCustomer({ email: 'ann@example.com', paymentMethod: accepts() });
  const stripe = openSdk({ secretKey: sandbox.secretKey, apiBase: new URL(sandbox.url) });
  const draft = await stripe.invoices.create({ customer, auto_advance: false });
  await stripe.invoices.del(draft.id);
  await told.settle();
  expect(await codes(draft.id)).toEqual(new Set(['deleted']));
  await told.advance({ days: 30 });
  expect(statusOf(told, toldOf)).toBe('paid');
  await readTables(told);
});

/** Without one it is that of the SDK, which has the story of the snapshots, too. */
const VERSIONS = ['2020-08-27', '2022-11-15', '2024-06-20', '2025-01-27.acacia', '2026-06-24.dahlia', null];

test.each(firstOf(1, VERSIONS))(
  'a failed invoice is recovered when its events are of version %s, and come twice and in any order',
  async (version) => {
    const world = await worldOf('snapshots');
    await world.reset();
    for (const endpoint of world.sandbox.state.webhookEndpoints.newestFirst()) endpoint.api_version = version;
    Object.assign(world.sandbox.webhookFaults, { shuffle: true, duplicate: 0.5 });
    expect(await recover(world)).toEqual(RECOVERED);
  },
);

/** The forms in which Stripe tells of one and the same: whatever the endpoint was made for, no invoice is lost. */
import { declinesTimes } from '../../src/sandbox/stripe/payment-behaviour.ts';
import { attemptsOf, failingInvoice, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

const DESTINATIONS = '/v2/core/event_destinations';
let world: World;
let destination: { id: string };

beforeAll(async () => {
  world = await createWorld({
    arrange: async (sandbox) => {
      const at = 'webhook_endpoint.signing_secret';
      const made = await call(sandbox.url, DESTINATIONS, sandbox.secretKey, {
        ...{
          name: 'Thin',
          type: 'webhook_endpoint',
          event_payload: 'thin',
          enabled_events: ['v1.invoice.*'],
        },
        ...{ webhook_endpoint: { url: sandbox.url }, include: [at] },
      });
      destination = made;
      const secret = made.webhook_endpoint.signing_secret;
      await call(sandbox.url, `${DESTINATIONS}/${made.id}/disable`, sandbox.secretKey);
      return { stripeWebhookSecret: `${sandbox.webhookSecret},${secret}` };
    },
  });
});
afterAll(() => world.stop());
afterEach(() => world.reset());

async function call(base: string, path: string, key: string, body: object = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(new URL(path, base), { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}

/** From the failure to the payment: what is known of it in the end. */
async function recover() {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await world.advance({ days: 30 });
  const attempts = await attemptsOf(world, invoiceId);
  return [statusOf(world, invoiceId), ...attempts.map(({ source, outcome }) => `${source} ${outcome}`)];
}

const RECOVERED = ['paid', 'stripe declined', 'ours paid'];

test.each(['2024-06-20', '2025-01-27.acacia', '2026-06-24.dahlia', null])(
  'a failed invoice is recovered when its events are of version %s, and come twice and in any order',
  async (version) => {
    for (const endpoint of world.sandbox.state.webhookEndpoints.newestFirst()) endpoint.api_version = version;
    Object.assign(world.sandbox.webhookFaults, { shuffle: true, duplicate: 0.5 });
    expect(await recover()).toEqual(RECOVERED);
  },
);

test('thin events are refused with a reason, and nothing of what snapshots tell is lost by it', async () => {
  const { sandbox, url } = world;
  const place = { webhook_endpoint: { url: `${url}/webhooks/stripe` } };
  await call(sandbox.url, `${DESTINATIONS}/${destination.id}`, sandbox.secretKey, place);
  await call(sandbox.url, `${DESTINATIONS}/${destination.id}/enable`, sandbox.secretKey);
  expect(await recover()).toEqual(RECOVERED);
  const thin = sandbox.state.deliveries.filter(({ type }) => type === 'v1.invoice.payment_failed');
  expect(new Set(thin.map(({ status }) => status))).toEqual(new Set([400]));
  const [counted] = await world.query<{ count: number }>(
    `select count(*)::int as count from payment_retry.events where type like 'v1.%'`,
  );
  expect(counted?.count).toBe(0);
});

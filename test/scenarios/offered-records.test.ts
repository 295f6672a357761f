/** Invoices and payment attempts are offered to a remote service once, and stay here where it has no path for them. */

import { checkAccount } from '../../src/plugin/operator/checks/stored-checks.ts';
import { describeStatus } from '../../src/plugin/operator/text/status/describe-status.ts';
import { listDeliveries } from '../../src/plugin/store/reports/invoice-history.ts';
import { readWorkStatus } from '../../src/plugin/store/reports/work-status.ts';
import { accepts, acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import {
  type HttpStub,
  type StubAnswer,
  type StubRequest,
  startHttpStub,
} from '../support/http/http-stub.ts';
import { failingInvoice, renew } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let service: HttpStub;
let world: World;
/** What the service answers to a kind; 200 where it is silent about it. */
let answers: Readonly<Record<string, StubAnswer | Answer>>;
type Answer = (request: StubRequest) => StubAnswer | undefined;

beforeAll(async () => {
  service = await startHttpStub((request) => {
    const { path } = request;
    if (path.startsWith('/v1/recovery_actions'))
      return { status: 200, body: { recoveryActions: [], nextPageToken: '', totalSize: 0 } };
    if (path === '/v1/capabilities') return { status: 404 };
    const answer = answers[path.replace('/ingest/v1/', '')];
    const own = typeof answer === 'function' ? answer(request) : answer;
    return own ?? { status: 200, body: { requestId: 'req_7' } };
  });
  world = await createWorld({
    isRemote: true,
    through: async (outside) => ({ ...outside, service: service.url.href }),
    plugin: { retryServiceApiKey: 'key', forwardInvoices: 'auto', forwardTransactions: 'auto' },
  });
});
beforeEach(async () => {
  answers = {};
  await world.reset();
  service.requests.length = 0;
});
afterAll(async () => {
  await world?.stop();
  await service?.stop();
});

const card = () => acceptsFirst(1, declines('insufficient_funds'));
const askedFor = (kind: string) =>
  service.requests.filter(({ path }) => path === `/ingest/v1/${kind}`).length;

async function look() {
  const { config } = world.plugin;
  const { database } = world.plugin.parts;
  const status = await readWorkStatus(database, world.clock.now());
  const findings = await checkAccount({ config, database }, 'own');
  return {
    status,
    text: describeStatus(status, world.clock.now()),
    learns: findings.find(({ code }) => code === 'service_learns'),
  };
}

test('a service that takes them gets them', async () => {
  const { invoiceId } = await failingInvoice(world, card());
  expect(askedFor('invoices')).toBeGreaterThan(0);
  expect(askedFor('transactions')).toBeGreaterThan(0);
  expect((await look()).learns).toMatchObject({ state: 'ok', detail: 'invoices, transactions' });
  const { database } = world.plugin.parts;
  const delivered = await listDeliveries(database, { account: 'own', invoiceId });
  expect(delivered.map(({ kind, requestId }) => `${kind} ${requestId}`)).toEqual([
    'subscriptions req_7',
    'invoices req_7',
    'transactions req_7',
  ]);
});

test.each([
  { invoices: 501, transactions: 405 },
  { invoices: 404, transactions: 404 },
])(
  'one without the paths ($invoices, $transactions) is asked once, and the status says what it cannot know',
  async ({ invoices, transactions }) => {
    answers = { invoices: { status: invoices }, transactions: { status: transactions } };
    const { subscriptionId } = await failingInvoice(world, card());
    await world.advance({ hours: 3 });
    await renew(world, subscriptionId);
    expect([askedFor('invoices'), askedFor('transactions')]).toEqual([1, 1]);
    const { status: found, text, learns } = await look();
    expect(found).toMatchObject({
      undelivered: { count: 0 },
      quarantined: [],
      pauses: [],
      needsPerson: false,
    });
    expect(text).toContain('cannot know which payments failed');
    expect(text).toContain(`  invoices, account own: ${service.url.href}`);
    expect(learns).toMatchObject({ state: 'warning' });
  },
);

/** Of a service that knows months and years, and says so. */
const refusesShortPeriods: Answer = ({ body }) =>
  /BILLING_PERIOD_UNIT_(DAY|WEEK)/.test(body) ? { status: 400, body: { message: 'unit' } } : undefined;

test('billing periods in weeks are left out for a service that refuses them, and are not tried again', async () => {
  answers = { subscriptions: refusesShortPeriods };
  const subscribe = async (interval: 'week' | 'month') => {
    const { id: customer } = world.sandbox.createCustomer({
      email: 'a@example.com',
      paymentMethod: accepts(),
    });
    const price = world.sandbox.createPrice({ unit_amount: 700, recurring: { interval } });
    world.sandbox.createSubscription({ customer, items: [{ price: price.id, quantity: 1 }] });
    await world.settle();
  };
  await subscribe('week');
  await subscribe('month');
  await subscribe('week');
  const sent = service.requests.filter(({ path }) => path === '/ingest/v1/subscriptions');
  const units = sent.map(({ body }) => /BILLING_PERIOD_UNIT_\w+/.exec(body)?.[0]);
  expect(units.filter((unit) => unit === 'BILLING_PERIOD_UNIT_WEEK')).toHaveLength(1);
  const { status, text } = await look();
  expect(status).toMatchObject({ undelivered: { count: 0 }, quarantined: [] });
  expect(text).toContain('short periods, account own');
});

test('nothing is remembered of an address that takes nothing at all', async () => {
  const nothing: StubAnswer = { status: 404 };
  answers = { subscriptions: nothing, invoices: nothing, transactions: nothing };
  await failingInvoice(world, card());
  expect((await look()).status.untaken).toEqual([]);
  answers = {};
  await world.advance({ hours: 3 });
  expect((await look()).status).toMatchObject({ undelivered: { count: 0 }, untaken: [] });
});

/**
 * One, two and four real processes on one PostgreSQL: what a webhook and a paid instruction cost in processor time, and that nothing
 * is done twice. Webhooks, some of them repeated, go to the processes in turns. Fails where a subscription is not known to the
 * service as it was at the end, or Stripe's ledger disagrees. Reads /proc, so it runs on Linux.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { systemClock } from '../../src/core/base/clock.ts';
import { accepts } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { findViolations } from '../../test/scenarios/chaos/violations.ts';
import { createSharedSite, type SharedSite } from '../../test/scenarios/shared-site.ts';
import { findTestPostgres, type TestPostgres } from '../../test/support/database/postgres-server.ts';
import { eventually } from '../../test/support/eventually.ts';
import { asWebhookPayload, buildSubscription } from '../../test/support/stripe/stripe-objects.ts';
import { secondsOf, serverOf, serverSeconds } from './cpu.ts';

const PROCESSES = (process.env.BENCH_PROCESSES ?? '1,2,4').split(',').map(Number);
const WEBHOOKS = Number(process.env.BENCH_WEBHOOKS ?? 8_000);
const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 50);
const RENEWALS = Number(process.env.BENCH_RENEWALS ?? 100);
/** Changes of one subscription. */
const CHANGES = 8;
/** One webhook in so many is sent a second time, to another process. */
const REPEATED = 20;
const CONNECTIONS = 50;
/** Before anything is measured: what a process compiles first. */
const WARM_UP = 1_000;
const WITHIN_MS = 300_000;
const BEGUN = DateTime.utc().minus({ hours: 1 });

interface Webhook {
  readonly body: string;
  readonly signature: string;
}

/** In what time, and with what processor time of the processes and of PostgreSQL. */
interface Cost {
  readonly seconds: number;
  readonly own: number;
  readonly server: number;
}

const stripe = new Stripe('sk_test_bench_not_a_real_key');
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** The first changes of all subscriptions, then the second ones, and so on. */
function buildWebhooks(secret: string, name: string, count: number): Webhook[] {
  const subscriptions = count / CHANGES;
  const webhooks = Array.from({ length: count }, (_, index) => {
    const [subscription, change] = [index % subscriptions, Math.floor(index / subscriptions)];
    const body = JSON.stringify({
      id: `evt_${name}_${index}`,
      object: 'event',
      api_version: Stripe.API_VERSION,
      created: BEGUN.plus({ minutes: change }).toUnixInteger(),
      livemode: false,
      type: 'customer.subscription.updated',
      data: {
        object: asWebhookPayload(buildSubscription({ id: `sub_${name}_${subscription}` })),
        previous_attributes: {},
      },
      request: { id: null, idempotency_key: null },
      pending_webhooks: 1,
    });
    return { body, signature: stripe.webhooks.generateTestHeaderString({ payload: body, secret }) };
  });
  return webhooks.flatMap((one, index) => (index % REPEATED === 0 ? [one, one] : [one]));
}

function post(port: number, { body, signature }: Webhook): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    const sent = request({ port, agent, method: 'POST', path: '/webhooks/stripe', headers }, (answer) => {
      answer.resume().on('end', () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`A webhook was answered ${answer.statusCode}.`));
      });
    });
    sent.on('error', reject).end(body);
  });
}

async function postAll({ processes }: SharedSite, webhooks: readonly Webhook[]): Promise<void> {
  let next = 0;
  const sendNext = async (): Promise<void> => {
    for (let turn = next++; turn < webhooks.length; turn = next++) {
      const [webhook, process] = [webhooks[turn], processes[turn % processes.length]];
      if (webhook && process) await post(process.port, webhook);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendNext));
}

async function costOf(site: SharedSite, server: number, work: () => Promise<unknown>): Promise<Cost> {
  const read = () => ({
    seconds: performance.now() / 1000,
    own: site.processes.reduce((sum, { pid = 0 }) => sum + secondsOf(pid), 0),
    server: serverSeconds(server),
  });
  const before = read();
  await work();
  const after = read();
  return {
    seconds: after.seconds - before.seconds,
    own: after.own - before.own,
    server: after.server - before.server,
  };
}

/** Until a count of rows has come to what it should be. */
function untilCounted({ database }: SharedSite, sql: string, expected: number): Promise<void> {
  return eventually(async () => {
    const [row] = await database.query<{ count: number }>(`select count(*) as count from ${sql}`);
    if (Number(row?.count) !== expected) throw new Error(`${row?.count} of ${expected}: ${sql}`);
  }, WITHIN_MS);
}

/** Until they are delivered, and so many in all. Returns how many were acknowledged in a second. */
async function takeAll(site: SharedSite, webhooks: readonly Webhook[], inAll: number): Promise<number> {
  const begun = performance.now();
  await postAll(site, webhooks);
  const acknowledged = (1_000 * webhooks.length) / (performance.now() - begun);
  await untilCounted(site, 'payment_retry.events where processed_at is not null', inAll);
  await untilCounted(site, 'payment_retry.subscriptions where delivered_version = version', inAll / CHANGES);
  return acknowledged;
}

/** Paid at once: four webhooks each, of which that of the payment has its charge read. The first half warms up. */
async function renew(site: SharedSite, server: number): Promise<Cost> {
  const { sandbox } = site;
  const price = sandbox.createPrice();
  const subscriptions = Array.from({ length: 2 * RENEWALS }, () => {
    const customer = sandbox.createCustomer({ email: 'ada@example.com', paymentMethod: accepts() }).id;
    return sandbox.createSubscription({ customer, items: [{ price: price.id }] }).id;
  });
  await site.untilDone(WITHIN_MS);
  const renewSome = (some: readonly string[], inAll: number) => async () => {
    for (const id of some) sandbox.renewNow(id);
    // One was paid when the subscription began.
    await untilCounted(site, `payment_retry.attempts where outcome = 'paid'`, 2 * RENEWALS + inAll);
    await untilCounted(site, 'payment_retry.events where processed_at is null', 0);
    await untilCounted(
      site,
      'payment_retry.subscriptions where version is distinct from delivered_version',
      0,
    );
  };
  await renewSome(subscriptions.slice(0, RENEWALS), RENEWALS)();
  return costOf(site, server, renewSome(subscriptions.slice(RENEWALS), 2 * RENEWALS));
}

/** Each subscription is known as it was at the end, and no change was taken for a newer one. */
function findWrong({ service }: SharedSite): string[] {
  const last = BEGUN.plus({ minutes: CHANGES - 1 }).toUnixInteger();
  const ids = Array.from({ length: WEBHOOKS / CHANGES }, (_, index) => `sub_bench_${index}`);
  return ids.flatMap((id) => {
    const updatedAt = service.view.get(id)?.updatedAt;
    return updatedAt && Date.parse(updatedAt) / 1000 === last ? [] : [`${id} is known as of ${updatedAt}`];
  });
}

async function measure(postgres: TestPostgres, count: number): Promise<void> {
  const url = await postgres.createDatabase();
  const site = await createSharedSite(
    {
      create: async () => ({ location: { kind: 'postgres', url }, remove: () => postgres.dropDatabase(url) }),
    },
    { settings: { MAX_CHARGES_PER_MINUTE: '100000', STRIPE_REQUESTS_PER_SECOND: '1000' } },
  );
  try {
    const [row] = await site.database.query<{ session: number }>('select pg_backend_pid() as session');
    const server = serverOf(row?.session ?? 0);
    await site.start(count);
    const { webhookSecret } = site.sandbox;
    const first = WARM_UP * count;
    await takeAll(site, buildWebhooks(webhookSecret, 'first', first), first);
    const webhooks = buildWebhooks(webhookSecret, 'bench', WEBHOOKS);
    let acknowledged = 0;
    const taken = await costOf(site, server, async () => {
      acknowledged = await takeAll(site, webhooks, first + WEBHOOKS);
    });
    const wrong = findWrong(site);

    const renewed = await renew(site, server);
    const invoices = Array.from({ length: PAYMENTS }, () => site.failedRenewal().invoiceId);
    await site.untilDone(WITHIN_MS);
    const paid = await costOf(site, server, async () => {
      await Promise.all(invoices.map((id) => site.instructAs(randomUUID(), id)));
      await untilCounted(site, `payment_retry.attempts where source = 'ours' and outcome = 'paid'`, PAYMENTS);
    });
    await site.untilDone(WITHIN_MS);
    const requests = await site.database.query<{ id: string }>(
      'select request_id as id from payment_retry.instructions',
    );
    const violations = await findViolations({
      sandbox: site.sandbox,
      service: site.service,
      acknowledged: new Set(requests.map(({ id }) => id)),
      now: systemClock.now().plus({ hours: 1 }).toSeconds(),
      query: (sql) => site.database.query(sql),
    });
    wrong.push(...violations);
    if (wrong.length > 0) throw new Error(`${count} processes:\n${wrong.slice(0, 20).join('\n')}`);
    const micro = (seconds: number) => Math.round((1_000_000 * seconds) / webhooks.length);
    const milli = (seconds: number, times: number) => ((1_000 * seconds) / times).toFixed(1);
    console.log(
      `| ${count} | ${Math.round(acknowledged)} | ${Math.round(WEBHOOKS / taken.seconds)} | ${micro(taken.own)}, ${micro(taken.server)} | ${milli(renewed.own, RENEWALS)}, ${milli(renewed.server, RENEWALS)} | ${milli(paid.own, PAYMENTS)}, ${milli(paid.server, PAYMENTS)} |`,
    );
  } finally {
    await site.stop();
  }
}

const postgres = await findTestPostgres('on');
if (postgres) {
  console.log(
    '| processes | acknowledged a second | processed and delivered | CPU µs a webhook, of PostgreSQL | CPU ms a renewal, of PostgreSQL | CPU ms a payment, of PostgreSQL |\n|---|---|---|---|---|---|',
  );
  for (const count of PROCESSES) await measure(postgres, count);
  await postgres.stop();
} else console.log('Left out: no DATABASE_URL_TEST and no postgres binary found.');
agent.destroy();

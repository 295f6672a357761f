/**
 * Processor time of recorded events on their way to the service: taken, mapped, delivered to the embedded service and ingested
 * there, of this process and of PostgreSQL's. It does not depend on the machine's other work.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { createSimulatedClock } from '../../src/core/base/clock.ts';
import { silentLogger } from '../../src/core/base/logger.ts';
import { createOwnPlugin } from '../../src/plugin/app/own-plugin.ts';
import { recordEvents } from '../../src/plugin/store/tables/sync/events.ts';
import { toInboxJob } from '../../src/plugin/sync/events/inbox-job.ts';
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';
import { asWebhookPayload, buildSubscription } from '../../test/support/stripe/stripe-objects.ts';
import { serverOf, serverSeconds } from './cpu.ts';
import { median } from './load.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const EVENTS = Number(process.env.BENCH_EVENTS ?? 1_000);

let serial = 0;
const START = DateTime.utc();

function buildEvent() {
  serial += 1;
  const id = `evt_bench_${serial}`;
  const type = 'customer.subscription.updated';
  const object = asWebhookPayload(buildSubscription({ id: `sub_bench_${serial}` }));
  const payload = JSON.stringify({
    id,
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: START.toUnixInteger(),
    livemode: false,
    type,
    data: { object, previous_attributes: {} },
  });
  return { account: 'own', id, type, createdAt: START, receivedAt: START, person: 'cus_1Ada', payload };
}

async function measureSide(name: string, location: { dataDir: string } | { databaseUrl: string }) {
  const plugin = createOwnPlugin({
    retryMode: 'advisory',
    stripeSecretKey: 'sk_test_bench_not_a_real_key',
    stripeWebhookSecret: 'whsec_bench_not_a_real_secret',
    stripeApiBase: 'http://127.0.0.1:9',
    businessEntity: 'Bench Inc.',
    servicePort: 0,
    ...location,
    logger: silentLogger,
    clock: createSimulatedClock(START),
  });
  await plugin.start();
  const { database, operations } = plugin.parts;
  const [backend] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = database.kind === 'embedded' ? 0 : serverOf(backend?.pid ?? 0);
  const serverMs = () => 1_000 * serverSeconds(postmaster);
  const own: number[] = [];
  const server: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const events = Array.from({ length: EVENTS }, buildEvent);
    for (let from = 0; from < EVENTS; from += 100)
      await recordEvents(database, events.slice(from, from + 100));
    await operations.enqueue('take-events', [toInboxJob('own')]);
    const serverBefore = serverMs();
    const before = process.cpuUsage();
    await plugin.runOnce();
    const { user, system } = process.cpuUsage(before);
    // The first one warms up.
    if (round === 0) continue;
    own.push((user + system) / EVENTS);
    server.push((1_000 * (serverMs() - serverBefore)) / EVENTS);
  }
  const [row] = await database.query<{ count: number }>(
    'select count(*) as count from payment_retry.subscriptions where delivered_version = version',
  );
  if (Number(row?.count) !== serial) throw new Error(`${row?.count} of ${serial} were delivered.`);
  await plugin.stop();
  console.log(`| ${name} | ${Math.round(median(own))} | ${Math.round(median(server))} |`);
}

console.log('| | CPU µs an event | of the database server |\n|---|---|---|');
const directory = mkdtempSync(join(tmpdir(), 'payment-retry-bench-'));
await measureSide('embedded', { dataDir: directory });
rmSync(directory, { recursive: true, force: true });
serial = 0;
const postgres = await findTestPostgres('on');
if (postgres) await measureSide('PostgreSQL', { databaseUrl: await postgres.createDatabase() });
await postgres?.stop();

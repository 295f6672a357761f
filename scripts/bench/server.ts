/** One side of the benchmark, in a process of its own: says `ready URL` on standard output and serves until killed. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { createSimulatedClock, systemClock } from '../../src/core/base/clock.ts';
import { silentLogger } from '../../src/core/base/logger.ts';
import { createOwnPlugin } from '../../src/plugin/app/own-plugin.ts';
import { openPeer } from './peer.ts';

const { BENCH_KIND, BENCH_SECRET = '', BENCH_DATA_DIR = '', BENCH_DATABASE_URL, BENCH_PEER } = process.env;
const LOOK_MS = 2;
const SETTLE_MS = 20;

/** The least any receiver must do: check the signature, answer. */
function bareApp() {
  const stripe = new Stripe('sk_test_bench_not_a_real_key');
  const app = express();
  app.post('/webhooks/stripe', express.raw({ type: () => true, limit: '1mb' }), (req, res) => {
    stripe.webhooks.constructEvent(req.body, req.get('stripe-signature') ?? '', BENCH_SECRET);
    res.json({ received: true });
  });
  return app;
}

/** The peer answers once it has written the object. */
async function peerApp() {
  const peer = await openPeer(BENCH_PEER ?? '', BENCH_DATABASE_URL ?? '', BENCH_SECRET);
  const app = express();
  app.post('/webhooks/stripe', express.raw({ type: () => true, limit: '1mb' }), async (req, res) => {
    await peer.processWebhook(req.body, req.get('stripe-signature') ?? '');
    res.json({ received: true });
  });
  return app;
}

/** `receiver`: no job runs, as under a simulated clock. `whole`: events are processed and delivered meanwhile. */
async function pluginApp(isWhole: boolean) {
  const plugin = createOwnPlugin({
    retryMode: 'advisory',
    stripeSecretKey: 'sk_test_bench_not_a_real_key',
    stripeWebhookSecret: BENCH_SECRET,
    stripeApiBase: 'http://127.0.0.1:9',
    businessEntity: 'Bench Inc.',
    servicePort: 0,
    dataDir: BENCH_DATA_DIR,
    databaseUrl: BENCH_DATABASE_URL,
    logger: silentLogger,
    clock: isWhole ? systemClock : simulatedClock,
  });
  await plugin.start();
  if (isWhole)
    isSettled = async () => {
      const [row] = await plugin.parts.database.query(
        `select 1 as one where not exists (select from payment_retry.events where processed_at is null and payload is not null)
           and not exists (select from payment_retry.subscriptions where coalesce(version <> delivered_version, true))`,
      );
      return row !== undefined;
    };
  return express().use(plugin.router);
}

let heldMs: number[] = [];

/** What the loop's own work holds up is waited for on any machine; what other processes hold up is not our matter. */
function watchLoop() {
  const ownMs = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  let before = ownMs();
  setInterval(() => {
    const now = ownMs();
    heldMs.push(now - before);
    before = now;
  }, LOOK_MS);
}

let isSettled = async () => true;
const simulatedClock = createSimulatedClock(DateTime.utc());
const app = await openApp();
if (process.env.BENCH_WATCH_LOOP) watchLoop();

function openApp() {
  if (BENCH_KIND === 'bare') return bareApp();
  return BENCH_KIND === 'peer' ? peerApp() : pluginApp(BENCH_KIND === 'whole');
}

app.get('/greeting', (_req, res) => {
  res.json({ hello: 'world' });
});
const server = createServer(app).listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  console.log(`ready http://127.0.0.1:${port}`);
});
process.on('message', async (when) => {
  // A signature is valid for five minutes.
  simulatedClock.set(DateTime.utc());
  if (when === 'settled') while (!(await isSettled())) await sleep(SETTLE_MS);
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicroseconds: user + system, heldMs });
  heldMs = [];
});
process.on('SIGTERM', () => process.exit());

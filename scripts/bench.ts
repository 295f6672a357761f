/**
 * Webhooks acknowledged per second, against a bare Express app that only checks the signature. All sides run in the
 * same minutes on the same machine, in turns; the ratio is the message. Prints the table of docs/benchmarks.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';
import Stripe from 'stripe';
import { findTestPostgres } from '../test/support/postgres-server.ts';
import { asWebhookPayload, buildSubscription } from '../test/support/stripe-objects.ts';

const SECRET = 'whsec_bench_not_a_real_secret';
const CONNECTIONS = 50;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** More than any side can take in one round, so that no event is sent twice. */
const EVENTS_PER_ROUND = SECONDS * 12_000;

interface Side {
  readonly name: string;
  readonly kind: 'bare' | 'receiver' | 'whole';
  readonly databaseUrl?: string;
}

interface Measurement {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly failures: number;
}

const stripe = new Stripe('sk_test_bench_not_a_real_key');
let serial = 0;

function signedEvents(count: number) {
  return Array.from({ length: count }, () => {
    serial += 1;
    const now = Math.floor(Date.now() / 1000);
    const body = JSON.stringify({
      id: `evt_bench_${serial}`,
      object: 'event',
      api_version: Stripe.API_VERSION,
      created: now,
      livemode: false,
      type: 'customer.subscription.updated',
      data: {
        object: asWebhookPayload(buildSubscription({ id: `sub_bench_${serial}` })),
        previous_attributes: {},
      },
      request: { id: null, idempotency_key: null },
      pending_webhooks: 1,
    });
    return { body, signature: stripe.webhooks.generateTestHeaderString({ payload: body, secret: SECRET }) };
  });
}

async function measure(url: string): Promise<Measurement> {
  const events = signedEvents(EVENTS_PER_ROUND);
  let next = 0;
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: SECONDS,
    requests: [
      {
        method: 'POST',
        path: '/webhooks/stripe',
        setupRequest: (request) => {
          const event = events[next % events.length];
          next += 1;
          return {
            ...request,
            body: event?.body ?? '',
            headers: { 'content-type': 'application/json', 'stripe-signature': event?.signature ?? '' },
          };
        },
      },
    ],
  });
  return {
    perSecond: result['2xx'] / result.duration,
    p99Ms: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}

async function runSide(side: Side): Promise<Measurement> {
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-bench-'));
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', new URL('bench-server.ts', import.meta.url).pathname],
    {
      env: {
        ...process.env,
        BENCH_KIND: side.kind,
        BENCH_SECRET: SECRET,
        BENCH_DATA_DIR: directory,
        ...(side.databaseUrl ? { BENCH_DATABASE_URL: side.databaseUrl } : {}),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    return await measure(await readyUrl(child));
  } finally {
    await ended(child);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The benchmark server has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^ready (.+)$/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error('The benchmark server ended before it was ready.');
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

const postgres = await findTestPostgres('on');
const sides: Side[] = [
  { name: 'bare Express, signature only', kind: 'bare' },
  { name: 'embedded (PGlite, real fsync), receiver alone', kind: 'receiver' },
  { name: 'embedded, while events are processed and delivered', kind: 'whole' },
];
if (postgres) {
  sides.push({
    name: 'PostgreSQL, receiver alone',
    kind: 'receiver',
    databaseUrl: await postgres.createDatabase(),
  });
  sides.push({
    name: 'PostgreSQL, while events are processed and delivered',
    kind: 'whole',
    databaseUrl: await postgres.createDatabase(),
  });
} else console.log('PostgreSQL is left out: no DATABASE_URL_TEST and no postgres binary found.');

const results = new Map<Side, Measurement[]>(sides.map((side) => [side, []]));
for (let round = 1; round <= ROUNDS; round += 1) {
  for (const side of sides) {
    const measurement = await runSide(side);
    results.get(side)?.push(measurement);
    console.log(
      `round ${round}: ${side.name}: ${Math.round(measurement.perSecond)}/s, ${measurement.failures} failures`,
    );
  }
}
await postgres?.stop();

const bare = median((results.get(sides[0] ?? { name: '', kind: 'bare' }) ?? []).map((one) => one.perSecond));
console.log(`\n| | acknowledged/s | of bare | p99 ms | failures |\n|---|---|---|---|---|`);
for (const [side, measurements] of results) {
  const rate = median(measurements.map((one) => one.perSecond));
  const p99 = median(measurements.map((one) => one.p99Ms));
  const failures = measurements.reduce((sum, one) => sum + one.failures, 0);
  console.log(
    `| ${side.name} | ${Math.round(rate)} | ${Math.round((100 * rate) / bare)} % | ${Math.round(p99)} | ${failures} |`,
  );
}

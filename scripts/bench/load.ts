/** Signed webhooks under load, against a server in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';
import Stripe from 'stripe';
import { compilePrograms } from '../../test/support/process/compiled-program.ts';
import { asWebhookPayload, buildSubscription } from '../../test/support/stripe/stripe-objects.ts';

const SECRET = 'whsec_bench_not_a_real_secret';
const CONNECTIONS = 50;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
/** More than any side can take in one round, so that no event is sent twice. */
const EVENTS_PER_ROUND = SECONDS * 12_000;
/** Until the compiler of the engine knows the way of a webhook. */
const WARM_UP = 2_000;

export interface Side {
  readonly name: string;
  readonly kind: 'bare' | 'receiver' | 'whole' | 'peer';
  readonly databaseUrl?: string;
  /** Whether it says for how long its loop was held: Linux. */
  readonly watchesLoop?: true;
  /** Where the peer's package is. */
  readonly peer?: string;
}

export interface Measurement {
  readonly perSecond: number;
  /** Events that were mapped and written by the end of the load. */
  readonly processedPerSecond: number;
  readonly p99Ms: number;
  readonly failures: number;
  /** Of the server's process, in microseconds. */
  readonly cpuPerRequest: number;
}

const stripe = new Stripe('sk_test_bench_not_a_real_key');
let serial = 0;

export function signedEvents(count: number) {
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

async function measure(child: ChildProcess, url: string): Promise<Measurement> {
  await post(url, WARM_UP, { amount: WARM_UP });
  const before = await stateOf(child);
  const result = await post(url, EVENTS_PER_ROUND, { duration: SECONDS });
  const after = await stateOf(child);
  return {
    perSecond: result['2xx'] / result.duration,
    processedPerSecond: (after.processed - before.processed) / result.duration,
    p99Ms: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
    cpuPerRequest: (after.cpuMicroseconds - before.cpuMicroseconds) / result['2xx'],
  };
}

function post(url: string, count: number, length: { amount: number } | { duration: number }) {
  const events = signedEvents(count);
  let next = 0;
  return autocannon({
    url,
    connections: CONNECTIONS,
    ...length,
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
}

export function runSide(side: Side): Promise<Measurement> {
  return onSide(side, measure);
}

/** With a server of its own, that ends with the work. */
export async function onSide<T>(
  side: Side,
  work: (child: ChildProcess, url: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-bench-'));
  server ??= compileServer();
  const child = spawn(process.execPath, [await server], {
    env: {
      ...process.env,
      BENCH_KIND: side.kind,
      BENCH_SECRET: SECRET,
      BENCH_DATA_DIR: directory,
      ...(side.databaseUrl ? { BENCH_DATABASE_URL: side.databaseUrl } : {}),
      ...(side.watchesLoop ? { BENCH_WATCH_LOOP: 'yes' } : {}),
      ...(side.peer ? { BENCH_PEER: side.peer } : {}),
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  try {
    return await work(child, await readyUrl(child));
  } finally {
    await ended(child);
    rmSync(directory, { recursive: true, force: true });
  }
}

let server: Promise<string> | undefined;

/** As the package is: tsx has each function named when it is made, which costs those sides that are written in TypeScript a tenth. */
async function compileServer(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-server-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await compilePrograms(folder, ['scripts/bench/server.ts']);
  return join(folder, 'server.js');
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The benchmark server has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^ready (.+)$/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error('The benchmark server ended before it was ready.');
}

interface ServerState {
  readonly cpuMicroseconds: number;
  readonly processed: number;
  /** Processor time that the main thread took at a stretch, each since the state was asked for last. */
  readonly heldMs: readonly number[];
}

export function stateOf(child: ChildProcess): Promise<ServerState> {
  return new Promise((resolve) => {
    child.once('message', (state: ServerState) => resolve(state));
    child.send('state');
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

export function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

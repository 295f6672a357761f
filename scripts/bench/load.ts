/** Signed webhooks under load, against a server in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import autocannon from 'autocannon';
import pg from 'pg';
import Stripe from 'stripe';
import { asWebhookPayload, buildSubscription } from '../../test/support/stripe/stripe-objects.ts';
import { serverOf, serverSeconds } from './cpu.ts';

const SECRET = 'whsec_bench_not_a_real_secret';
const CONNECTIONS = 50;
/** The end of a load is noticed that late. */
const SAMPLE_MS = 10;
const OWN_CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
/** Of Node, such as `--cpu-prof`. */
const FLAGS = process.env.BENCH_NODE_FLAGS?.split(' ') ?? [];

export interface Side {
  readonly name: string;
  readonly kind: 'bare' | 'receiver' | 'whole' | 'peer';
  readonly databaseUrl?: string;
  /** Whether it says for how long its loop was held: Linux. */
  readonly watchesLoop?: true;
  /** Where the peer's package is. */
  readonly peer?: string;
  /** Another checkout whose code it runs. */
  readonly checkout?: string;
}

export interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  /** PostgreSQL's process; 0 without one on this machine. */
  readonly postmaster: number;
}

export interface Measurement {
  /** Acknowledged a second. */
  readonly perSecond: number;
  /** The same until everything was processed and delivered. */
  readonly settledPerSecond: number;
  readonly p99Ms: number;
  readonly failures: number;
  /** Of the server's process until then, in microseconds. */
  readonly cpuPerRequest: number;
  /** Of PostgreSQL's processes likewise. */
  readonly databaseCpuPerRequest: number;
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

/** Posts so many webhooks as fast as they are answered, and waits until nothing is left to do. */
export async function measureBurst({ child, url, postmaster }: Server, count: number): Promise<Measurement> {
  const events = signedEvents(count);
  const before = await stateOf(child);
  const beforeInDatabase = serverSeconds(postmaster);
  const begun = performance.now();
  const result = await post(url, events);
  const posted = performance.now();
  const after = await stateOf(child, 'settled');
  const settled = performance.now();
  const inDatabase = serverSeconds(postmaster) - beforeInDatabase;
  return {
    perSecond: (1000 * result['2xx']) / (posted - begun),
    settledPerSecond: (1000 * result['2xx']) / (settled - begun),
    p99Ms: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
    cpuPerRequest: (after.cpuMicroseconds - before.cpuMicroseconds) / result['2xx'],
    databaseCpuPerRequest: (1e6 * inDatabase) / result['2xx'],
  };
}

function post(url: string, events: ReturnType<typeof signedEvents>) {
  let next = 0;
  return autocannon({
    url,
    connections: CONNECTIONS,
    amount: events.length,
    sampleInt: SAMPLE_MS,
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

/** With a server of its own, that ends with the work. */
export async function onSide<T>(side: Side, work: (server: Server) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-bench-'));
  const { checkout = OWN_CHECKOUT } = side;
  const server = servers.get(checkout) ?? compileServer(checkout);
  servers.set(checkout, server);
  const child = spawn(process.execPath, [...FLAGS, await server], {
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
    return await work({ child, url: await readyUrl(child), postmaster: await findPostmaster(side) });
  } finally {
    await ended(child);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** With servers of all sides at once, so that they can be asked in turns. */
export async function onSides(
  [side, ...others]: readonly Side[],
  work: (servers: ReadonlyMap<Side, Server>) => Promise<void>,
  before: ReadonlyMap<Side, Server> = new Map(),
): Promise<void> {
  if (!side) return work(before);
  await onSide(side, (server) => onSides(others, work, new Map([...before, [side, server]])));
}

async function findPostmaster({ databaseUrl }: Side): Promise<number> {
  if (!databaseUrl) return 0;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = serverOf(rows[0]?.pid ?? 0);
  await client.end();
  return postmaster;
}

const servers = new Map<string, Promise<string>>();

/** As the package is: tsx has each function named when it is made, which costs those sides that are written in TypeScript a tenth. */
async function compileServer(checkout: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-server-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const programs = pathToFileURL(join(checkout, 'test/support/process/compiled-program.ts'));
  const {
    compilePrograms,
  }: Pick<typeof import('../../test/support/process/compiled-program.ts'), 'compilePrograms'> = await import(
    programs.href
  );
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
  /** Processor time that the main thread took at a stretch, each since the state was asked for last. */
  readonly heldMs: readonly number[];
}

/** `settled`: once everything was processed and delivered. */
export function stateOf(child: ChildProcess, when: 'now' | 'settled' = 'now'): Promise<ServerState> {
  return new Promise((resolve) => {
    child.once('message', (state: ServerState) => resolve(state));
    child.send(when);
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

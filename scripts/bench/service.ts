/**
 * The retry service on PostgreSQL with BENCH_SUBSCRIPTIONS (a million) subscriptions and BENCH_CASES (200,000) open
 * cases, twice as many actions: pages of the listing at three depths in every order, with their plans, and under its filters; ingest and
 * decisions with one process and with two. Prints the tables of docs/reference/benchmarks.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import PQueue from 'p-queue';
import type { Database } from '../../src/core/database/database.ts';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { hashApiKey } from '../../src/service/keys/api-keys.ts';
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';
import { listenOnLoopback } from '../../test/support/http/loopback-server.ts';
import { fillService, toFailure, toSubscription } from './service-data.ts';
import { benchListing } from './service-listing.ts';

const SUBSCRIPTIONS = Number(process.env.BENCH_SUBSCRIPTIONS ?? 1_000_000);
const CASES = Number(process.env.BENCH_CASES ?? 200_000);
const DECISIONS = Number(process.env.BENCH_DECISIONS ?? 1_000);
const INGEST_SECONDS = 8;
const API_KEY = 'key_of_the_benchmark';
const BATCH = 200;
/** The contract's. */
const AT_ONCE = 5;

interface Side {
  readonly url: string;
  stop(): Promise<void>;
}

async function startSide(databaseUrl: string, callbackUrl: string): Promise<Side> {
  const script = new URL('service-side.ts', import.meta.url).pathname;
  const env = { BENCH_DATABASE_URL: databaseUrl, BENCH_CALLBACK_URL: callbackUrl, BENCH_API_KEY: API_KEY };
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () => {
    child.kill('SIGKILL');
    return ended;
  };
  return { url: await readyUrl(child), stop };
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The process has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^ready (.+)$/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error('The process ended before it was ready.');
}

async function ask(url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

const ms = (since: number) => performance.now() - since;

/** Every process is asked five requests at a time, as the contract has it. */
async function benchIngest(sides: readonly Side[]): Promise<string> {
  let next = 0;
  let taken = 0;
  const start = performance.now();
  const send = async ({ url }: Side): Promise<void> => {
    while (ms(start) < INGEST_SECONDS * 1000) {
      next = (next + BATCH) % SUBSCRIPTIONS;
      const from = next;
      await ask(`${url}/ingest/v1/subscriptions`, {
        subscriptions: Array.from({ length: BATCH }, (_, index) => toSubscription(from + index)),
      });
      taken += BATCH;
    }
  };
  await Promise.all(sides.flatMap((side) => Array.from({ length: AT_ONCE }, () => send(side))));
  return `${Math.round(taken / (ms(start) / 1000))}`;
}

let round = 0;

/** So many payments fail at once; each of them gets a decision and an instruction, sent to the callback. */
async function benchDecisions(database: Database, sides: readonly Side[]): Promise<string> {
  round += 1;
  const from = round * DECISIONS;
  const numbers = Array.from({ length: DECISIONS }, (_, index) => from + index);
  const before = await lastPosition(database);
  const start = performance.now();
  const posts = new PQueue({ concurrency: AT_ONCE });
  for (let index = 0; index < numbers.length; index += BATCH) {
    const side = sides[(index / BATCH) % sides.length];
    const transactions = numbers.slice(index, index + BATCH).map((number) => toFailure(number, round));
    void posts.add(() => ask(`${side?.url}/ingest/v1/transactions`, { transactions }));
  }
  await posts.onIdle();
  while ((await lastPosition(database)) < before + DECISIONS)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return `${Math.round(DECISIONS / (ms(start) / 1000))}`;
}

/** Each decision adds one action. */
async function lastPosition(database: Database): Promise<number> {
  const [row] = await database.query<{ last: number }>(
    'select max(position) as last from retry_service.recovery_actions',
  );
  return row?.last ?? 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const postgres = await findTestPostgres('on');
if (!postgres) {
  console.log('The service is left out: no DATABASE_URL_TEST and no postgres binary found.');
  process.exit(0);
}
const databaseUrl = await postgres.createDatabase();
const callback = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"success":true,"message":"Retry scheduled"}');
});
const callbackUrl = await listenOnLoopback(callback);
const database = await openDatabase({ kind: 'postgres', url: databaseUrl });
const beginning = performance.now();
await (await startSide(databaseUrl, callbackUrl)).stop();
await fillService(database, { subscriptions: SUBSCRIPTIONS, cases: CASES });
console.log(`filled in ${Math.round(ms(beginning) / 1000)} s`);
const one = await startSide(databaseUrl, callbackUrl);
await ask(`${one.url}/v1/recovery_actions`);
await benchListing(database, one.url, { ask, keyHash: hashApiKey(API_KEY) });
console.log(`\n| | subscriptions ingested/s | cases decided/s |\n|---|---|---|`);
const work = async (name: string, sides: readonly Side[]) =>
  console.log(`| ${name} | ${await benchIngest(sides)} | ${await benchDecisions(database, sides)} |`);
await work('one process', [one]);
const other = await startSide(databaseUrl, callbackUrl);
await work('two', [one, other]);
await Promise.all([one.stop(), other.stop()]);
await database.close();
callback.closeAllConnections();
callback.close();
await postgres.stop();

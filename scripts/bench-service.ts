/**
 * The retry service on PostgreSQL with BENCH_SUBSCRIPTIONS (a million) subscriptions and BENCH_CASES (200,000) open
 * cases, twice as many actions: pages of the listing at three depths in every order, with their plans; ingest and
 * decisions with one process and with two. Prints the tables of docs/benchmarks.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { DateTime } from 'luxon';
import PQueue from 'p-queue';
import { z } from 'zod';
import { recoveryActionsPage } from '../src/contract.ts';
import { writePageToken } from '../src/service/page-token.ts';
import {
  countRecoveryActions,
  type Direction,
  listRecoveryActions,
  ORDERINGS,
  type Ordering,
  type PagePosition,
} from '../src/service/store/recovery-action-pages.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { listenOnLoopback } from '../test/support/loopback-server.ts';
import { findTestPostgres } from '../test/support/postgres-server.ts';
import { fillService, toFailure, toSubscription } from './bench-service-data.ts';

const SUBSCRIPTIONS = Number(process.env.BENCH_SUBSCRIPTIONS ?? 1_000_000);
const CASES = Number(process.env.BENCH_CASES ?? 200_000);
const PAGES = Number(process.env.BENCH_PAGES ?? 100);
const DECISIONS = Number(process.env.BENCH_DECISIONS ?? 1_000);
const INGEST_SECONDS = 8;
const DEPTH = 100_000;
const API_KEY = 'key_of_the_benchmark';
const BATCH = 200;
/** The contract's. */
const AT_ONCE = 5;

interface Side {
  readonly url: string;
  stop(): Promise<void>;
}

async function startSide(databaseUrl: string, callbackUrl: string): Promise<Side> {
  const script = new URL('bench-service-side.ts', import.meta.url).pathname;
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

function percentile(times: readonly number[], share: number): string {
  const sorted = [...times].sort((left, right) => left - right);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

/**
 * In turns with `/healthz`, which is one request with one trivial statement: what a page takes beyond it is ours, the
 * rest is the machine's. What is read is checked too: the page has as many rows as it should, and the total is true.
 */
async function timePages(base: string, query: string, total: number): Promise<string> {
  const pages: number[] = [];
  const health: number[] = [];
  for (let index = 0; index < PAGES; index += 1) {
    health.push((await timed(`${base}/healthz`)).took);
    const { took, body } = await timed(`${base}/v1/recovery_actions?${query}`);
    pages.push(took);
    const { recoveryActions, totalSize } = recoveryActionsPage.parse(body);
    if (recoveryActions.length !== 100 || totalSize !== total)
      throw new Error(`${recoveryActions.length} rows of ${totalSize}, but there are ${total}: ${query}`);
  }
  return [pages, health].flatMap((times) => [percentile(times, 0.5), percentile(times, 0.99)]).join(' | ');
}

async function timed(url: string): Promise<{ took: number; body: unknown }> {
  const start = performance.now();
  const body = await ask(url);
  return { took: ms(start), body };
}

const first = z.array(z.object({ value: z.string() })).min(1);

async function benchListing(database: Database, side: Side): Promise<void> {
  const total = await count(database, 'true');
  const [secret] = first.parse(
    await database.query(`select value from retry_service.settings where name = 'page_token_key'`),
  );
  console.log(
    `\n| ${total} actions, order | place | p50 ms | p99 ms | healthz p50 | p99 | plan |\n|---|---|---|---|---|---|---|`,
  );
  for (const orderBy of ORDERINGS)
    for (const direction of ['asc', 'desc'] as const)
      for (const [place, offset] of [
        ['first', 0],
        [String(DEPTH), DEPTH],
        ['last', total - 101],
      ] as const) {
        const after = offset === 0 ? undefined : await positionAt(database, orderBy, direction, offset);
        const page = { orderBy, direction, filters: {}, organization: 'default', pageSize: 100 };
        const token =
          after &&
          writePageToken(Buffer.from(secret?.value ?? '', 'base64'), { ...page, after }, DateTime.utc());
        const query = token ? `pageToken=${token}` : `orderBy=${orderBy}&orderDirection=${direction}`;
        const times = await timePages(side.url, query, total);
        const plan = await explain(database, (db) =>
          listRecoveryActions(db, 'default', { ...page, after, limit: 101 }),
        );
        console.log(`| ${orderBy} ${direction} | ${place} | ${times} | ${plan} |`);
      }
  const filters = { executedAfter: DateTime.utc().minus({ days: 30 }).toISO() };
  console.log(`totalSize: ${await explain(database, (db) => countRecoveryActions(db, 'default', {}))}`);
  console.log(
    `totalSize of the last month: ${await explain(database, (db) => countRecoveryActions(db, 'default', filters))}`,
  );
}

async function count(database: Database, condition: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*) as count from retry_service.recovery_actions where ${condition}`,
  );
  return row?.count ?? 0;
}

/** Where a reader would be who had read so many. */
async function positionAt(
  database: Database,
  orderBy: Ordering,
  direction: Direction,
  offset: number,
): Promise<PagePosition> {
  const unexecuted = direction === 'asc' ? 'infinity' : '-infinity';
  const column = orderBy === 'ideal_retry_time' ? 'ideal_retry_at' : orderBy;
  const key = `coalesce(${column}, '${unexecuted}')`;
  const [row] = await database.query<PagePosition>(
    `select (${key})::text as key, position from retry_service.recovery_actions
     order by ${key} ${direction}, position ${direction} offset $1 limit 1`,
    [offset],
  );
  if (!row) throw new Error(`There is no action ${offset}.`);
  return row;
}

const planNode = z.looseObject({ 'Node Type': z.string(), 'Index Name': z.string().optional() });
type Plan = z.infer<typeof planNode>;

/** The plan of the statement that a store function would run: its nodes with their indexes, time and buffers. */
async function explain(
  database: Database,
  run: (db: Pick<Database, 'query'>) => Promise<unknown>,
): Promise<string> {
  let found: unknown;
  await run({
    query: async (text, params) => {
      const [row] = await database.query<Record<string, unknown>>(
        `explain (analyze, buffers, format json) ${text}`,
        params,
      );
      found = row?.['QUERY PLAN'];
      return [];
    },
  });
  const [{ Plan: top, ...times }] = z
    .tuple([z.looseObject({ Plan: planNode, 'Execution Time': z.number() })])
    .parse(found);
  const buffers = Number(top['Shared Hit Blocks']) + Number(top['Shared Read Blocks']);
  return `${nodesOf(top).join(' ← ')}; ${times['Execution Time'].toFixed(2)} ms, ${buffers} buffers`;
}

function nodesOf(node: Plan): string[] {
  const name = node['Index Name'] ? `${node['Node Type']} ${node['Index Name']}` : node['Node Type'];
  return [
    name,
    ...z
      .array(planNode)
      .parse(node.Plans ?? [])
      .flatMap(nodesOf),
  ];
}

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
await benchListing(database, one);
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

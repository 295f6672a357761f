/** Pages of the listing over HTTP, at three depths in every order, and what the database does for them. */
import { DateTime } from 'luxon';
import { z } from 'zod';
import { recoveryActionsPage } from '../../src/core/contract/contract.ts';
import type { Database, Queryable } from '../../src/core/database/database.ts';
import { writePageToken } from '../../src/service/http/list-recovery-actions.ts';
import {
  type ActionFilters,
  countRecoveryActions,
  type Direction,
  listRecoveryActions,
  ORDERINGS,
  type Ordering,
  type PagePosition,
} from '../../src/service/store/recovery-action-pages.ts';
import { percentile } from './percentile.ts';

const PAGES = Number(process.env.BENCH_PAGES ?? 100);
const SIZE = 100;
const DIRECTIONS = ['asc', 'desc'] as const;

type Filters = Record<string, string>;
type Ask = (url: string) => Promise<unknown>;

interface Listing {
  readonly database: Database;
  readonly base: string;
  readonly ask: Ask;
  readonly keyHash: string;
}

/** One place in one order, and how many actions there are in all and from there. */
interface Place {
  readonly orderBy: Ordering;
  readonly direction: Direction;
  readonly filters: Filters;
  readonly offset: number;
  readonly total: number;
}

export async function benchListing(
  database: Database,
  base: string,
  { ask, keyHash }: Pick<Listing, 'ask' | 'keyHash'>,
): Promise<void> {
  const listing = { database, base, ask, keyHash };
  await benchOrders(listing);
  await benchFilters(listing);
}

async function benchOrders(listing: Listing): Promise<void> {
  const { database } = listing;
  const total = await count(database, {});
  const deep = Math.floor(total / 4);
  console.log(
    `\n| ${total} actions, order | place | p50 ms | p99 ms | healthz p50 | p99 | plan |\n|---|---|---|---|---|---|---|`,
  );
  for (const orderBy of ORDERINGS)
    for (const direction of DIRECTIONS)
      for (const [name, offset] of [
        ['first', 0],
        [String(deep), deep],
        ['last', total - SIZE - 1],
      ] as const) {
        const place = { orderBy, direction, filters: {}, offset, total };
        const after = await positionAt(database, place);
        const { pages, health } = await timePages(listing, place, { after, times: PAGES });
        const plan = await explain(database, (db) =>
          listRecoveryActions(db, 'default', { ...place, after, limit: SIZE + 1 }),
        );
        console.log(`| ${orderBy} ${direction} | ${name} | ${inTwo(pages)} | ${inTwo(health)} | ${plan} |`);
      }
  const filters = { executedAfter: daysAgo(30) };
  console.log(`totalSize: ${await explain(database, (db) => countRecoveryActions(db, 'default', {}))}`);
  console.log(
    `totalSize of the last month: ${await explain(database, (db) => countRecoveryActions(db, 'default', filters))}`,
  );
}

/** Common, rare, late and absent values, alone, together and within bounds; each in all orders, at three depths. */
async function benchFilters(listing: Listing): Promise<void> {
  const since = { executedAfter: daysAgo(30) };
  const until = { executedBefore: daysAgo(30) };
  console.log(
    '\n| filter | actions | p50 ms | p99 ms | healthz p50 | p99 | slowest place, its p50 | totalSize |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  for (const filters of [
    ...['USD', 'SEK', 'BHD', 'XXX'].map((currency) => ({ currency })),
    ...['US', 'FR', 'ZZ'].map((cardCountry) => ({ cardCountry })),
    { currency: 'USD', cardCountry: 'FR' },
    { currency: 'USD', ...since },
    { currency: 'USD', ...until },
    { cardCountry: 'US', ...until },
    since,
    until,
  ])
    await benchFilter(listing, filters);
}

async function benchFilter(listing: Listing, filters: Filters): Promise<void> {
  const { database } = listing;
  const total = await count(database, filters);
  const offsets = total > 2 * SIZE ? [0, Math.floor(total / 2), total - SIZE - 1] : [0];
  const all: Times = { pages: [], health: [] };
  let slowest = { median: 0, name: '' };
  for (const orderBy of ORDERINGS)
    for (const direction of DIRECTIONS)
      for (const offset of offsets) {
        const place = { orderBy, direction, filters, offset, total };
        const after = await positionAt(database, place);
        const { pages, health } = await timePages(listing, place, { after, times: Math.ceil(PAGES / 5) });
        all.pages.push(...pages);
        all.health.push(...health);
        const median = percentile(pages, 0.5);
        if (median > slowest.median) slowest = { median, name: `${orderBy} ${direction} after ${offset}` };
      }
  const plan = await explain(database, (db) => countRecoveryActions(db, 'default', filters));
  console.log(
    `| ${describe(filters)} | ${total} | ${inTwo(all.pages)} | ${inTwo(all.health)} | ${slowest.name}, ${slowest.median.toFixed(1)} | ${plan.replace(/.*; /, '')} |`,
  );
}

/** Times are left out: they are a month ago. */
const describe = (filters: Filters) =>
  Object.entries(filters)
    .map(([name, value]) => (name.startsWith('executed') ? name : value))
    .join(' ');

const daysAgo = (days: number) => DateTime.utc().minus({ days }).toISO();

interface Times {
  readonly pages: number[];
  readonly health: number[];
}

/**
 * In turns with `/healthz`, which is one request with one trivial statement: what a page takes beyond it is ours, the
 * rest is the machine's. What is read is checked too: the page has as many rows as it should, and the total is true.
 */
async function timePages(
  { base, ask, keyHash }: Listing,
  { orderBy, direction, filters, offset, total }: Place,
  { after, times }: { after: PagePosition | undefined; times: number },
): Promise<Times> {
  const state = { orderBy, direction, filters, pageSize: SIZE };
  const query = after
    ? { pageToken: writePageToken(keyHash, { ...state, after, total }, DateTime.utc()) }
    : { orderBy, orderDirection: direction, ...filters };
  const url = `${base}/v1/recovery_actions?${new URLSearchParams(query)}`;
  const rows = Math.min(SIZE, after ? total - offset - 1 : total);
  const taken: Times = { pages: [], health: [] };
  for (let index = 0; index < times; index += 1) {
    taken.health.push((await timed(ask, `${base}/healthz`)).took);
    const { took, body } = await timed(ask, url);
    taken.pages.push(took);
    const { recoveryActions, totalSize } = recoveryActionsPage.parse(body);
    if (recoveryActions.length !== rows || totalSize !== total)
      throw new Error(`${recoveryActions.length} rows of ${totalSize}, not ${rows} of ${total}: ${url}`);
  }
  return taken;
}

async function timed(ask: Ask, url: string): Promise<{ took: number; body: unknown }> {
  const start = performance.now();
  const body = await ask(url);
  return { took: performance.now() - start, body };
}

const inTwo = (times: readonly number[]) =>
  [0.5, 0.99].map((share) => percentile(times, share).toFixed(1)).join(' | ');

/** A plain reading, to hold the listing's own to. */
function plainly(filters: ActionFilters) {
  const { currency, cardCountry, executedAfter, executedBefore } = filters;
  const condition = `($1::text is null or currency = $1) and ($2::text is null or card_country = $2)
    and ($3::timestamptz is null or executed_at >= $3) and ($4::timestamptz is null or executed_at < $4)`;
  const params = [currency, cardCountry, executedAfter, executedBefore].map((value) => value ?? null);
  return { condition, params };
}

async function count(database: Database, filters: Filters): Promise<number> {
  const { condition, params } = plainly(filters);
  const [row] = await database.query<{ count: number }>(
    `select count(*) as count from retry_service.recovery_actions where ${condition}`,
    params,
  );
  return row?.count ?? 0;
}

/** Where a reader would be who had read so many; undefined at the beginning. */
async function positionAt(
  database: Database,
  { orderBy, direction, filters, offset }: Place,
): Promise<PagePosition | undefined> {
  if (offset === 0) return undefined;
  const unexecuted = direction === 'asc' ? 'infinity' : '-infinity';
  const column = orderBy === 'ideal_retry_time' ? 'ideal_retry_at' : orderBy;
  const key = `coalesce(${column}, '${unexecuted}')`;
  const { condition, params } = plainly(filters);
  const [row] = await database.query<PagePosition>(
    `select (${key})::text as key, position from retry_service.recovery_actions where ${condition}
     order by ${key} ${direction}, position ${direction} offset $5 limit 1`,
    [...params, offset],
  );
  if (!row) throw new Error(`There is no action ${offset}.`);
  return row;
}

const planNode = z.looseObject({ 'Node Type': z.string(), 'Index Name': z.string().optional() });
type Plan = z.infer<typeof planNode>;

/** The plan of the statement that a store function would run: its nodes with their indexes, time and buffers. */
async function explain(database: Database, run: (db: Queryable) => Promise<unknown>): Promise<string> {
  let found: unknown;
  await run({
    ...database,
    query: async (text, params) => {
      const [row] = await database.query<Record<string, unknown>>(
        `explain (analyze, buffers, format json) ${text}`,
        params,
      );
      found = row?.['QUERY PLAN'];
      return database.query(text, params);
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

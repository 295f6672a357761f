/**
 * Stripe and a retry service in one light process, for the benchmark of the backfill: BENCH_COUNT subscriptions made
 * from their index as they are asked for, and an ingest that remembers which came. Says `ready URL` and serves until
 * killed. Above BENCH_LIMIT requests a second an endpoint answers 429, as Stripe does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buildSubscription } from '../../test/support/stripe/stripe-objects.ts';

const COUNT = Number(process.env.BENCH_COUNT);
const LIMIT = Number(process.env.BENCH_LIMIT);
const FIRST_SECOND = Date.UTC(2023, 5, 1) / 1000;
/** Subscriptions come in groups of the same second: more than a page holds now and then. */
const GROUP = 37;
const SECONDS_BETWEEN_GROUPS = Math.max(1, Math.floor((3 * 365 * 86_400 * GROUP) / COUNT));

const [head = '', tail = ''] = JSON.stringify({ ...buildSubscription(), id: '#', created: '#' })
  .replace('"created":"#"', '"created":@')
  .split('"id":"#"');

const idOf = (index: number) => `sub_${String(index).padStart(10, '0')}`;
const createdOf = (index: number) => FIRST_SECOND + Math.floor(index / GROUP) * SECONDS_BETWEEN_GROUPS;

function subscription(index: number): string {
  return `${head}"id":"${idOf(index)}"${tail}`.replace('@', String(createdOf(index)));
}

/** The first index of all created at this second or later. */
function firstSince(second: number): number {
  const group = Math.ceil((second - FIRST_SECOND) / SECONDS_BETWEEN_GROUPS);
  return Math.min(COUNT, Math.max(0, group * GROUP));
}

function listSubscriptions(query: URLSearchParams): string {
  const oldest = firstSince(Number(query.get('created[gte]') ?? 0));
  const after = query.get('starting_after');
  const newest = after === null ? firstSince(Number(query.get('created[lte]')) + 1) : Number(after.slice(4));
  const limit = Number(query.get('limit') ?? 10);
  const data: string[] = [];
  for (let index = newest - 1; index >= oldest && data.length < limit; index -= 1)
    data.push(subscription(index));
  const hasMore = newest - data.length > oldest;
  return `{"object":"list","url":"/v1/subscriptions","has_more":${hasMore},"data":[${data.join(',')}]}`;
}

const recent = new Map<string, number[]>();
let throttled = 0;

function isThrottled(endpoint: string): boolean {
  const now = performance.now();
  const times = (recent.get(endpoint) ?? []).filter((time) => time > now - 1000);
  const isOver = times.length >= LIMIT;
  if (isOver) throttled += 1;
  else times.push(now);
  recent.set(endpoint, times);
  return isOver;
}

const seen = new Uint8Array(COUNT);
let delivered = 0;
let requests = 0;

function ingest(body: string): string {
  requests += 1;
  for (const [, digits] of body.matchAll(/"id":"sub_(\d{10})"/g)) {
    seen[Number(digits)] = 1;
    delivered += 1;
  }
  return `{"requestId":"req_${requests}"}`;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  response.setHeader('content-type', 'application/json');
  if (request.method === 'POST') {
    response.end(ingest(await readBody(request)));
  } else if (url.pathname === '/summary') {
    const distinct = seen.reduce((sum, one) => sum + one, 0);
    response.end(JSON.stringify({ distinct, delivered, requests, throttled }));
  } else if (isThrottled(url.pathname)) {
    response.statusCode = 429;
    response.end('{"error":{"type":"invalid_request_error","code":"rate_limit","message":"Too fast."}}');
  } else if (url.pathname === '/v1/subscriptions') {
    response.end(listSubscriptions(url.searchParams));
  } else response.end('{"object":"list","has_more":false,"data":[]}');
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`ready http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`);
});

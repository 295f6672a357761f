/** Requests of every kind, each following from the seed: right and wrong paths, credentials, headers and bodies. */
import Stripe from 'stripe';
import { createRandom } from '../../src/workbench/sandbox/random.ts';
import { SECRETS } from './secrets.ts';

export interface FuzzRequest {
  readonly port: 'plugin' | 'service';
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Sent in place of a request: bytes that are none, or only the beginning of one. */
  readonly bytes?: Buffer;
}

export interface FuzzSources {
  /** Objects that were real once; they are changed before they are sent. */
  readonly events: readonly object[];
  readonly paths: Readonly<Record<FuzzRequest['port'], readonly string[]>>;
  readonly webhookSecret: string;
  readonly cookie: string;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
const TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'];
const TYPES_ODD = [
  '',
  'application/json; charset=utf-7',
  'application/json; charset=latin1',
  'x'.repeat(2_000),
];
const IDS = [
  'in_1',
  'acct_1',
  'cus_x',
  'v1.a.b',
  '0',
  '-1',
  '..',
  '%00',
  '%ff',
  '%',
  'constructor',
  'a'.repeat(9_000),
];
const TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  '__proto__',
  "' or 1=1 --",
  '%s%n',
  '😀',
  'é'.repeat(500),
];
const NUMBERS = [0, -1, 1.5, 2 ** 53, -(2 ** 63), 1e308, 1e-9];
const DATES = ['2026', '9999-12-31T23:59:59Z', '2026-02-30T00:00:00Z', '-000001-01-01T00:00:00Z', 'now'];
const ONE_IN_RAW = 0.01;
const LARGE_BYTES = 1024 * 1024 + 1;

export function createFuzz(
  seed: number,
  { events, paths, webhookSecret, cookie }: FuzzSources,
): () => FuzzRequest {
  const random = createRandom(seed);
  const chance = (share: number) => random.uniform() < share;
  const below = (count: number) => Math.floor(random.uniform() * count);
  const one = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  let count = 0;

  const scalar = (): unknown =>
    one([
      () => one(TEXTS),
      () => one(NUMBERS),
      () => one(DATES),
      () => one(IDS),
      () => null,
      () => chance(0.5),
    ])();
  const tree = (depth: number): unknown => {
    if (depth === 0 || chance(0.4)) return scalar();
    const parts = Array.from({ length: below(5) }, () => tree(depth - 1));
    return chance(0.3) ? parts : Object.fromEntries(parts.map((part) => [one(FIELDS), part]));
  };
  /** With some of its fields lost, or of another kind. */
  const bend = (value: unknown, share: number): unknown => {
    if (chance(share)) return scalar();
    if (Array.isArray(value)) return value.map((part) => bend(part, share));
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(() => !chance(share));
    return Object.fromEntries(kept.map(([name, part]) => [name, bend(part, share)]));
  };
  const path = (port: FuzzRequest['port']) => {
    const known = one(paths[port]).replaceAll(/[:{]\w+\}?/g, () =>
      encodeURI(one(IDS).replaceAll('%', '%25')),
    );
    const bent = chance(0.1) ? `${known}/${encodeURIComponent(one(IDS))}` : known;
    return chance(0.3) ? `${bent}?${query()}` : bent;
  };
  const query = () =>
    Array.from({ length: 1 + below(4) }, () => {
      const value = String(scalar());
      return `${one(FIELDS)}=${chance(0.1) ? '%zz' : encodeURIComponent(value.replaceAll('\ud800', '\ufffd'))}`;
    }).join('&');
  const credentials = (): Record<string, string> =>
    one<() => Record<string, string>>([
      () => ({}),
      () => ({ authorization: `Bearer ${one(Object.values(SECRETS))}` }),
      () => ({ authorization: `Bearer ${one(Object.values(SECRETS))}` }),
      () => ({
        authorization: one(['Bearer', 'Basic Og==', 'Bearer x', `Bearer ${'x'.repeat(4_000)}`, 'Digest a']),
      }),
      () => ({ cookie }),
      () => ({ cookie: one([cookie.slice(0, -3), 'a=b; '.repeat(200), '=;;=']) }),
    ])();
  const body = (): Buffer => {
    if (chance(0.003)) return Buffer.alloc(LARGE_BYTES, 'x');
    if (chance(0.1)) return Buffer.from(Array.from({ length: below(300) }, () => below(256)));
    if (chance(0.05)) return Buffer.from('['.repeat(1 + below(20_000)));
    if (chance(0.2)) return Buffer.from(query());
    const text = JSON.stringify(chance(0.3) ? bend(one(BODIES), 0.1) : tree(4)) ?? '';
    return Buffer.from(chance(0.1) ? text.slice(0, below(text.length + 1)) : text);
  };
  const signed = (): FuzzRequest => {
    const text = JSON.stringify(bend(one(events), 0.02)).replaceAll(
      /\b(evt|in|sub|cus|pi|ch|pm|si)_\w+/g,
      (_id, kind) => (kind === 'evt' ? `evt_fuzz${seed}n${count}` : `${kind}_fuzz${below(50)}`),
    );
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: text, secret: webhookSecret });
    const headers = { 'stripe-signature': signature, 'content-type': 'application/json' };
    return { port: 'plugin', method: 'POST', path: '/webhooks/stripe', headers, body: Buffer.from(text) };
  };
  const message = (): FuzzRequest => {
    const [port, to, token, model] = one(MESSAGES);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return {
      port,
      method: 'POST',
      path: to,
      headers,
      body: Buffer.from(JSON.stringify(bend(model, 0.05)) ?? ''),
    };
  };
  const anything = (): FuzzRequest => {
    const port = chance(0.6) ? 'plugin' : 'service';
    const method = chance(0.7) ? one(['GET', 'POST'] as const) : one(METHODS);
    const headers: Record<string, string> = {
      ...credentials(),
      'content-type': one([...TYPES, ...TYPES_ODD]),
    };
    if (chance(0.05)) headers['content-encoding'] = one(['gzip', 'br', 'deflate', 'x', 'identity']);
    if (chance(0.05)) headers['x-forwarded-for'] = one(['203.0.113.7', '::1', 'x', '1.2.3.4, '.repeat(100)]);
    if (chance(0.05))
      headers['stripe-signature'] = one(['t=1,v1=a', 't=,v1=', 'x'.repeat(1_000), `t=${1e20},v1=0`]);
    const hasBody = method !== 'GET' && method !== 'HEAD' && chance(0.8);
    return { port, method, path: path(port), headers, ...(hasBody ? { body: body() } : {}) };
  };
  const raw = (request: FuzzRequest): FuzzRequest => {
    const head = `${request.method} ${request.path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${below(100)}\r\n`;
    const noise = Buffer.from(Array.from({ length: below(200) }, () => below(256)));
    return { ...request, bytes: chance(0.5) ? noise : Buffer.concat([Buffer.from(head), noise]) };
  };

  return () => {
    count += 1;
    const request = random.pick([
      [anything, 0.9],
      [signed, 0.04],
      [message, 0.06],
    ])();
    return chance(ONE_IN_RAW) ? raw(request) : request;
  };
}

const FIELDS = [
  ...[
    'id',
    'object',
    'type',
    'data',
    'subscriptions',
    'invoices',
    'transactions',
    'requestId',
    'invoiceId',
    'cursor',
  ],
  ...[
    'pageToken',
    'pageSize',
    'after',
    'limit',
    'q',
    'state',
    'status',
    'amount',
    'currency',
    'createdAt',
    'token',
  ],
  ...['__proto__', 'constructor', 'parameters', 'by', 'reason', 'invoice', 'from', 'to', 'password', 'name'],
] as const;

const INSTRUCTION = {
  requestId: 'fuzz',
  invoiceId: 'in_fuzz1',
  subscriptionId: 'sub_fuzz1',
  actionSuggestion: 'ACTION_SUGGESTION_RETRY',
  idealRetryTime: '2030-01-01T00:00:00Z',
};
const INVOICE = {
  id: 'in_fuzz1',
  customerId: 'cus_fuzz1',
  subscriptionId: 'sub_fuzz1',
  status: 'INVOICE_STATUS_OPEN',
  amount: 100,
  currency: 'EUR',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};
const SUBSCRIPTION = {
  ...INVOICE,
  id: 'sub_fuzz1',
  state: 'SUBSCRIPTION_STATE_ACTIVE',
  businessEntity: 'fuzz',
  planId: 'price_1',
  billingPeriod: 1,
  billingPeriodUnit: 'BILLING_PERIOD_UNIT_MONTH',
};
const TRANSACTION = {
  ...INVOICE,
  id: 'ch_fuzz1',
  invoiceId: 'in_fuzz1',
  status: 'TRANSACTION_STATUS_FAILED',
};
const BODIES = [
  INSTRUCTION,
  { invoices: [INVOICE] },
  { subscriptions: [SUBSCRIPTION] },
  { transactions: [TRANSACTION] },
];
const KEY = SECRETS.RETRY_SERVICE_API_KEY;
const MESSAGES = [
  ['plugin', '/recovery_action', SECRETS.RECOVERY_CALLBACK_TOKEN, INSTRUCTION],
  ['service', '/ingest/v1/invoices', KEY, { invoices: [INVOICE] }],
  ['service', '/v1/subscriptions', KEY, { subscriptions: [SUBSCRIPTION] }],
  ['service', '/ingest/v1/transactions', KEY, { transactions: [TRANSACTION] }],
] as const;

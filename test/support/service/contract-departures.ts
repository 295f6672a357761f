/** The contract's sentences about what a service receives, each as a check of one request. */
import type { IncomingMessage } from 'node:http';
import type { SentenceId } from '../../../src/workbench/check-service/contract-sentences.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

const UTC_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isInstant = (value: unknown) => typeof value === 'string' && UTC_INSTANT.test(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;
const isOneOf =
  (...values: unknown[]) =>
  (value: unknown) =>
    values.includes(value);

type Check = (value: unknown) => boolean;

const SUBSCRIPTION: Readonly<Record<string, Check>> = {
  id: isText,
  state: isOneOf('SUBSCRIPTION_STATE_ACTIVE', 'SUBSCRIPTION_STATE_CANCELED'),
  customerId: isText,
  businessEntity: isText,
  planId: isText,
  amount: Number.isSafeInteger,
  currency: isText,
  createdAt: isInstant,
  updatedAt: isInstant,
  activatedAt: isInstant,
  canceledAt: isInstant,
  expiresAt: isInstant,
  billingPeriod: isCount,
  billingPeriodUnit: isOneOf('BILLING_PERIOD_UNIT_MONTH', 'BILLING_PERIOD_UNIT_YEAR'),
};

const LISTING: Readonly<Record<string, Check>> = {
  orderBy: isOneOf('executed_at', 'created_at'),
  orderDirection: isOneOf('asc', 'desc'),
  pageSize: (value) => isCount(Number(value)) && Number(value) <= 100,
  pageToken: isText,
  executedAfter: isInstant,
  executedBefore: isInstant,
};

export interface RequestCheck {
  readonly title: string;
  readonly of: SentenceId;
  /** What the request has that the contract does not allow. */
  readonly find: (asked: Asked, key: string) => string[];
}

const isListing = ({ method, path }: Asked) => method === 'GET' && path === '/v1/recovery_actions';
const isIngest = ({ method, path }: Asked) => method === 'POST' && path === '/ingest/v1/subscriptions';
// Whether it can do more is asked once an hour; a 404 says no.
const asksWhatItCan = ({ method, path }: Asked) => method === 'GET' && path === '/v1/capabilities';

/** Offered once, and not again where the path is missing: what failed, and the list of what is planned. */
const OFFERED: ReadonlySet<string> = new Set([
  'POST /ingest/v1/invoices',
  'POST /ingest/v1/transactions',
  'GET /ingest/v1/recovery_actions',
]);
const isOffered = ({ method, path }: Asked) => OFFERED.has(`${method} ${path}`);

function listRecords({ body }: Asked): Readonly<Record<string, unknown>>[] {
  const records: unknown = Object(body).subscriptions;
  return Array.isArray(records) ? records.map((record) => Object(record)) : [];
}

const ofIngest = (title: string, of: SentenceId, find: (asked: Asked) => string[]): RequestCheck => ({
  title,
  of,
  find: (asked) => (isIngest(asked) ? find(asked) : []),
});
const ofListing = (title: string, of: SentenceId, find: (asked: Asked) => string[]): RequestCheck => ({
  title,
  of,
  find: (asked) => (isListing(asked) ? find(asked) : []),
});
const parameters = (title: string, of: SentenceId, names: readonly string[]): RequestCheck =>
  ofListing(title, of, ({ query }) =>
    checkFields(
      Object.fromEntries(names.flatMap((name) => (name in query ? [[name, query[name]]] : []))),
      LISTING,
      'query',
    ),
  );

export const REQUEST_CHECKS: readonly RequestCheck[] = [
  {
    title: 'each request carries the key as a bearer token',
    of: 'key',
    find: ({ path, headers }, key) =>
      headers.authorization === `Bearer ${key}` ? [] : [`${path}: no Authorization: Bearer`],
  },
  {
    title: 'each request is an operation of the contract, or offered once',
    of: 'version',
    find: (asked) =>
      isListing(asked) || isIngest(asked) || asksWhatItCan(asked) || isOffered(asked)
        ? []
        : [`${asked.method} ${asked.path}: no operation of the contract`],
  },
  ofIngest('each delivery is JSON, and says so', 'ingestBody', ({ headers }) =>
    headers['content-type'] === 'application/json' ? [] : ['the body is not application/json'],
  ),
  ofIngest('each delivery has subscriptions and nothing else', 'ingestBody', ({ body }) => {
    const members = typeof body === 'object' && body !== null ? Object.keys(body) : [];
    if (members.join() !== 'subscriptions') return [`the body has the members ${members.join()}`];
    return Array.isArray(Object(body).subscriptions) ? [] : ['subscriptions is no array'];
  }),
  ofIngest('each delivery has at most 200 subscriptions', 'ingestBatch', (asked) => {
    const { length } = listRecords(asked);
    return length <= 200 ? [] : [`${length} subscriptions in one request`];
  }),
  ofIngest('each subscription has the fields of the contract alone, of its types', 'subscription', (asked) =>
    listRecords(asked).flatMap((record) => checkFields(record, SUBSCRIPTION, String(record.id))),
  ),
  ofIngest('a subscription has canceledAt if it is canceled, and only then', 'canceledAt', (asked) =>
    listRecords(asked).flatMap(checkCanceledAt),
  ),
  ofListing('a listing is asked for with parameters of the contract alone', 'listingPage', ({ query }) =>
    Object.keys(query).flatMap((name) => (name in LISTING ? [] : [`${name}: no parameter of the contract`])),
  ),
  parameters('orderBy and orderDirection have values of the contract', 'listingOrder', [
    'orderBy',
    'orderDirection',
  ]),
  parameters('pageSize is 1 to 100', 'listingSize', ['pageSize']),
  parameters('executedAfter and executedBefore are instants in UTC', 'listingFilters', [
    'executedAfter',
    'executedBefore',
  ]),
  parameters('a pageToken is one that was given', 'listingTokens', ['pageToken']),
];

export function findDepartures(asked: Asked, key: string): string[] {
  return REQUEST_CHECKS.flatMap(({ find }) => find(asked, key));
}

function checkCanceledAt(record: Readonly<Record<string, unknown>>): string[] {
  const isCanceled = record.state === 'SUBSCRIPTION_STATE_CANCELED';
  return 'canceledAt' in record === isCanceled
    ? []
    : [`canceledAt of ${record.id}: present on canceled subscriptions`];
}

function checkFields(
  given: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
  of: string,
): string[] {
  return Object.entries(given)
    .filter(([name, value]) => !checks[name]?.(value))
    .map(([name, value]) => `${name} of ${of}: ${JSON.stringify(value)}`);
}

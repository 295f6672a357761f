/** The contract's sentences about what a service receives, each as a check of one request. */
import type { IncomingMessage } from 'node:http';

interface Asked {
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

/** What the request has that the contract does not allow. */
export function findDepartures(asked: Asked, key: string): string[] {
  const { method, path, headers } = asked;
  const bearer = headers.authorization === `Bearer ${key}` ? [] : [`${path}: no Authorization: Bearer`];
  if (method === 'GET' && path === '/v1/recovery_actions')
    return [...bearer, ...checkFields(asked.query, LISTING, 'query')];
  if (method === 'POST' && path === '/ingest/v1/subscriptions') return [...bearer, ...checkIngest(asked)];
  // Whether it can do more is asked once an hour; a 404 says no.
  if (method === 'GET' && path === '/v1/capabilities') return bearer;
  // Both are offered once; a 404 keeps them away.
  if (method === 'POST' && /^\/ingest\/v1\/(invoices|transactions)$/.test(path)) return bearer;
  return [...bearer, `${method} ${path}: no operation of the contract`];
}

function checkIngest({ headers, body }: Asked): string[] {
  const type = headers['content-type'] === 'application/json' ? [] : ['the body is not application/json'];
  const members = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  if (members.join() !== 'subscriptions') return [...type, `the body has the members ${members.join()}`];
  const records: unknown = Object(body).subscriptions;
  if (!Array.isArray(records)) return [...type, 'subscriptions is no array'];
  const count = records.length <= 200 ? [] : [`${records.length} subscriptions in one request`];
  return [...type, ...count, ...records.flatMap((record) => checkRecord(Object(record)))];
}

function checkRecord(record: Readonly<Record<string, unknown>>): string[] {
  const isCanceled = record.state === 'SUBSCRIPTION_STATE_CANCELED';
  const present =
    'canceledAt' in record === isCanceled
      ? []
      : [`canceledAt of ${record.id}: present on canceled subscriptions`];
  return [...present, ...checkFields(record, SUBSCRIPTION, String(record.id))];
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

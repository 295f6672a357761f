/** The OpenAPI 3.1 document of the service, served at `/openapi.json`. */
import { type IngestKind, MAX_BATCH } from '../../../core/contract/contract.ts';
import {
  type DescribedRoute,
  documentRoute,
  inJson,
  listParameters,
  writeOpenApi,
} from '../../../core/web/openapi.ts';
import { casesQuery } from '../list-recovery-cases.ts';
import { listingQuery } from '../listing-query.ts';
import { BATCH_EXAMPLES, INSTRUCTION_EXAMPLE } from './examples.ts';
import { HEADERS, REFUSALS, referTo, type SchemaName, succeed, toSchemas } from './openapi-answers.ts';

export interface ApiLimits {
  requestsPerSecond: number;
  concurrentRequests: number;
}

export function describeApi(limits: ApiLimits) {
  return writeOpenApi({
    title: 'Payment retry service',
    summary: 'Takes subscriptions, invoices and payments; says which invoices to retry, and when.',
    description: `JSON in UTF-8, over HTTPS; times are ISO 8601 in UTC. For each API key ${limits.requestsPerSecond} requests a second and ${limits.concurrentRequests} at once. Texts have no NUL and no half of a surrogate pair; records have times from 1970 to ten years from now. Every answer that is not a success has the body \`Refusal\` and the header X-Request-Id, also that to a path or method which is not described here (404), to two Host headers or what is no HTTP (400, 408, 431). HEAD and OPTIONS are answered where the others are. No answer is 304.`,
    tags: [
      { name: 'ingest', description: 'What the service learns from its customers.' },
      { name: 'recovery actions', description: 'What it asks them to do.' },
      { name: 'operation', description: 'For whoever runs it; takes no key.' },
    ],
    routes: [...API_ROUTES, ...OPEN_ROUTES],
    webhooks: { recovery_action: { post: callback } },
    schemas: toSchemas(),
    refusals: REFUSALS,
    headers: HEADERS,
    everyHeader: 'X-Request-Id',
    tokens: {
      apiKey: 'The API key of an organization.',
      callbackToken: 'The token that the customer gave with the callback address.',
    },
  });
}

const BATCHES: Record<IngestKind, SchemaName> = {
  subscriptions: 'SubscriptionBatch',
  invoices: 'InvoiceBatch',
  transactions: 'TransactionBatch',
};

const INGEST_NOTES: Record<IngestKind, string> = {
  subscriptions: 'Send them before their invoices.',
  invoices: 'Extension. Send them before their transactions.',
  transactions:
    'Extension: without a processor connection this is how the service learns of failed payments.',
};

const READ = [401, 403, 429, 500];
const READ_STORED = [...READ, 503];
const READ_BY = [400, ...READ_STORED];
const WRITE = [400, 401, 403, 413, 415, 429, 500, 503];

/** A route that takes an API key, and the handler that answers it. */
export interface ApiRoute extends DescribedRoute {
  readonly handler: IngestKind | 'listing' | 'capabilities' | 'cases' | 'forgetting';
}

function describeIngest(path: string, kind: IngestKind, suffix = ''): ApiRoute {
  return {
    handler: kind,
    method: 'post',
    path,
    operationId: `ingest${kind[0]?.toUpperCase()}${kind.slice(1)}${suffix}`,
    tag: 'ingest',
    summary: `Send ${kind}`,
    description: `At most ${MAX_BATCH} in a request. A record that does not fit refuses no other: what is good is stored, and the answer is 400 and names the first that is not. Safe to repeat: a record changes what is known only if its updatedAt is later, to the last digit that was sent. ${INGEST_NOTES[kind]}`,
    body: { schema: referTo(BATCHES[kind]), example: BATCH_EXAMPLES[kind], required: true },
    answers: succeed('All of them are stored.', 'IngestAnswer'),
    refusals: WRITE,
  };
}

function describeListing(path: string, suffix = ''): ApiRoute {
  return {
    handler: 'listing',
    method: 'get',
    path,
    operationId: `listRecoveryActions${suffix}`,
    tag: 'recovery actions',
    summary: 'List recovery actions',
    description:
      'A page at a time. The first request carries ordering and filters, later ones may carry only pageToken.',
    parameters: listParameters(listingQuery.shape),
    answers: succeed('A page; the last one has an empty nextPageToken.', 'RecoveryActionsPage'),
    refusals: READ_BY,
  };
}

/** The contract's paths and those known from the field (stripe-facts 12.2, 12.3). */
export const API_ROUTES: readonly ApiRoute[] = [
  describeIngest('/ingest/v1/subscriptions', 'subscriptions'),
  describeIngest('/v1/subscriptions', 'subscriptions', 'AtV1'),
  describeIngest('/ingest/v1/invoices', 'invoices'),
  describeIngest('/ingest/v1/transactions', 'transactions'),
  describeListing('/v1/recovery_actions'),
  describeListing('/ingest/v1/recovery_actions', 'AtIngest'),
  {
    handler: 'capabilities',
    method: 'get',
    path: '/v1/capabilities',
    operationId: 'listCapabilities',
    tag: 'operation',
    summary: 'List what the service can do beyond the contract',
    description: 'Extension. A service without this path does the contract alone.',
    answers: succeed('What it can do.', 'Capabilities'),
    refusals: READ,
  },
  {
    handler: 'cases',
    method: 'get',
    path: '/v1/recovery_cases',
    operationId: 'listRecoveryCases',
    tag: 'recovery actions',
    summary: 'List what was last decided about each failed invoice',
    description:
      'Extension. Also where nothing is asked: what the service waits for, or why it gave up. In the order of the decisions, oldest first. Read on with afterRevision, at any time: a case that was decided about meanwhile comes once more, and none is missed. The last page also has the counts of callbacks.',
    parameters: listParameters(casesQuery.shape),
    answers: succeed('A page; hasMore is false on the last one.', 'RecoveryCasesPage'),
    refusals: READ_BY,
  },
  {
    handler: 'forgetting',
    method: 'post',
    path: '/v1/forgotten_customers',
    operationId: 'forgetCustomer',
    tag: 'ingest',
    summary: 'Forget a customer',
    description:
      'Extension. Erases the data of a person or a card in the records of a customer, closes their cases, and keeps it out of what is sent later. Amounts, outcomes, times and ids stay. Safe to repeat.',
    body: { schema: referTo('ForgottenCustomer'), example: { customerId: 'cus_1Ada' }, required: true },
    answers: succeed('It is forgotten.', 'ForgottenAnswer'),
    refusals: WRITE,
  },
];

const OPEN_ROUTES: readonly DescribedRoute[] = [
  {
    method: 'get',
    path: '/healthz',
    operationId: 'reportHealth',
    tag: 'operation',
    summary: 'Whether the database answers',
    description: 'For load balancers. It asks the database.',
    isOpen: true,
    answers: succeed('It does.', 'Health'),
    refusals: [503],
  },
  documentRoute('operation', 'With the limits of this installation.', { isOpen: true, refusals: [403] }),
];

const callback = {
  operationId: 'receiveRecoveryAction',
  tags: ['recovery actions'],
  summary: 'An instruction for an invoice',
  description:
    'Posted to {callback address}/recovery_action: at least once, in order for each invoice, for about three days. A 400 is final; any other failure is tried again, after Retry-After if the answer has one.',
  security: [{ callbackToken: [] }],
  requestBody: { required: true, content: inJson(referTo('RetryInstruction'), INSTRUCTION_EXAMPLE) },
  responses: {
    '200': { description: 'It was received.', content: inJson(referTo('CallbackAnswer')) },
    '400': { description: 'It will never be taken.', content: inJson(referTo('CallbackAnswer')) },
    default: { description: 'To be sent again.', content: inJson(referTo('CallbackAnswer')) },
  },
};

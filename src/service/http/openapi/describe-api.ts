/** The OpenAPI 3.1 document of the service, served at `/openapi.json`. */
import { type IngestKind, MAX_BATCH } from '../../../core/contract/contract.ts';
import { inJson, type JsonSchema } from '../../../core/web/openapi.ts';
import { type CasesParameter, MAX_REVISION } from '../list-recovery-cases.ts';
import { DIRECTIONS, type ListingParameter, MAX_PAGE_SIZE, ORDER_BY } from '../listing-query.ts';
import { BATCH_EXAMPLES, INSTRUCTION_EXAMPLE } from './examples.ts';
import {
  answers,
  headers,
  referTo,
  refusals,
  type SchemaName,
  succeed,
  toSchemas,
} from './openapi-answers.ts';

/** The listings' query parameters, each with what the service takes for it. */
interface Meaning {
  description: string;
  schema: JsonSchema;
}

const text = { type: 'string', maxLength: 255 };
const instant = { type: 'string', format: 'date-time' };

/** A parameter that is not described here, or described and not taken, does not compile. */
const PARAMETERS: Record<ListingParameter, Meaning> = {
  orderBy: {
    description:
      'By created_at unless said. By executed_at, actions not executed come last in either direction.',
    schema: { type: 'string', enum: Object.keys(ORDER_BY) },
  },
  orderDirection: {
    description: 'Ascending unless said, which is what continuous reading needs.',
    schema: { type: 'string', enum: Object.keys(DIRECTIONS) },
  },
  pageSize: {
    description: 'Actions on a page.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: MAX_PAGE_SIZE },
  },
  pageToken: {
    description:
      'The nextPageToken of the page before; good for 24 hours. It carries ordering and filters, which may be left out or repeated, not changed.',
    schema: { type: 'string' },
  },
  executedAfter: { description: 'Executed at this instant or later.', schema: instant },
  executedBefore: { description: 'Executed before this instant.', schema: instant },
  subscriptionId: { description: 'Of this subscription.', schema: text },
  invoiceId: { description: 'Of this invoice.', schema: text },
  customerId: { description: 'Of this customer.', schema: text },
  transactionId: { description: 'That this transaction came of.', schema: text },
  cardCountry: { description: 'Of cards of this country: ISO 3166-1 alpha-2.', schema: text },
  currency: { description: 'In this currency: ISO 4217, upper case.', schema: text },
};

const CASES_PARAMETERS: Record<CasesParameter, Meaning> = {
  afterRevision: {
    description: 'Decided about later than this: the revision of the last case that was read.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_REVISION, default: 0 },
  },
  pageSize: {
    description: 'Cases on a page.',
    schema: PARAMETERS.pageSize.schema,
  },
  invoiceId: PARAMETERS.invoiceId,
};

const listingParameters = inQuery(PARAMETERS);
const casesParameters = inQuery(CASES_PARAMETERS);

function inQuery(parameters: Record<string, Meaning>) {
  return Object.entries(parameters).map(([name, meaning]) => ({
    name,
    in: 'query',
    required: false,
    ...meaning,
  }));
}

export interface ApiLimits {
  requestsPerSecond: number;
  concurrentRequests: number;
}

export function describeApi(limits: ApiLimits) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Payment retry service',
      version: '1.0.0',
      summary: 'Takes subscriptions, invoices and payments; says which invoices to retry, and when.',
      description: `JSON in UTF-8, over HTTPS; times are ISO 8601 in UTC. For each API key ${limits.requestsPerSecond} requests a second and ${limits.concurrentRequests} at once. Texts have no NUL and no half of a surrogate pair; records have times from 1970 to ten years from now. Every answer that is not a success has the body \`Refusal\` and the header X-Request-Id, also that to a path or method which is not described here (404), to two Host headers or what is no HTTP (400, 408, 431). HEAD and OPTIONS are answered where the others are. No answer is 304.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.', description: 'Where this document is.' }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'ingest', description: 'What the service learns from its customers.' },
      { name: 'recovery actions', description: 'What it asks them to do.' },
      { name: 'operation', description: 'For whoever runs it; takes no key.' },
    ],
    paths: {
      '/ingest/v1/subscriptions': { post: describeIngest('subscriptions') },
      '/v1/subscriptions': { post: describeIngest('subscriptions', 'AtV1') },
      '/ingest/v1/invoices': { post: describeIngest('invoices') },
      '/ingest/v1/transactions': { post: describeIngest('transactions') },
      '/v1/recovery_actions': { get: describeListing() },
      '/ingest/v1/recovery_actions': { get: describeListing('AtIngest') },
      '/v1/capabilities': { get: capabilities },
      '/v1/recovery_cases': { get: cases },
      '/v1/forgotten_customers': { post: forgetting },
      '/v1/timing_report': { get: timing },
      '/healthz': { get: health },
      '/openapi.json': { get: document },
    },
    webhooks: { recovery_action: { post: callback } },
    components: {
      schemas: toSchemas(),
      responses: refusals,
      headers,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'The API key of an organization.' },
        callbackToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token that the customer gave with the callback address.',
        },
      },
    },
  };
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

function describeIngest(kind: IngestKind, suffix = '') {
  return {
    operationId: `ingest${kind[0]?.toUpperCase()}${kind.slice(1)}${suffix}`,
    tags: ['ingest'],
    summary: `Send ${kind}`,
    description: `At most ${MAX_BATCH} in a request, taken whole or not at all. Safe to repeat: a record changes what is known only if its updatedAt is later, to the last digit that was sent. ${INGEST_NOTES[kind]}`,
    requestBody: { required: true, content: inJson(referTo(BATCHES[kind]), BATCH_EXAMPLES[kind]) },
    responses: answers(
      succeed('All of them are stored.', 'IngestAnswer'),
      [400, 401, 403, 413, 415, 429, 500, 503],
    ),
  };
}

function describeListing(suffix = '') {
  return {
    operationId: `listRecoveryActions${suffix}`,
    tags: ['recovery actions'],
    summary: 'List recovery actions',
    description:
      'A page at a time. The first request carries ordering and filters, later ones may carry only pageToken. A parameter that is not described is refused.',
    parameters: listingParameters,
    responses: answers(
      succeed('A page; the last one has an empty nextPageToken.', 'RecoveryActionsPage'),
      [400, 401, 403, 429, 500, 503],
    ),
  };
}

const capabilities = {
  operationId: 'listCapabilities',
  tags: ['operation'],
  summary: 'List what the service can do beyond the contract',
  description: 'Extension. A service without this path does the contract alone.',
  responses: answers(succeed('What it can do.', 'Capabilities'), [401, 403, 429, 500]),
};

const cases = {
  operationId: 'listRecoveryCases',
  tags: ['recovery actions'],
  summary: 'List what was last decided about each failed invoice',
  description:
    'Extension. Also where nothing is asked: what the service waits for, or why it gave up. In the order of the decisions, oldest first. Read on with afterRevision, at any time: a case that was decided about meanwhile comes once more, and none is missed. The last page also has the counts of callbacks.',
  parameters: casesParameters,
  responses: answers(
    succeed('A page; hasMore is false on the last one.', 'RecoveryCasesPage'),
    [400, 401, 403, 429, 500, 503],
  ),
};

const timing = {
  operationId: 'reportTiming',
  tags: ['recovery actions'],
  summary: 'What the choice of times is worth',
  description:
    'Extension. Compares the cases whose times were chosen with those left on a static schedule, once there are enough of both.',
  responses: answers(succeed('As far as the closed cases show.', 'TimingReport'), [401, 403, 429, 500, 503]),
};

const forgetting = {
  operationId: 'forgetCustomer',
  tags: ['ingest'],
  summary: 'Forget a customer',
  description:
    'Extension. Erases the data of a person or a card in the records of a customer, closes their cases, and keeps it out of what is sent later. Amounts, outcomes, times and ids stay. Safe to repeat.',
  requestBody: {
    required: true,
    content: inJson(referTo('ForgottenCustomer'), { customerId: 'cus_1Ada' }),
  },
  responses: answers(
    succeed('It is forgotten.', 'ForgottenAnswer'),
    [400, 401, 403, 413, 415, 429, 500, 503],
  ),
};

const health = {
  operationId: 'reportHealth',
  tags: ['operation'],
  summary: 'Whether the database answers',
  description: 'For load balancers. It asks the database.',
  security: [],
  responses: answers(succeed('It does.', 'Health'), [503]),
};

const document = {
  operationId: 'readDocument',
  tags: ['operation'],
  summary: 'This document',
  description: 'With the limits of this installation.',
  security: [],
  responses: answers({ description: 'OpenAPI 3.1.', schema: { type: 'object' } }, [403]),
};

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

/** The OpenAPI 3.1 document of the service, served at `/openapi.json`. */
import { type IngestKind, MAX_BATCH } from '../../../core/contract/contract.ts';
import {
  type DescribedRoute,
  documentRoute,
  inJson,
  type JsonSchema,
  writeOpenApi,
} from '../../../core/web/openapi.ts';
import { type CasesParameter, MAX_REVISION } from '../list-recovery-cases.ts';
import { DIRECTIONS, type ListingParameter, MAX_PAGE_SIZE, ORDER_BY } from '../listing-query.ts';
import { BATCH_EXAMPLES, INSTRUCTION_EXAMPLE } from './examples.ts';
import { HEADERS, REFUSALS, referTo, type SchemaName, succeed, toSchemas } from './openapi-answers.ts';

/** The listings' query parameters and their accepted values. */
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
      'The nextPageToken of the page before; good for 24 hours with the same API key. It carries ordering and filters, which may be left out or repeated, not changed.',
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
  return writeOpenApi({
    title: 'Payment retry service',
    summary: 'Takes subscriptions, invoices and payments; says which invoices to retry, and when.',
    description: `JSON in UTF-8, over HTTPS; times are ISO 8601 in UTC. For each API key ${limits.requestsPerSecond} requests a second and ${limits.concurrentRequests} at once. Texts have no NUL and no half of a surrogate pair; records have times from 1970 to ten years from now. Every answer that is not a success has the body \`Refusal\` and the header X-Request-Id, also that to a path or method which is not described here (404), to two Host headers or what is no HTTP (400, 408, 431). HEAD and OPTIONS are answered where the others are. No answer is 304.`,
    tags: [
      { name: 'ingest', description: 'What the service learns from its customers.' },
      { name: 'recovery actions', description: 'What it asks them to do.' },
      { name: 'operation', description: 'For whoever runs it; takes no key.' },
    ],
    routes: ROUTES,
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

function describeIngest(path: string, kind: IngestKind, suffix = ''): DescribedRoute {
  return {
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

function describeListing(path: string, suffix = ''): DescribedRoute {
  return {
    method: 'get',
    path,
    operationId: `listRecoveryActions${suffix}`,
    tag: 'recovery actions',
    summary: 'List recovery actions',
    description:
      'A page at a time. The first request carries ordering and filters, later ones may carry only pageToken.',
    parameters: listingParameters,
    answers: succeed('A page; the last one has an empty nextPageToken.', 'RecoveryActionsPage'),
    refusals: READ_BY,
  };
}

const ROUTES: readonly DescribedRoute[] = [
  describeIngest('/ingest/v1/subscriptions', 'subscriptions'),
  describeIngest('/v1/subscriptions', 'subscriptions', 'AtV1'),
  describeIngest('/ingest/v1/invoices', 'invoices'),
  describeIngest('/ingest/v1/transactions', 'transactions'),
  describeListing('/v1/recovery_actions'),
  describeListing('/ingest/v1/recovery_actions', 'AtIngest'),
  {
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
    method: 'get',
    path: '/v1/recovery_cases',
    operationId: 'listRecoveryCases',
    tag: 'recovery actions',
    summary: 'List what was last decided about each failed invoice',
    description:
      'Extension. Also where nothing is asked: what the service waits for, or why it gave up. In the order of the decisions, oldest first. Read on with afterRevision, at any time: a case that was decided about meanwhile comes once more, and none is missed. The last page also has the counts of callbacks.',
    parameters: casesParameters,
    answers: succeed('A page; hasMore is false on the last one.', 'RecoveryCasesPage'),
    refusals: READ_BY,
  },
  {
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

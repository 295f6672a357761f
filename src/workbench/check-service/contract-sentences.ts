/** The contract's sentences by an id each. Every check names the one that it is of, so that none is without a check in either direction. */

interface Sentence {
  /** The short form. */
  readonly says: string;
  /** Why `check-service` looks at nothing of it. */
  readonly service?: string;
  /** Why `check-plugin` looks at nothing of it. */
  readonly plugin?: string;
}

const NO_LOOK = 'a freedom of the service: there is nothing that it could break';
const OF_CLIENTS = 'a client does it';

const TABLE = {
  transport: {
    says: 'HTTPS only',
    service: 'a service is also checked on the machine of its author',
    plugin: 'the settings take an address of plain HTTP on the same machine alone',
  },
  wire: { says: 'a JSON-over-HTTPS REST API: what HTTP allows', service: NO_LOOK },
  version: { says: 'the version is a path segment; these are the operations' },
  times: { says: 'timestamps are ISO 8601' },
  subscription: { says: 'a subscription has these fields, of these types' },
  canceledAt: { says: 'canceledAt is present on canceled subscriptions' },
  updatedAt: { says: 'a customer sends subscription records, and updatedAt says which is newer' },
  ingestBody: { says: 'the body is a JSON object with one member, subscriptions' },
  ingestBatch: { says: 'at most 200 subscriptions in a request' },
  ingestAnswer: {
    says: 'the answer is an object with requestId, a unique identifier; a client may need none of it',
  },
  ingestStatus: { says: 'the success status of ingest is not shown', service: NO_LOOK },
  listingPage: { says: 'a page has recoveryActions, nextPageToken and totalSize' },
  listingTokens: { says: 'later requests carry nextPageToken, which is empty when there are no more pages' },
  listingOrder: { says: 'orderBy is executed_at or created_at, orderDirection asc or desc' },
  listingSize: { says: 'pageSize is 1 to 100' },
  listingFilters: { says: 'executedAfter and executedBefore; whether they include the instant is not shown' },
  listingGrowth: {
    says: 'in descending order new entries appear at the start and push others onto later pages',
    service: 'its list does not grow by what a check does',
  },
  listingRecords: { says: 'the fields of a recovery action are not shown', service: NO_LOOK },
  listingRead: {
    says: 'a customer reads the recovery actions; the success status is not shown',
    service: OF_CLIENTS,
  },
  callbackRequest: { says: 'the service posts to /recovery_action' },
  callbackToken: { says: 'with Authorization: Bearer <TOKEN>' },
  callbackBody: { says: '{requestId, invoiceId, subscriptionId?, actionSuggestion, idealRetryTime}' },
  callbackAnswer: {
    says: 'the receiver answers {success, message}',
    service: 'its own receiver answers so, and the service may read none of it',
  },
  callbackAgain: { says: 'delivery retries and ordering are not shown: one may come again, and late' },
  suggestions: {
    says: 'suggestions are a value set, not a lifecycle; a service may get further ones',
    service: 'callbackBody: the values are read there',
  },
  invoices: { says: 'an invoice is only referenced by identifier', service: NO_LOOK },
  key: { says: 'Authorization: Bearer <API_KEY> on all requests' },
  keyElsewhere: { says: 'the key must not be placed in requests to other services', service: OF_CLIENTS },
  tooMuch: { says: '429 where a request limit is exceeded' },
  backoff: { says: 'on 429 a client implements exponential backoff', service: OF_CLIENTS },
  expiredToken: { says: '400 where a pageToken is expired or invalid' },
  otherErrors: { says: 'error bodies and other statuses are not shown' },
  atOnce: { says: 'no more than five simultaneous requests' },
  rate: {
    says: 'a hundred requests a second',
    service: 'a check is no load test',
    plugin:
      'a twin on a simulated clock has no seconds; test/plugin/clients/service-client.test.ts counts them',
  },
} as const satisfies Readonly<Record<string, Sentence>>;

export type SentenceId = keyof typeof TABLE;
export const SENTENCES: Readonly<Record<SentenceId, Sentence>> = TABLE;

/** Client of the retry service; sorts its answers. Never throws for an answer of a server. */
import type { z } from 'zod';
import { type Clock, systemClock } from '../../core/base/clock.ts';
import { messageWithCause, PluginError } from '../../core/base/errors.ts';
import { answerText } from '../../core/base/printable-text.ts';
import { tryJson } from '../../core/base/try-json.ts';
import type { Capability } from '../../core/contract/capabilities.ts';
import { type IngestKind, ingestAcknowledgement, isRecord } from '../../core/contract/contract.ts';
import { forgottenAnswer } from '../../core/contract/forgotten-customer.ts';
import { type ListedRecord, parseListingPage } from '../../core/contract/listed-record.ts';
import { type RecoveryCasesPage, recoveryCasesPage } from '../../core/contract/recovery-cases.ts';
import type { RequestOutcome } from '../../core/contract/request-outcomes.ts';
import { readRetryAfterMs } from '../../core/contract/retry-after.ts';
import { createMeasures, type Measures } from '../../core/telemetry/measures.ts';
import { carryTrace, inSpan, SpanKind } from '../../core/telemetry/spans.ts';
import { askWithin, type BoundedAnswer, LISTING_BYTES } from '../../core/web/bounded-answer.ts';
import { type Fetch, ownFetch } from '../../core/web/in-process-fetch.ts';
import { createKeyTurns, type TakeTurn } from './key-turns.ts';
import { createCapabilities } from './service-capabilities.ts';

/** A service may return a whole delivery. */
const BOUNDS = { withinMs: 30_000, mostBytes: LISTING_BYTES };
const ANSWER_LENGTH = 2_000;
const REQUEST_ID_LENGTH = 200;

export type IngestResult =
  /** The service's request id, if it gives one. */
  | { kind: 'accepted'; requestId: string | undefined }
  /** A success with other content, such as a sign-in page: the service may have the batch or not. */
  | { kind: 'odd'; answer: string }
  /** The batch contains something that the service does not accept. */
  | { kind: 'refused'; status: number; answer: string }
  /** Too fast, or too many requests. */
  | { kind: 'throttled'; retryAfterMs: number | undefined; answer: string }
  | Failure;

/** The service is down or does not accept the request; the batch may have arrived. */
export interface Failure {
  readonly kind: 'failed';
  readonly reason: string;
  /** Status of its answer; undefined without one. */
  readonly status?: number;
  readonly retryAfterMs: number | undefined;
}

/** The first request of a pass has order and filters; later ones only the page token. */
export type ListingRequest =
  | {
      readonly orderBy?: string | undefined;
      readonly orderDirection?: string | undefined;
      /** ISO 8601, UTC. */
      readonly executedAfter?: string | undefined;
      readonly executedBefore?: string | undefined;
    }
  | { readonly pageToken: string };

/** The contract's listing, and some services' listing of planned actions (stripe-facts 12.2). */
export type ListingPath = 'v1/recovery_actions' | 'ingest/v1/recovery_actions';

export type ListingResult =
  | { kind: 'page'; records: readonly ListedRecord[]; nextPageToken: string | undefined }
  | { kind: 'throttled'; retryAfterMs: number | undefined; answer: string }
  /** 400 for a page token: start again without one. */
  | { kind: 'token_expired'; answer: string }
  /** The service does not accept these parameters, or has no such listing. */
  | { kind: 'refused'; answer: string; isMissing?: true }
  | Failure;

export interface ServiceClient {
  ingest(kind: IngestKind, records: readonly object[]): Promise<IngestResult>;
  /** `path` defaults to the contract's. */
  listRecoveryActions(request: ListingRequest, path?: ListingPath): Promise<ListingResult>;
  /** Whether the service has a capability; undefined without an answer. */
  can(capability: Capability): Promise<boolean | undefined>;
  /** Same by its last answer, without asking. */
  knows(capability: Capability): boolean | undefined;
  /** Number of changed records by kind; undefined for any other answer. */
  forgetCustomer(customerId: string): Promise<Readonly<Record<string, number>> | undefined>;
  tellOutcomes(outcomes: readonly RequestOutcome[]): Promise<IngestResult>;
  /** Decisions after a revision, oldest first; undefined for any other answer. */
  findRecoveryCases(afterRevision: number): Promise<RecoveryCasesPage | undefined>;
}

export interface ServiceAddress {
  readonly baseUrl: URL;
  /** Address of its listings, if not under the base address. */
  readonly listingUrl?: URL | undefined;
  readonly apiKey: string;
  /** Set if the service runs in this process. */
  readonly fetch?: Fetch;
}

/** Statuses of refused content; splitting the batch finds the faulty records. */
const CONTENT_REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

interface ClientOptions {
  readonly measures?: Measures;
  readonly clock?: Pick<Clock, 'now'>;
  readonly fetch?: Fetch | undefined;
  readonly takeTurn?: TakeTurn | undefined;
}

/** Creates clients by account; without an address nothing is sent, and the answer has the reason. */
export function createServiceClients(
  addressOf: (account: string) => ServiceAddress | Promise<ServiceAddress>,
  { measures = createMeasures(), clock = systemClock, fetch, takeTurn }: ClientOptions = {},
): (account: string) => ServiceClient {
  const awaitTurn = createKeyTurns(takeTurn);
  const capabilities = createCapabilities(clock);
  return (account) => {
    const inTurn = async <Result>(ask: (address: Target) => Promise<Result>): Promise<Result | Failure> => {
      let address: ServiceAddress;
      try {
        address = await addressOf(account);
      } catch (error) {
        return withoutAddress(error);
      }
      return awaitTurn(address, () => ask({ fetch: fetch ?? ownFetch, ...address, measures, clock }));
    };
    /** Asks for an operation beyond the contract. */
    const ifAnswered = async <Result>(
      ask: (address: Target) => Promise<Result | undefined>,
    ): Promise<Result | undefined> => {
      const answer = await inTurn(async (address) => ({ answer: await ask(address) }));
      return 'kind' in answer ? undefined : answer.answer;
    };
    const find = <Schema extends z.ZodType>(path: string, schema: Schema, given?: object) =>
      ifAnswered((address) => findAnswer(address, path, schema, given));
    const askCapabilities = () =>
      ifAnswered(async (address) => {
        const answer = await send(address, endpoint(address.baseUrl, 'v1/capabilities'), { method: 'GET' });
        return 'kind' in answer ? undefined : answer;
      });
    return {
      can: (capability) => capabilities.can(account, capability, askCapabilities),
      knows: (capability) => capabilities.knows(account, capability),
      ingest: (kind, records) => inTurn((address) => post(address, kind, { [kind]: records })),
      tellOutcomes: (requestOutcomes) =>
        inTurn((address) => post(address, 'request_outcomes', { requestOutcomes })),
      listRecoveryActions: (request, path = 'v1/recovery_actions') =>
        inTurn((address) => list(address, request, path)),
      forgetCustomer: async (customerId) =>
        (await find('v1/forgotten_customers', forgottenAnswer, { customerId }))?.removed,
      findRecoveryCases: (after) => find(`v1/recovery_cases?afterRevision=${after}`, recoveryCasesPage),
    };
  };
}

type Target = ServiceAddress & {
  readonly fetch: Fetch;
  readonly measures: Measures;
  readonly clock: Pick<Clock, 'now'>;
};

interface Answer extends BoundedAnswer {
  readonly retryAfterMs: number | undefined;
}

/** Reports wrong settings to a person; other errors are the caller's to retry. */
function withoutAddress(error: unknown): Failure {
  if (!(error instanceof PluginError)) throw error;
  const { message, help = '' } = error;
  return { kind: 'failed', reason: `${message} ${help}`.trim(), retryAfterMs: undefined };
}

async function post(address: Target, path: string, batch: object): Promise<IngestResult> {
  const body = JSON.stringify(batch);
  const url = endpoint(address.baseUrl, `ingest/v1/${path}`);
  const answer = await send(address, url, { method: 'POST', body });
  return 'kind' in answer ? answer : sortAnswer(answer);
}

/** The contract's maximum, always sent because defaults differ (stripe-facts 12.2). */
const PAGE_SIZE = 100;

async function list(address: Target, request: ListingRequest, path: ListingPath): Promise<ListingResult> {
  const url = endpoint(address.listingUrl ?? address.baseUrl, path);
  const parameters = 'pageToken' in request ? request : { ...request, pageSize: PAGE_SIZE };
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const answer = await send(address, url, { method: 'GET' });
  return 'kind' in answer ? answer : sortPage(answer, 'pageToken' in request);
}

/** The answer of an operation beyond the contract; undefined for any other. */
async function findAnswer<Schema extends z.ZodType>(
  address: Target,
  path: string,
  schema: Schema,
  given?: object,
): Promise<z.infer<Schema> | undefined> {
  const request = given ? { method: 'POST', body: JSON.stringify(given) } : { method: 'GET' };
  const answer = await send(address, endpoint(address.baseUrl, path), request);
  if ('kind' in answer || !answer.ok) return undefined;
  return schema.safeParse(tryJson(answer.text)).data;
}

/** Redirects are not followed: the key goes to no other address. */
async function send(
  { apiKey, measures, clock, fetch }: Target,
  url: URL,
  request: { method: string; body?: string },
): Promise<Answer | Failure> {
  const type = request.body === undefined ? {} : { 'Content-Type': 'application/json' };
  try {
    const ask = async () => {
      const headers = { Authorization: `Bearer ${apiKey}`, ...type, ...carryTrace() };
      const asked = { ...request, headers, redirect: 'error' } as const;
      const answer = await askWithin(fetch, url, asked, BOUNDS);
      return { ...answer, retryAfterMs: readRetryAfterMs(answer.headers, clock.now()) };
    };
    const operation = url.pathname.split('/').at(-1) ?? '';
    const traced = () => inSpan(`service ${operation}`, { kind: SpanKind.CLIENT }, ask);
    return await measures.timed('payment_retry_service_request_duration_seconds', traced, (result) => ({
      operation,
      status: result.status === 'fulfilled' ? String(result.value.status) : 'none',
    }));
  } catch (error) {
    return { kind: 'failed', reason: messageWithCause(error), retryAfterMs: undefined };
  }
}

function sortAnswer(answer: Answer): IngestResult {
  const { ok, status, headers, text } = answer;
  if (ok && isAcknowledgement(text)) return { kind: 'accepted', requestId: findRequestId(headers, text) };
  if (ok) return { kind: 'odd', answer: `${status} ${startOf(text)}` };
  if (CONTENT_REFUSED.has(status)) return { kind: 'refused', status, answer: startOf(text) };
  return sortTrouble(answer);
}

/** The contract names an object, and no status (stripe-facts 12.1): an empty body counts, too. */
function isAcknowledgement(text: string): boolean {
  if (text.trim() === '') return true;
  const body = tryJson(text);
  return isRecord(body) && body.success !== false && (body.error ?? null) === null;
}

/** The beginning of an answer, safe to store. */
const startOf = (text: string) => answerText(text.slice(0, ANSWER_LENGTH));

function findRequestId(headers: Answer['headers'], text: string): string | undefined {
  const { requestId, request_id } = ingestAcknowledgement.safeParse(tryJson(text)).data ?? {};
  const given = requestId ?? request_id ?? headers.get('x-request-id') ?? headers.get('request-id');
  return given?.toString().replaceAll('\u0000', '').slice(0, REQUEST_ID_LENGTH) || undefined;
}

/** Statuses of a refused parameter or page token. */
const PARAMETERS_REFUSED: ReadonlySet<number> = new Set([400, 422]);
/** Statuses of a missing listing. */
const MISSING: ReadonlySet<number> = new Set([404, 405, 501]);

function sortPage(answer: Answer, hasToken: boolean): ListingResult {
  const { ok, status, text, isCut } = answer;
  if (ok) {
    const page = parseListingPage(tryJson(text));
    if (page.ok) return { kind: 'page', ...page.value };
    const problem = isCut ? `over ${LISTING_BYTES} bytes` : page.message;
    return toFailure(answer, `answered ${status} without a page (${problem}): ${startOf(text)}`);
  }
  if (PARAMETERS_REFUSED.has(status))
    return { kind: hasToken ? 'token_expired' : 'refused', answer: startOf(text) };
  if (MISSING.has(status) && !hasToken)
    return { kind: 'refused', isMissing: true, answer: `answered ${status}: ${startOf(text)}` };
  return sortTrouble(answer);
}

function sortTrouble(answer: Answer): Extract<IngestResult, { kind: 'throttled' | 'failed' }> {
  const { status, text, retryAfterMs } = answer;
  if (status === 429) return { kind: 'throttled', retryAfterMs, answer: startOf(text) };
  return toFailure(answer, `answered ${status}: ${startOf(text)}`);
}

function toFailure({ status, retryAfterMs }: Answer, reason: string): Failure {
  return { kind: 'failed', reason, status, retryAfterMs };
}

/** Relative to the whole base address, so that its path is kept. */
function endpoint(base: URL, path: string): URL {
  return new URL(path, base.href.endsWith('/') ? base.href : `${base.href}/`);
}

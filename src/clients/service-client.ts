/** Sends batches to the retry service and sorts its answers. Never throws for what a server can answer. */
import { DateTime } from 'luxon';
import PQueue from 'p-queue';
import { type IngestKind, ingestAnswer } from '../contract.ts';

/** Contract, Limits: at most five requests at once and under a hundred a second. */
const CONCURRENCY = 5;
const REQUESTS_PER_SECOND = 90;
const TIMEOUT_MS = 30_000;
const ANSWER_LENGTH = 2_000;

export type IngestResult =
  | { kind: 'accepted'; requestId: string }
  /** The batch holds something the service will not take. */
  | { kind: 'refused'; status: number; answer: string }
  /** Too fast, or too much at once. */
  | { kind: 'throttled'; retryAfterMs: number | undefined; answer: string }
  /** The service is away or its answer makes no sense; the batch may or may not have arrived. */
  | { kind: 'failed'; reason: string; retryAfterMs: number | undefined };

export interface ServiceClient {
  ingest(kind: IngestKind, records: readonly object[]): Promise<IngestResult>;
}

export interface ServiceAddress {
  readonly baseUrl: URL;
  readonly apiKey: string;
}

/** Statuses by which a service refuses the content of a batch; splitting it finds the records at fault. */
const CONTENT_REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

export function createServiceClient(address: () => ServiceAddress): ServiceClient {
  const lanes = new PQueue({ concurrency: CONCURRENCY, interval: 1000, intervalCap: REQUESTS_PER_SECOND });
  return { ingest: (kind, records) => lanes.add(() => post(address(), kind, records)) };
}

async function post(
  address: ServiceAddress,
  kind: IngestKind,
  records: readonly object[],
): Promise<IngestResult> {
  try {
    const response = await fetch(endpoint(address.baseUrl, `ingest/v1/${kind}`), {
      method: 'POST',
      headers: { Authorization: `Bearer ${address.apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ [kind]: records }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    return sortAnswer(response, await response.text());
  } catch (error) {
    return { kind: 'failed', reason: describeFailure(error), retryAfterMs: undefined };
  }
}

function sortAnswer(response: Response, text: string): IngestResult {
  const answer = text.slice(0, ANSWER_LENGTH);
  const retryAfterMs = readRetryAfter(response.headers);
  if (response.ok) {
    const body = ingestAnswer.safeParse(parseJson(text));
    if (body.success) return { kind: 'accepted', requestId: body.data.requestId };
    return {
      kind: 'failed',
      reason: `answered ${response.status} without a requestId: ${answer}`,
      retryAfterMs,
    };
  }
  if (response.status === 429) return { kind: 'throttled', retryAfterMs, answer };
  if (CONTENT_REFUSED.has(response.status)) return { kind: 'refused', status: response.status, answer };
  return { kind: 'failed', reason: `answered ${response.status}: ${answer}`, retryAfterMs };
}

/** Relative to the whole base address, so that a base with a path keeps it. */
function endpoint(base: URL, path: string): URL {
  return new URL(path, base.href.endsWith('/') ? base.href : `${base.href}/`);
}

/** Seconds, or an HTTP date, which is taken relative to the answer's own date so that our clock does not matter. */
function readRetryAfter(headers: Headers): number | undefined {
  const wait = headers.get('retry-after');
  if (wait === null) return undefined;
  if (/^\d{1,6}$/.test(wait)) return Number(wait) * 1000;
  const until = DateTime.fromHTTP(wait);
  const sent = DateTime.fromHTTP(headers.get('date') ?? '');
  return until.isValid && sent.isValid ? Math.max(0, until.toMillis() - sent.toMillis()) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`;
}

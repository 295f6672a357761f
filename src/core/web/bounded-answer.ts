/** The one reader of answers from other systems: no answer takes more memory or time than its caller allows. */
import { addAbortSignal, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { clearTimeout, setTimeout } from 'node:timers';
import type { Fetch, FetchAnswer, OutgoingRequest } from './in-process-fetch.ts';

/** Enough for a page of records. */
export const LISTING_BYTES = 8 * 1024 * 1024;
/** Enough for every other answer. */
export const ANSWER_BYTES = 64 * 1024;

export interface Bounds {
  /** Time from the request to the last byte of the answer. */
  readonly withinMs: number;
  /** Counted after unpacking. */
  readonly mostBytes: number;
}

export interface BoundedAnswer extends Pick<FetchAnswer, 'ok' | 'status' | 'headers'> {
  readonly text: string;
  /** More than `text` was sent; the rest was not read. */
  readonly isCut: boolean;
}

/** No answer, or only a part of it, came in time. */
export class LateAnswerError extends Error {
  /** Node's code for a connection. */
  readonly code = 'ETIMEDOUT';

  constructor(withinMs: number) {
    super(`no answer within ${withinMs / 1000} seconds`);
    this.name = 'LateAnswerError';
  }
}

/** Rejects for no answer or a late one, never for the answer's content. */
export function askWithin(
  fetch: Fetch,
  url: URL | string,
  request: Omit<OutgoingRequest, 'signal'>,
  { withinMs, mostBytes }: Bounds,
): Promise<BoundedAnswer> {
  return withDeadline(withinMs, async (signal) => {
    const { ok, status, headers, body } = await fetch(url, { ...request, signal });
    return { ok, status, headers, ...(await readStart(body, mostBytes, signal)) };
  });
}

/**
 * Aborts the work when its time is over, and rejects then even if the work ignores that. The timer is held until the work ends:
 * Node 20 collects an `AbortSignal.timeout` while a body is being read, and the deadline with it.
 */
export async function withDeadline<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { signal } = controller;
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  const timer = setTimeout(() => controller.abort(new LateAnswerError(ms)), ms);
  try {
    return await Promise.race([work(signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads at most this many bytes. Closes the connection when there are more, or when the signal aborts. */
export async function readStart(
  body: AsyncIterable<Uint8Array> | null,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Pick<BoundedAnswer, 'text' | 'isCut'>> {
  if (body === null) return { text: '', isCut: false };
  const stream = addAbortSignal(signal, toStream(body));
  const chunks: Buffer[] = [];
  let left = mostBytes;
  for await (const chunk of mostBytes > 0 ? stream : []) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes.subarray(0, left));
    left -= bytes.length;
    if (left < 0) break;
  }
  stream.destroy();
  return { text: new TextDecoder().decode(Buffer.concat(chunks)), isCut: left < 0 };
}

/** A stream can be destroyed while it waits for more, which a mere iterator cannot. */
function toStream(body: AsyncIterable<Uint8Array>): Readable {
  if (body instanceof Readable) return body;
  return body instanceof ReadableStream ? Readable.fromWeb(body) : Readable.from(body);
}

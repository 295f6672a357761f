/**
 * Requests by Node's own HTTP. To other systems, since the global `fetch` is the application's to replace: Next.js caches what it
 * answers. And to an application of this process, without a port: over a pair of streams where a socket would be. Routes, limits and
 * headers are those that a caller from outside meets.
 */
import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  request,
} from 'node:http';
import { request as requestByTls, Agent as TlsAgent } from 'node:https';
import { pipeline as chain, type Duplex, duplexPair, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { codeOf } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';

export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: 'error' | 'manual';
}

/** The part of a `Response` that is used; `bounded-answer` reads the body. */
export interface FetchAnswer extends Pick<Response, 'ok' | 'status'> {
  readonly headers: Pick<Headers, 'get' | 'getSetCookie'>;
  readonly body: AsyncIterable<Uint8Array> | null;
}

export type Fetch = (url: string | URL, request: OutgoingRequest) => Promise<FetchAnswer>;

/** A placeholder in addresses: nothing listens there for these requests, and their origin is this machine. */
const LOOPBACK = '127.0.0.1';
export const IN_PROCESS_URL = `http://${LOOPBACK}`;

/** Fetches from other systems. The application may replace the process-wide agent. */
export const ownFetch: Fetch = createFetch({
  'http:': { agent: new Agent({ keepAlive: true }) },
  'https:': { agent: new TlsAgent({ keepAlive: true }) },
});

export function createInProcessFetch(app: RequestListener): Fetch {
  return createFetch({ 'http:': { createConnection: connectTo(app) } });
}

/** A redirect is never followed: an answer like any other, or an error. */
function createFetch(connections: Readonly<Record<string, RequestOptions>>): Fetch {
  return async (url, { method, headers: given, body, signal, redirect }) => {
    const { protocol } = new URL(url);
    const send = protocol === 'https:' ? requestByTls : request;
    const headers = { 'user-agent': 'stripe-payment-retry', ...given };
    const ask = (isAgain = false) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const asked = send(url, { method, headers, signal, ...connections[protocol] });
        asked.once('response', resolve);
        asked.once('error', (error) => {
          // The peer had closed a kept connection before it read the request (Node: `request.reusedSocket`).
          if (asked.reusedSocket && !isAgain && !signal.aborted && codeOf(error) === 'ECONNRESET')
            ask(true).then(resolve, reject);
          else reject(error);
        });
        asked.end(body);
      });
    const incoming = await ask().catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
    const answer = toAnswer(incoming);
    if (redirect === 'manual' || answer.status < 300 || answer.status >= 400) return answer;
    incoming.destroy();
    throw new Error(`unexpected redirect (${answer.status})`);
  };
}

/** Headers of one connection. The body has been read from it, and its length is known. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer'];
/** A caller whose address is not known, which is not this machine. */
const ANYBODY = '0.0.0.0';

/** The same for the platform's Request, its body as it came: for a host that has no request of Node's. */
export function createRequestHandler(app: RequestListener): (asked: Request) => Promise<Response> {
  const createConnection = connectTo(app);
  return async (asked) => {
    const { protocol, host, hostname, pathname, search } = new URL(asked.url);
    const headers = new Headers(asked.headers);
    for (const name of HOP_BY_HOP) headers.delete(name);
    const missing = {
      host,
      'x-forwarded-proto': protocol.slice(0, -1),
      'x-forwarded-for': isLoopback(hostname) ? LOOPBACK : ANYBODY,
    };
    for (const [name, value] of Object.entries(missing)) if (!headers.has(name)) headers.set(name, value);
    const { method, signal } = asked;
    const options = { method, signal, createConnection, headers: Object.fromEntries(headers) };
    const sent = request(`${IN_PROCESS_URL}${pathname}${search}`, options);
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject);
    });
    if (asked.body) pipeline(Readable.from(asked.body), sent).catch(() => {});
    else sent.end();
    return toResponse(await answered);
  };
}

/** Connections to a server that never listens: it is given them. */
function connectTo(app: RequestListener) {
  const server = createServer(app);
  return () => {
    const [near, far] = duplexPair();
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    server.emit('connection', Object.assign(far, { remoteAddress: LOOPBACK }));
    return near;
  };
}

/** Not a `Response`: the first one loads Node's whole `fetch`, which a process keeps for good. */
function toAnswer(incoming: IncomingMessage): FetchAnswer {
  const { statusCode = 0, headersDistinct } = incoming;
  return {
    status: statusCode,
    ok: statusCode >= 200 && statusCode < 300,
    body: unpack(incoming),
    headers: {
      get: (name) => headersDistinct[name.toLowerCase()]?.join(', ') ?? null,
      getSetCookie: () => headersDistinct['set-cookie'] ?? [],
    },
  };
}

/** Some servers and proxies compress although nothing asked for it. */
function unpack(incoming: IncomingMessage): Readable {
  const decoder = decoderOf(incoming.headers['content-encoding']);
  // The reader of the last one hears of an error in any.
  return decoder === undefined ? incoming : chain(incoming, decoder, () => {});
}

function decoderOf(encoding = ''): Duplex | undefined {
  if (/^(x-)?gzip$|^deflate$/i.test(encoding)) return createUnzip();
  return /^br$/i.test(encoding) ? createBrotliDecompress() : undefined;
}

async function toResponse(incoming: IncomingMessage): Promise<Response> {
  const body = await buffer(incoming);
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    HOP_BY_HOP.includes(name) ? [] : values.map((value): [string, string] => [name, value]),
  );
  return new Response(body.length > 0 ? body : null, { status: incoming.statusCode ?? 0, headers });
}

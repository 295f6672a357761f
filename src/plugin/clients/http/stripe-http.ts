/** Connections to Stripe. An answer is complete, in time, bounded and an object; otherwise it fails. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type Stripe from 'stripe';
import { LISTING_BYTES, readStart, withDeadline } from '../../../core/web/bounded-answer.ts';

type HttpClient = Stripe.HttpClient;
type Ask = Parameters<HttpClient['makeRequest']>;

const SCHEMES = {
  http: { request: http.request, agent: new http.Agent({ keepAlive: true }) },
  https: { request: https.request, agent: new https.Agent({ keepAlive: true }) },
};
/** Required by Stripe's library. */
const CIPHERS = 'DEFAULT:!aNULL:!eNULL:!LOW:!EXPORT:!SSLv2:!MD5';

/** Allows answers the size of a listing: an invoice with metadata exceeds 64 KB. A larger page is requested again with fewer items; its `has_more` leads to the others. */
export function createStripeHttp(): HttpClient {
  const makeRequest = async (...asked: Ask): Promise<Stripe.HttpClientResponse> => {
    const [host, port, path, method, headers, body, protocol, withinMs] = asked;
    const { incoming, text, isCut } = await withDeadline(withinMs, async (signal) => {
      const incoming = await send(asked, signal);
      return { incoming, ...(await readStart(incoming, LISTING_BYTES, signal)) };
    });
    const fewer = isCut && method === 'GET' ? withFewerItems(path) : undefined;
    if (fewer) return makeRequest(host, port, fewer, method, headers, body, protocol, withinMs);
    return toAnswer(incoming, () => parseObject(text, isCut));
  };
  return { getClientName: () => 'node', makeRequest };
}

function send(asked: Ask, signal: AbortSignal): Promise<IncomingMessage> {
  const [host, port, path, method, headers, body, protocol] = asked;
  const { request, agent } = SCHEMES[protocol === 'http' ? 'http' : 'https'];
  return new Promise((resolve, reject) => {
    request({ host, port, path, method, headers: { ...headers }, agent, ciphers: CIPHERS, signal })
      .once('response', resolve)
      .on('error', reject)
      .end(body);
  });
}

/** A tenth of the page; undefined for a single item, or no page. */
function withFewerItems(path: string): string | undefined {
  const limit = Number(/[?&]limit=(\d+)/.exec(path)?.[1] ?? 1);
  return limit > 1 ? path.replace(/([?&]limit=)\d+/, `$1${Math.ceil(limit / 10)}`) : undefined;
}

function toAnswer(incoming: IncomingMessage, parse: () => object): Stripe.HttpClientResponse {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  return {
    getStatusCode: () => incoming.statusCode ?? 0,
    getHeaders: () => headers,
    getRawResponse: () => incoming,
    toStream: () => incoming,
    toJSON: async () => parse(),
  };
}

/** The library sets fields on the answer outside of any promise: a text, number or null would end the process. */
function parseObject(text: string, isCut: boolean): object {
  if (isCut) throw new Error(`the answer has more than ${LISTING_BYTES} bytes`);
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  throw new Error('the answer is JSON, and no object');
}

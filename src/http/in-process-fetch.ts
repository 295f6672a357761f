/**
 * Requests to an application of this process, without a port: Node's own HTTP on both sides, over a pair of streams where a
 * socket would be. Routes, limits and headers are those that a caller from outside meets.
 */
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';

export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: 'error' | 'manual';
}

/** The global `fetch` is one, too. */
export type Fetch = (url: string | URL, request: OutgoingRequest) => Promise<Response>;

/** Stands in addresses: nothing listens there for these requests, and who looks at their origin sees this machine. */
const LOOPBACK = '127.0.0.1';
export const IN_PROCESS_URL = `http://${LOOPBACK}`;

/** A redirect is an answer like any other: it is never followed. */
export function createInProcessFetch(app: RequestListener): Fetch {
  // It never listens: it is given its connections.
  const server = createServer(app);
  return (url, { method, headers, body, signal }) => {
    const createConnection = () => {
      const [near, far] = duplexPair();
      near.once('close', () => far.destroy());
      far.once('close', () => near.destroy());
      server.emit('connection', Object.assign(far, { remoteAddress: LOOPBACK }));
      return near;
    };
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request(url, { method, headers, signal, createConnection })
        .once('response', resolve)
        .once('error', reject)
        .end(body);
    });
    return answered.then(toResponse).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
  };
}

async function toResponse(incoming: IncomingMessage): Promise<Response> {
  const body = await buffer(incoming);
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Response(body.length > 0 ? body : null, { status: incoming.statusCode ?? 0, headers });
}

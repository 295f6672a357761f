/** A tiny HTTP server on loopback that answers as it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface StubRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type StubAnswer =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** The connection is cut without an answer. */
  | 'drop';

export interface HttpStub {
  readonly url: URL;
  readonly requests: StubRequest[];
  stop(): Promise<void>;
}

export async function startHttpStub(
  answer: (request: StubRequest) => StubAnswer | Promise<StubAnswer>,
): Promise<HttpStub> {
  const requests: StubRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = '', url = '', headers } = request;
      const received = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
      requests.push(received);
      reply(response, await answer(received));
    });
  });
  // An idle connection that ends just as it is used again looks like a service that is away.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    requests,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function reply(response: ServerResponse, answer: StubAnswer): void {
  if (answer === 'drop') {
    response.socket?.destroy();
    return;
  }
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(text);
}

/** A tiny HTTP server on loopback that answers as it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

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
  const url = new URL(await listenOnLoopback(server));
  return { url, requests, stop: () => closeServer(server) };
}

function reply(response: ServerResponse, answer: StubAnswer): void {
  if (answer === 'drop') {
    response.socket?.destroy();
    return;
  }
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(text);
}

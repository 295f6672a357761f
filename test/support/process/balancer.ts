/** A load balancer before several processes: takes turns, and passes over one that refuses or breaks the connection. */
import { createServer, type IncomingMessage, request } from 'node:http';
import { closeServer, listenOnLoopback } from '../http/loopback-server.ts';

export interface Balancer {
  readonly url: string;
  /** Ports on loopback of the processes that are there. */
  readonly ports: number[];
  stop(): Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  const ports: number[] = [];
  let turn = 0;
  const server = createServer(async (req, res) => {
    const body = await readBody(req).catch(() => undefined);
    if (body === undefined) return;
    turn += 1;
    const candidates = ports.map((_, index) => ports[(turn + index) % ports.length] ?? 0);
    for (const port of candidates) {
      const answer = await pass(req, body, port);
      if (!answer) continue;
      res.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
      return;
    }
    res.writeHead(502).end();
  });
  const url = await listenOnLoopback(server);
  return { url, ports, stop: () => closeServer(server) };
}

async function readBody(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

interface Answer {
  status: number;
  type: string;
  body: Buffer;
}

/** Undefined when there is nobody, or nobody any more. */
function pass(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  port: number,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const onward = request(
      { host: '127.0.0.1', port, method, path: url, headers, agent: false },
      (answer) => {
        readBody(answer).then(
          (text) =>
            resolve({
              status: answer.statusCode ?? 502,
              type: answer.headers['content-type'] ?? 'text/plain',
              body: text,
            }),
          () => resolve(undefined),
        );
      },
    );
    onward.on('error', () => resolve(undefined));
    onward.end(body);
  });
}

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Express } from 'express';

interface Place {
  host: string;
  port: number;
}

/** Resolves when connections are taken; rejects when the port is not to be had. */
export async function listen(app: Express, { host, port }: Place): Promise<Server> {
  const server = createServer(app);
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/** Lets requests in progress end, for some seconds. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const impatience = setTimeout(() => server.closeAllConnections(), 5_000);
  await closed;
  clearTimeout(impatience);
}

/** The port that was taken, where any was asked for. */
export function addressOf(server: Server | undefined, { host, port }: Place): string {
  const address = server?.address();
  const taken = typeof address === 'object' && address ? address.port : port;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${taken}`;
}

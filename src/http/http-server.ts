/** An HTTP or HTTPS server, from its port to its end. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Express } from 'express';
import type { Tls } from '../config/listener-settings.ts';

export interface Place {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly tls?: Tls | undefined;
}

/**
 * Longer than load balancers and clients keep a connection that nothing passes over (60 seconds and less): whoever closes
 * first while the other begins a request breaks it.
 */
const KEEP_ALIVE_MS = 65_000;

/** Made, and not listening yet. */
export function createTransport(app: Express, { tls }: Pick<Place, 'tls'>): Server {
  const server = tls ? createTlsServer({ cert: tls.cert, key: tls.key }, app) : createServer(app);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 1_000;
  return server;
}

/** Resolves when connections are taken; rejects when the port is not to be had. */
export async function listen(server: Server, { host, port }: Place): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

/** Lets requests in progress end, for some seconds. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const impatience = setTimeout(() => server.closeAllConnections(), 5_000);
  await closed;
  clearTimeout(impatience);
}

/** With the port that was taken, where any was asked for. */
export function addressOf(server: Server | undefined, { host, port, tls }: Place): string {
  const address = server?.address();
  const taken = typeof address === 'object' && address ? address.port : port;
  return `${tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${taken}`;
}

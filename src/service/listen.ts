import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Express } from 'express';
import type { Logger } from '../logger.ts';
import { refuseUnreadable } from './refuse-unreadable.ts';

export interface TlsFiles {
  /** Paths of PEM files. */
  readonly cert: string;
  readonly key: string;
}

interface Place {
  host: string;
  port: number;
  tls?: TlsFiles | undefined;
}

/** Resolves when connections are taken; rejects when the port is not to be had. */
export async function listen(
  app: Express,
  { logger, ...place }: Place & { logger: Logger },
): Promise<Server> {
  const server = createTransport(app, place);
  server.on('clientError', refuseUnreadable(logger));
  server.listen(place.port, place.host);
  await once(server, 'listening');
  return server;
}

function createTransport(app: Express, { tls }: Place): Server {
  if (!tls) return createServer(app);
  return createTlsServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key) }, app);
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
export function addressOf(server: Server | undefined, { host, port, tls }: Place): string {
  const address = server?.address();
  const taken = typeof address === 'object' && address ? address.port : port;
  return `${tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${taken}`;
}

/** An HTTP or HTTPS server, from its port to its end. Limits its connections and their time: a flood must leave the process its files. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Express } from 'express';

import { codeOf, PluginError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';

/** A certificate and its key, as PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export type PlaceNames = Readonly<Record<'host' | 'port', string>>;

export interface Place {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Names of address and port where they were given; HOST and PORT by default. */
  readonly names?: Partial<PlaceNames>;
  readonly tls?: Tls | undefined;
}

/** Made, and not listening yet. */
export function createTransport(
  app: Express,
  { tls }: Pick<Place, 'tls'>,
  logger: Pick<Logger, 'warn'>,
): Server {
  const server = tls
    ? createTlsServer({ ...CHECKS, cert: tls.cert, key: tls.key }, app)
    : createServer(CHECKS, app);
  limitConnections(server, logger);
  return server;
}

/** Resolves when connections are taken. Throws LISTEN_FAILED when the address or the port is not to be had. */
export async function listen(server: Server, place: Place): Promise<void> {
  server.listen(place.port, place.host);
  await once(server, 'listening').catch((error: unknown) => {
    throw explainListening(error, place);
  });
}

/**
 * Throws LISTEN_FAILED as `listen` would, and leaves the port free again: for a start that has more to open before it can
 * answer there.
 */
export async function tryToListen(place: Place): Promise<void> {
  const server = createServer();
  await listen(server, place);
  await closeServer(server);
}

type Explain = (place: Place, names: PlaceNames) => readonly [message: string, help: string];

const explainAddress: Explain = ({ host }, names) => [
  `This machine has no address ${host} to listen on.`,
  `Set ${names.host} to an address of this machine, or to 0.0.0.0 for all of them.`,
];

/** Explanations by the system's codes. */
const EXPLANATIONS: ReadonlyMap<string, Explain> = new Map<string, Explain>([
  [
    'EADDRINUSE',
    ({ port }, names) => [
      `Port ${port} (${names.port}) is in use by another process.`,
      `End that process, or choose another ${names.port}.`,
    ],
  ],
  [
    'EACCES',
    ({ port }, names) => [
      `This user may not listen on port ${port} (${names.port}).`,
      `Choose a ${names.port} above 1023, and let a proxy take the lower ones.`,
    ],
  ],
  ...['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN'].map(
    (code) => [code, explainAddress] as const,
  ),
]);

export function explainListening(error: unknown, place: Place): PluginError {
  const code = codeOf(error) ?? '';
  const names = { host: 'HOST', port: 'PORT', ...place.names };
  const [message, help] = EXPLANATIONS.get(code)?.(place, names) ?? [
    `Nothing can listen on ${place.host}, port ${place.port}: ${code || error}`,
    `Choose another ${names.host} or ${names.port}.`,
  ];
  return new PluginError('LISTEN_FAILED', message, { help, cause: error });
}

/** Patience with requests, which leaves time for jobs and the database within the ten seconds that supervisors wait. */
const REQUEST_PATIENCE_MS = 2_000;

/** Lets requests in progress end, for some seconds. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const impatience = setTimeout(() => server.closeAllConnections(), REQUEST_PATIENCE_MS);
  await closed;
  clearTimeout(impatience);
}

/** The address with the actual port, where any was requested. */
export function addressOf(server: Server | undefined, { host, port, tls }: Place): string {
  const address = server?.address();
  const taken = typeof address === 'object' && address ? address.port : port;
  return `${tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${taken}`;
}

/** Files of the embedded database at most (`DATABASE_FILES`), what Node itself has open, and calls to Stripe and others. */
const KEPT_FILES = 350;
/** The plugin's port and the embedded service's. */
const PORTS = 2;
const MOST = 1_000;
const FEWEST = 32;
/** Where the system does not say: the usual limit of a process. */
const USUAL_OPEN_FILES = 1_024;

/** Connections of one port, for a process limited to this many open files: a number, `unlimited`, or unknown. */
export function mostConnections(openFiles: string | undefined): number {
  const files = openFiles === 'unlimited' ? Number.POSITIVE_INFINITY : Number(openFiles ?? USUAL_OPEN_FILES);
  return Math.max(FEWEST, Math.min(MOST, Math.floor((files - KEPT_FILES) / PORTS)));
}

/**
 * Longer than load balancers and clients keep an idle connection (60 seconds and less): closing first while the other side
 * begins a request would break it.
 */
const KEEP_ALIVE_MS = 65_000;

/** Options of `createServer`: the interval of time checks, and the limit of TLS handshakes. */
const CHECKS = { connectionsCheckingInterval: 5_000, handshakeTimeout: 15_000 } as const;

const LOG_EVERY_MS = 60_000;

/** Closes connections over the limit unanswered; senders try again. */
function limitConnections(server: Server, logger: Pick<Logger, 'warn'>): void {
  server.maxConnections = mostConnections(readOpenFiles());
  server.headersTimeout = 15_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // None of our answers is silent for longer: a reader that takes nothing is disconnected.
  server.setTimeout(2 * KEEP_ALIVE_MS);
  let refused = 0;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    refused += 1;
    if (performance.now() - loggedAtMs < LOG_EVERY_MS) return;
    loggedAtMs = performance.now();
    logger.warn({ refused, most: server.maxConnections }, 'connections were refused: there are too many');
    refused = 0;
  });
}

/** Linux has it in a file. Node itself names it only in a report that asks for the name of every connection. */
function readOpenFiles(): string | undefined {
  try {
    return /^Max open files +(\w+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** How many connections are taken at once, and for how long each may take its time: a flood must leave the process its files. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Logger } from '../kit/logger.ts';

/** Files of the embedded database at most (`DATABASE_FILES`), what Node itself has open, and calls to Stripe and others. */
const KEPT_FILES = 350;
/** The plugin's port and the embedded service's. */
const PORTS = 2;
const MOST = 1_000;
const FEWEST = 32;
/** Where the system does not say: the usual limit of a process. */
const USUAL_OPEN_FILES = 1_024;

/** Of one port, for a process that may have so many files open: a number, `unlimited`, or not known. */
export function mostConnections(openFiles: string | undefined): number {
  const files = openFiles === 'unlimited' ? Number.POSITIVE_INFINITY : Number(openFiles ?? USUAL_OPEN_FILES);
  return Math.max(FEWEST, Math.min(MOST, Math.floor((files - KEPT_FILES) / PORTS)));
}

/**
 * Longer than load balancers and clients keep a connection that nothing passes over (60 seconds and less): whoever closes
 * first while the other begins a request breaks it.
 */
const KEEP_ALIVE_MS = 65_000;

/** For `createServer`: how often the limits of time are looked at, and how long TLS may take to begin. */
export const CHECKS = { connectionsCheckingInterval: 5_000, handshakeTimeout: 15_000 } as const;

const LOG_EVERY_MS = 60_000;

/** Whoever is over the limit is cut off unanswered, and senders try again. */
export function limitConnections(server: Server, logger: Pick<Logger, 'warn'>): void {
  server.maxConnections = mostConnections(readOpenFiles());
  server.headersTimeout = 15_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // Nothing of ours is silent for so long: a reader that takes nothing of its answer is let go.
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

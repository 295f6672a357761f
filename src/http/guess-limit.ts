/** Wrong passwords, tokens and keys, counted by address over all processes. */
import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { DateTime } from 'luxon';
import type { Clock } from '../clock.ts';
import { PluginError, type UnauthorizedError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { describePath } from './logged-path.ts';

export interface GuessCount {
  readonly failures: number;
  /** When it begins anew. */
  readonly until: DateTime;
}

export interface GuessTable {
  /** One more; begins anew if the time of those before is over. Also removes some that are. */
  add(key: string, now: DateTime, until: DateTime): Promise<GuessCount>;
  takeBack(key: string): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface GuessDeps {
  readonly guesses: GuessTable;
  readonly clock: Clock;
  readonly logger: Logger;
}

const FAILURES = 20;
const MINUTES = 5;
/** Who has an address of IPv6 has as a rule 2^64 of them. */
const IPV6_SUBNET = 64;

function addressOf({ ip }: Pick<Request, 'ip'>): string {
  return ip ? ipKeyGenerator(ip, IPV6_SUBNET) : 'unknown';
}

/**
 * For the forms of people, who choose passwords that can be guessed: after too many answers of 401 the right one is refused,
 * too. Whoever is signed in stays so.
 */
export function limitSignIns(
  { guesses, clock, logger }: GuessDeps,
  refuse: (request: Request, response: Response) => void,
): RequestHandler {
  return rateLimit({
    windowMs: MINUTES * 60_000,
    limit: FAILURES,
    skipSuccessfulRequests: true,
    requestWasSuccessful: (_request, response) => response.statusCode !== 401,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (request) => `sign-in ${addressOf(request)}`,
    handler: refuse,
    // Without a database nobody signs in anyway.
    passOnStoreError: true,
    store: {
      localKeys: false,
      increment: async (key) => {
        const now = clock.now();
        const { failures, until } = await guesses.add(key, now, now.plus({ minutes: MINUTES }));
        return { totalHits: failures, resetTime: until.toJSDate() };
      },
      decrement: (key) => guesses.takeBack(key),
      resetKey: (key) => guesses.remove(key),
    },
    logger: {
      warn: (error) => logger.warn({ err: error }, 'limit of failed sign-ins'),
      error: (error) => logger.error({ err: error }, 'limit of failed sign-ins'),
    },
  });
}

/** What is answered to a request whose credentials are wrong. */
export type RefuseGuess = (request: Request, refusal: UnauthorizedError) => Promise<PluginError>;

/** Of so many addresses this process remembers that they are over the limit; of others it asks the table. */
const REMEMBERED = 10_000;

/**
 * For the long random credentials of machines, looked at before: the right one passes, from whatever address, so that nobody
 * behind the same proxy can lock the retry service out. A request without credentials is no guess.
 */
export function createGuessRefusal({ guesses, clock, logger }: GuessDeps): RefuseGuess {
  const over = new Map<string, DateTime>();

  function remember(address: string, until: DateTime): void {
    if (over.size >= REMEMBERED) over.clear();
    over.set(address, until);
  }
  return async (request, refusal) => {
    if (!request.get('authorization')) return refusal;
    const address = addressOf(request);
    const now = clock.now();
    if ((over.get(address) ?? now) > now) return tooMany();
    const count = await guesses.add(`token ${address}`, now, now.plus({ minutes: MINUTES })).catch(() => {});
    const seen = { ip: request.ip, path: describePath(request.path) };
    if (count === undefined || count.failures <= FAILURES) {
      logger.warn(seen, 'somebody showed wrong credentials');
      return refusal;
    }
    remember(address, count.until);
    logger.warn({ ...seen, until: count.until }, 'too many wrong credentials came from one address');
    return tooMany();
  };
}

function tooMany(): PluginError {
  return new PluginError(
    'TOO_MANY_GUESSES',
    'Too many requests with wrong credentials came from this address; come again in five minutes, with the right ones.',
  );
}

/** Wrong passwords, tokens and keys, counted by address over all processes. */
import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { DateTime } from 'luxon';
import type { Clock } from '../base/clock.ts';
import { PluginError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { describePath } from './logged-path.ts';

export interface GuessCount {
  readonly failures: number;
  /** Time of the reset. */
  readonly until: DateTime;
}

export interface GuessTable {
  /** Counts one more; restarts after the time of the earlier ones. Also removes some expired counts. */
  add(key: string, now: DateTime, until: DateTime): Promise<GuessCount>;
  /** Whether it was added, and its time is not over. */
  has(key: string, now: DateTime): Promise<boolean>;
  takeBack(key: string): Promise<void>;
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
 * Limits the forms of people, whose passwords can be guessed: after too many answers of 401 the right one is refused, too.
 * Existing sessions continue.
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
      // Nobody asks for it; a count ends with its time.
      resetKey: () => {},
    },
    logger: {
      warn: (error) => logger.warn({ err: error }, 'limit of failed sign-ins'),
      error: (error) => logger.error({ err: error }, 'limit of failed sign-ins'),
    },
  });
}

/** A caller's credential and its verdict; `refusal` is for a wrong one. */
export interface Shown {
  readonly credential: string;
  readonly isRight: boolean;
  readonly refusal: PluginError;
}

/** Throws unless the credentials are right and are taken from where the request comes from. */
export type LimitGuesses = (request: Request, shown: Shown) => Promise<void>;

/** Addresses that this process remembers; others are looked up in the table. */
const REMEMBERED = 10_000;
const PASSED_DAYS = 30;

/**
 * Limits the credentials of machines before they are checked. An address over the limit does not learn which are right: only
 * credentials that came from it before pass, so that nobody behind the same proxy can lock the retry service out.
 */
export function createGuessLimit(deps: GuessDeps, scope = 'token'): LimitGuesses {
  const { guesses, clock, logger } = deps;
  const passed = createMemory();
  const countGuess = createGuessCount(deps);
  return async (request, { credential, isRight, refusal }) => {
    if (credential === '') throw refusal;
    const now = clock.now();
    const address = `${scope} ${addressOf(request)}`;
    const pass = `passed ${createHash('sha256').update(`${address} ${credential}`).digest('base64url')}`;
    if (isRight && passed.has(pass, now)) return;
    const seen = { ip: request.ip, path: describePath(request.path) };
    if (await countGuess(address, seen)) {
      // Asked of wrong ones, too: the time that it takes must tell nothing.
      const cameBefore = await guesses.has(pass, now).catch(() => false);
      if (!isRight || !cameBefore) throw tooMany();
    } else if (isRight) {
      await guesses.takeBack(address).catch(() => {});
      await guesses.add(pass, now, now.plus({ days: PASSED_DAYS })).catch(() => {});
    } else {
      logger.warn(seen, 'somebody showed wrong credentials');
      throw refusal;
    }
    passed.add(pass, now.plus({ days: 1 }));
  };
}

/** Counts an attempt before its verdict, so that parallel ones are not all the first. Returns whether the address is over the limit. */
function createGuessCount({ guesses, clock, logger }: GuessDeps) {
  const over = createMemory();
  return async (address: string, seen: object): Promise<boolean> => {
    const now = clock.now();
    if (over.has(address, now)) return true;
    const count = await guesses.add(address, now, now.plus({ minutes: MINUTES })).catch(() => {});
    if (count === undefined || count.failures <= FAILURES) return false;
    if (!over.has(address, now))
      logger.warn({ ...seen, until: count.until }, 'too many wrong credentials came from one address');
    over.add(address, count.until);
    return true;
  };
}

function createMemory() {
  const ends = new Map<string, DateTime>();
  return {
    has: (key: string, now: DateTime) => (ends.get(key) ?? now) > now,
    add: (key: string, until: DateTime) => {
      if (ends.size >= REMEMBERED) ends.clear();
      ends.set(key, until);
    },
  };
}

function tooMany(): PluginError {
  return new PluginError(
    'TOO_MANY_GUESSES',
    'Too many requests with wrong credentials came from this address; come again in five minutes, with the right ones.',
  );
}

/**
 * Who may see the page of API keys, and what a browser may do with it. Basic authentication is sent along with requests
 * that other sites cause, so a form counts only with a token that no other site can read, and from our own page.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import helmet from 'helmet';
import type { DateTime } from 'luxon';
import { refuse } from './answers.ts';

/** Everything is refused but one style sheet, known by its hash, and forms to this very page. */
export function createPageHeaders(style: string): RequestHandler[] {
  const hash = createHash('sha256').update(style).digest('base64');
  return [
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          styleSrc: [`'sha256-${hash}'`],
          formAction: ["'self'"],
          frameAncestors: ["'none'"],
          baseUri: ["'none'"],
        },
      },
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: 'no-referrer' },
    }),
    (_request, response, next) => {
      response.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex, nofollow' });
      next();
    },
  ];
}

const FAILURES = 20;
const WINDOW_MS = 5 * 60_000;

/** Guesses at the password, for each address. Counted in memory: several processes allow several times as many. */
export function limitGuesses(): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit: FAILURES,
    skipSuccessfulRequests: true,
    requestWasSuccessful: (_request, response) => response.statusCode !== 401,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: ({ ip }) => (ip ? ipKeyGenerator(ip) : 'unknown'),
    handler: (_request, response) => refuse(response, 429, 'Too many wrong passwords; wait some minutes.'),
  });
}

/** The user's name does not matter. */
export function requirePassword(password: string): RequestHandler {
  return (request, response, next) => {
    const given = readPassword(request.headers.authorization);
    if (given !== undefined && isSame(given, password)) return next();
    response.set('WWW-Authenticate', 'Basic realm="API keys", charset="UTF-8"');
    refuse(response, 401, 'Sign in with any user name and the password of CONSOLE_PASSWORD.');
  };
}

function readPassword(authorization: string | undefined): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return password;
}

/** For the day; a form of the day before is still taken. It follows from the password, the same in every process. */
export function formToken(password: string, now: DateTime): string {
  return createHmac('sha256', password).update(`org/api_keys ${now.toISODate()}`).digest('base64url');
}

/** Why a form is not ours, if it is not. */
export function findForgery(
  request: { host: string; headers: Record<string, string | string[] | undefined> },
  token: unknown,
  expected: { password: string; now: DateTime },
): string | undefined {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined && site !== 'same-origin') return 'the form was sent by another site';
  if (site === undefined && origin !== undefined && hostOf(origin) !== request.host)
    return 'the form was sent by another site';
  const { password, now } = expected;
  const valid = [now, now.minus({ days: 1 })].map((day) => formToken(password, day));
  if (typeof token !== 'string' || !valid.some((one) => isSame(token, one)))
    return 'the form is too old, or not ours';
  return undefined;
}

function hostOf(origin: string | string[]): string | undefined {
  const text = String(origin);
  return URL.canParse(text) ? new URL(text).host : undefined;
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

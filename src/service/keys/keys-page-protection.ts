/**
 * Who may see the page of API keys, and what a browser may do with it. Basic authentication is sent along with requests
 * that other sites cause, so a form counts only with a token that no other site can read, and from our own page.
 */
import { createHmac } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { DateTime } from 'luxon';
import { isFromAnotherSite } from '../../http/page-protection.ts';
import { isSameSecret } from '../../http/same-secret.ts';
import { refuse } from '../http/refuse.ts';

/** The user's name does not matter. */
export function requirePassword(password: string): RequestHandler {
  return (request, response, next) => {
    const given = readPassword(request.headers.authorization);
    if (given !== undefined && isSameSecret(given, password)) return next();
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
  request: Pick<Request, 'headers' | 'host'>,
  token: unknown,
  expected: { password: string; now: DateTime },
): string | undefined {
  if (isFromAnotherSite(request)) return 'the form was sent by another site';
  const { password, now } = expected;
  const valid = [now, now.minus({ days: 1 })].map((day) => formToken(password, day));
  if (typeof token !== 'string' || !valid.some((one) => isSameSecret(token, one)))
    return 'the form is too old, or not ours';
  return undefined;
}

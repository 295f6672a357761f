/** A form counts only from our own page, with a token that no other site can read. */
import { createHmac } from 'node:crypto';
import type { Request } from 'express';
import type { DateTime } from 'luxon';
import { isFromAnotherSite } from './page-protection.ts';
import { isSameSecret } from './same-secret.ts';

/** Tokens of the day, also accepted on the next. Derived from the key, so they are the same in every process. */
export function formTokensOf(
  key: string | Buffer,
  purpose: string,
  now: DateTime,
): readonly [today: string, yesterday: string] {
  const tokenOf = (day: DateTime) =>
    createHmac('sha256', key).update(`${purpose} ${day.toUTC().toISODate()}`).digest('base64url');
  return [tokenOf(now), tokenOf(now.minus({ days: 1 }))];
}

/** Why a form is not ours, if it is not. */
export function findForgery(
  request: Pick<Request, 'headers' | 'host'>,
  token: unknown,
  valid: readonly string[],
): string | undefined {
  if (isFromAnotherSite(request)) return 'the form was sent by another site';
  const isOurs = typeof token === 'string' && valid.some((one) => isSameSecret(token, one));
  return isOurs ? undefined : 'the form is too old, or not ours';
}

/**
 * Who is signed in, told by a cookie alone: signed, with an end. Every process with the same settings reads it, and a
 * changed password or Stripe key ends all of them.
 */
import { createHmac, randomBytes, scryptSync } from 'node:crypto';
import type { DateTime } from 'luxon';
import { fromUnixSeconds } from '../../clock.ts';
import { isSameSecret } from '../../http/same-secret.ts';

export const SESSION_HOURS = 12;

export interface Session {
  /** The cookie's value. */
  readonly token: string;
  readonly expiresAt: DateTime;
}

/** Slow on purpose, and salted with a secret: who has a cookie can not find the password by trying. */
export function deriveSessionKey(password: string, salt: string): Buffer {
  return scryptSync(password, salt, 32);
}

export function createSession(key: Buffer, now: DateTime): Session {
  const expiresAt = now.plus({ hours: SESSION_HOURS }).startOf('second');
  const payload = `${expiresAt.toUnixInteger()}.${randomBytes(16).toString('base64url')}`;
  return { token: `${payload}.${sign(key, 'session', payload)}`, expiresAt };
}

/** Undefined for what is not ours, was changed, or has ended. Never throws. */
export function readSession(token: string, key: Buffer, now: DateTime): Session | undefined {
  const [, payload = '', seconds = '', signature = ''] =
    /^((\d{1,12})\.[\w-]{22})\.([\w-]{43})$/.exec(token) ?? [];
  if (!isSameSecret(signature, sign(key, 'session', payload))) return undefined;
  const expiresAt = fromUnixSeconds(Number(seconds));
  return now < expiresAt ? { token, expiresAt } : undefined;
}

/** For the forms of one session. */
export function formTokenOf(session: Session, key: Buffer): string {
  return sign(key, 'form', session.token);
}

/** The purpose is part of what is signed, so that nothing signed for one fits another. */
function sign(key: Buffer, purpose: string, text: string): string {
  return createHmac('sha256', key).update(`console ${purpose}: ${text}`).digest('base64url');
}

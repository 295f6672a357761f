/** Bearer keys of the service's clients. Only their hashes are kept, and only hashes are compared. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { UnauthorizedError } from '../errors.ts';

export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The hash of the key a request carries; undefined if it carries none. */
export function presentedKeyHash(authorization: string | undefined): string | undefined {
  const key = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
  return key === undefined ? undefined : hashApiKey(key);
}

/** Passes a request with a known key. Every known hash is compared, each in constant time. */
export function requireApiKey(knownHashes: () => Promise<readonly string[]>): RequestHandler {
  return async (request, _response, next) => {
    const presented = presentedKeyHash(request.headers.authorization);
    if (!presented) throw new UnauthorizedError('Send the API key as Authorization: Bearer <API_KEY>.');
    const known = await knownHashes();
    const matches = known.filter((hash) => timingSafeEqual(Buffer.from(hash), Buffer.from(presented)));
    if (matches.length === 0) throw new UnauthorizedError('The API key is not known.');
    next();
  };
}

/** Bearer keys of the service's clients. Only their hashes are kept, and only hashes are compared. */
import { createHash } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import { PluginError, UnauthorizedError } from '../../core/base/errors.ts';
import type { LimitGuesses } from '../../core/web/guess-limit.ts';

export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The owner of a valid key. */
export interface Caller {
  /** The key's id: rates are counted for each key. */
  readonly keyId: string;
  readonly keyHash: string;
  readonly organization: string;
  /** Undefined: the service's own limit. */
  readonly requestsPerSecond: number | undefined;
}

/** The hash of the key a request carries; undefined if it carries none. */
function presentedKeyHash(authorization: string | undefined): string | undefined {
  const key = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
  return key === undefined ? undefined : hashApiKey(key);
}

/** Passes a request with a known key, and remembers whose it is. */
export function requireApiKey(
  findByKey: (hash: string) => Promise<Caller | undefined>,
  limitGuesses: LimitGuesses,
): RequestHandler {
  return async (request, response, next) => {
    const presented = presentedKeyHash(request.headers.authorization);
    if (!presented) throw new UnauthorizedError('Send the API key as Authorization: Bearer <API_KEY>.');
    const caller = await findByKey(presented);
    const refusal = new UnauthorizedError('The API key is not known, or not good any more.');
    await limitGuesses(request, { credential: presented, isRight: caller !== undefined, refusal });
    if (caller === undefined) throw refusal;
    response.locals.caller = caller;
    next();
  };
}

/** Who sent the request that is answered. */
export function callerOf(response: Response): Caller {
  const caller: Caller | undefined = response.locals.caller;
  if (caller === undefined) throw new PluginError('INTERNAL', 'A request got past the check of its API key.');
  return caller;
}

/** Whose request it is that is answered. */
export function organizationOf(response: Response): string {
  return callerOf(response).organization;
}

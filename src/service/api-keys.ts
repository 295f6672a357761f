/** Bearer keys of the service's clients. Only their hashes are kept, and only hashes are compared. */
import { createHash } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import { PluginError, UnauthorizedError } from '../errors.ts';

export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The hash of the key a request carries; undefined if it carries none. */
export function presentedKeyHash(authorization: string | undefined): string | undefined {
  const key = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
  return key === undefined ? undefined : hashApiKey(key);
}

const callers = new WeakMap<Response, string>();

/** Passes a request with a known key, and remembers whose it is. */
export function requireApiKey(findByKey: (hash: string) => Promise<string | undefined>): RequestHandler {
  return async (request, response, next) => {
    const presented = presentedKeyHash(request.headers.authorization);
    if (!presented) throw new UnauthorizedError('Send the API key as Authorization: Bearer <API_KEY>.');
    const organization = await findByKey(presented);
    if (organization === undefined) throw new UnauthorizedError('The API key is not known.');
    callers.set(response, organization);
    next();
  };
}

/** Whose request it is that is answered. */
export function organizationOf(response: Response): string {
  const organization = callers.get(response);
  if (organization === undefined)
    throw new PluginError('INTERNAL', 'A request got past the check of its API key.');
  return organization;
}

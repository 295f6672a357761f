/** Who may see the page of API keys. Basic authentication is sent along with requests that other sites cause, too. */
import type { RequestHandler } from 'express';
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

import type { Request, RequestHandler } from 'express';
import { PluginError } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';

/**
 * Plain HTTP is for this machine. Behind a proxy that the application around trusts (`trust proxy`, TRUST_PROXY) its
 * `X-Forwarded-Proto` counts, and whom it asks for: a proxy on this machine does not make its callers local.
 */
export const requireHttps: RequestHandler = (req, _res, next) => {
  if (req.secure || isLocal(req)) return next();
  throw new PluginError('HTTPS_REQUIRED', 'This address takes HTTPS only.', {
    help: "Set TLS_CERT and TLS_KEY; or, if a proxy ends TLS, have it send X-Forwarded-Proto and set TRUST_PROXY (in an Express application of your own: app.set('trust proxy', …)).",
  });
};

function isLocal({ socket, ip }: Request): boolean {
  return isLoopback(socket.remoteAddress ?? '') && isLoopback(ip ?? '');
}

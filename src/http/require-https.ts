import type { RequestHandler } from 'express';
import { PluginError } from '../errors.ts';
import { isLoopback } from './loopback.ts';

/** Plain HTTP is for this machine; behind a proxy, TRUST_PROXY makes its `X-Forwarded-Proto` count. */
export const requireHttps: RequestHandler = (req, _res, next) => {
  if (req.secure || isLoopback(req.socket.remoteAddress ?? '')) return next();
  throw new PluginError('HTTPS_REQUIRED', 'This address takes HTTPS only.', {
    help: 'Set TLS_CERT and TLS_KEY, or TRUST_PROXY if a proxy ends TLS.',
  });
};

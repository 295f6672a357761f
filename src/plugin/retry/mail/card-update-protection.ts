import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { isError } from '../../../core/base/errors.ts';
import { hideCardLinks } from '../../../core/base/logged-text.ts';
import type { Logger } from '../../../core/base/logger.ts';
import { isLoopback } from '../../../core/base/loopback.ts';
import { createPageHeaders } from '../../../core/web/page-protection.ts';
import { chooseLocale } from '../../mails/languages.ts';
import { PAGE_STYLE, renderCardUpdatePage } from './card-update-views.tsx';

const RATE_WINDOW_MS = 5 * 60_000;

/** Allows the portal's origin in `form-action`, which browsers check after the form's redirect. The page's address is the customer's secret. */
export function createCardPageHeaders(publicUrl: URL): RequestHandler[] {
  const loopback = isLoopback(publicUrl.hostname) ? ['http://127.0.0.1:*', 'http://localhost:*'] : [];
  return createPageHeaders(PAGE_STYLE, {
    formAction: ["'self'", 'https:', ...loopback],
    referrer: 'no-referrer',
  });
}

/** Limits requests by address and five minutes, in memory: several machines allow several times as many. */
export function limitRate(logger: Logger, limit: number, look: { language: string }): RequestHandler {
  return rateLimit({
    windowMs: RATE_WINDOW_MS,
    limit,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: ({ ip }) => (ip ? ipKeyGenerator(ip) : 'unknown'),
    handler: (request, response) => {
      const locale = chooseLocale(request.acceptsLanguages(), look.language);
      response.status(429).send(renderCardUpdatePage('too_many', { locale }));
    },
    logger: {
      warn: (error) => logger.warn({ reason: describeFailure(error) }, 'rate limit of the card-update page'),
      error: (error) =>
        logger.error({ reason: describeFailure(error) }, 'rate limit of the card-update page'),
    },
  });
}

/** Text safe for logs: Stripe's messages contain parts of keys and addresses, and addresses can be secrets. */
export function describeFailure(error: unknown): string {
  const text = isError(error) ? `${error.name}: ${error.message}` : 'not an Error';
  return hideCardLinks(text)
    .replace(/https?:\/\/\S+|\b(?:sk|rk|pk|whsec)_\S+/g, '[hidden]')
    .slice(0, 300);
}

import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Logger } from '../../core/base/logger.ts';
import { describePath } from '../../core/web/logged-path.ts';

const HEADER = 'x-request-id';

/** Names every request, and logs its end under that name. The query is left out: it may hold a page token. */
export function nameRequests(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const requestId = randomUUID();
    response.setHeader(HEADER, requestId);
    const { method } = request;
    const path = describePath(request.path);
    response.on('finish', () => {
      logger.info({ requestId, method, path, status: response.statusCode }, 'request answered');
    });
    next();
  };
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader(HEADER));
}

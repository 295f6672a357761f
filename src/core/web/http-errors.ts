/** One answer to every error of our HTTP surface: a status, `{success: false, message, code}`, nothing else. */
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { blameText, type ErrorCode, isError, PluginError } from '../base/errors.ts';
import { createFailureLog } from '../base/failure-log.ts';
import type { Logger } from '../base/logger.ts';
import { describePath } from './logged-path.ts';

const STATUS: Readonly<Record<ErrorCode, number>> = {
  CONFIG_INVALID: 500,
  SIGNATURE_INVALID: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  CONFLICT: 409,
  TOO_MANY_GUESSES: 429,
  REQUEST_INVALID: 400,
  REQUEST_TOO_LARGE: 413,
  NOT_FOUND: 404,
  HTTPS_REQUIRED: 403,
  NOT_STARTED: 503,
  STORE_UNAVAILABLE: 503,
  STORE_DAMAGED: 503,
  DATABASE_TOO_OLD: 503,
  DATA_DIR_LOCKED: 503,
  LISTEN_FAILED: 503,
  UPSTREAM_FAILED: 502,
  EFFECTS_PAUSED: 503,
  ACCOUNT_SETTINGS_UNREADABLE: 503,
  INTERNAL: 500,
};

/** A wrong secret is refused with every webhook that Stripe sends until somebody mends it. */
const REPEATED: ReadonlySet<ErrorCode> = new Set(['SIGNATURE_INVALID']);

const REFUSED = 'a request was refused';
const FAILED = 'a request could not be served';
const TOO_EARLY = 'a request came while the plugin was not started';

export function answerErrors(logger: Logger): ErrorRequestHandler {
  const logLasting = createFailureLog(logger);
  return (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error);
    const known = toPluginError(error);
    const status = STATUS[known.code];
    const fields = { code: known.code, method: req.method, path: describePath(req.path), status };
    const failure = { error: known, fields: { ...fields, err: known }, message: FAILED };
    if (known.code === 'NOT_STARTED') logLasting({ ...failure, level: 'info', fields, message: TOO_EARLY });
    else if (status === 503) logLasting({ ...failure, level: 'error' });
    else if (status >= 500) logger.error({ ...fields, err: known }, FAILED);
    else {
      const refusal = { ...fields, reason: known.message, help: known.help };
      if (REPEATED.has(known.code))
        logLasting({ level: 'warn', error: known, about: known.message, fields: refusal, message: REFUSED });
      else logger.warn(refusal, REFUSED);
    }
    if (status === 401) res.set('WWW-Authenticate', 'Bearer');
    if (status === 503) res.set('Retry-After', '5');
    if (status === 429) res.set('Retry-After', '300');
    res.status(status).json({ success: false, message: known.message, code: known.code });
  };
}

/** Its message is logged, so it does not repeat the path. */
export const answerNotFound: RequestHandler = () => {
  throw new PluginError('NOT_FOUND', 'There is nothing at this path, or not with this method.');
};

function toPluginError(raised: unknown): PluginError {
  const error = blameText(raised);
  if (error instanceof PluginError) return error;
  const type = isError(error) && 'type' in error ? String(error.type) : '';
  if (type === 'entity.too.large') {
    const limit = isError(error) && 'limit' in error ? ` than ${Number(error.limit)} bytes` : '';
    return new PluginError('REQUEST_TOO_LARGE', `The body is larger${limit || ' than allowed'}.`, {
      cause: error,
    });
  }
  // Errors of body parsing and of addresses carry a 4xx status and describe the request.
  const status = isError(error) && 'status' in error ? Number(error.status) : 500;
  if (status >= 400 && status < 500) {
    return new PluginError('REQUEST_INVALID', 'The request could not be read.', { cause: error });
  }
  return new PluginError('INTERNAL', 'The request could not be served; the log has the cause.', {
    cause: error,
  });
}

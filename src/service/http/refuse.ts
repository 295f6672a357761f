/** The names of requests, and the service's answers to what went wrong: one body for all, and a table from error to status. */

import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { blameText, codeOf, type ErrorCode, isError, PluginError } from '../../core/base/errors.ts';
import { createFailureLog } from '../../core/base/failure-log.ts';
import type { Logger } from '../../core/base/logger.ts';
import type { Refusal } from '../../core/contract/contract.ts';
import { describePath } from '../../core/web/logged-path.ts';

const ID_HEADER = 'x-request-id';

/** Names every request, and logs its end under that name. The query is left out: it may hold a page token. */
export function nameRequests(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const requestId = randomUUID();
    response.setHeader(ID_HEADER, requestId);
    const { method } = request;
    const path = describePath(request.path);
    response.on('finish', () => {
      logger.info({ requestId, method, path, status: response.statusCode }, 'request answered');
    });
    next();
  };
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader(ID_HEADER));
}

export function refuse(response: Response, status: number, message: string): void {
  const body: Refusal = { success: false, message, requestId: requestIdOf(response) };
  const [name, value] = HEADER_OF_STATUS.get(status) ?? [];
  if (name && value && !response.hasHeader(name)) response.setHeader(name, value);
  response.status(status).json(body);
}

const RETRY_AFTER_SECONDS = 1;
/** Headers by status, unless the refusing code has set them. */
const HEADER_OF_STATUS: ReadonlyMap<number, readonly [name: string, value: string]> = new Map([
  [401, ['www-authenticate', 'Bearer']],
  [429, ['retry-after', '300']],
  [503, ['retry-after', '5']],
]);

/** A limit of the contract was passed: rate or batch size. */
export function refuseTooMany(response: Response, message: string): void {
  response.setHeader('retry-after', String(RETRY_AFTER_SECONDS));
  refuse(response, 429, message);
}

const STATUS_OF_CODE: Partial<Record<ErrorCode, number>> = {
  REQUEST_INVALID: 400,
  UNAUTHORIZED: 401,
  TOO_MANY_GUESSES: 429,
  HTTPS_REQUIRED: 403,
  REQUEST_TOO_LARGE: 413,
  STORE_UNAVAILABLE: 503,
};

/** What express and its body parser raise, by their `type`. */
const PARSER_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['entity.parse.failed', 'The body is not a JSON object.'],
  ['entity.too.large', 'The body is over 5 MiB; send fewer records in a request.'],
  ['encoding.unsupported', 'The content encoding is not supported; send the body as it is, or gzip.'],
  ['charset.unsupported', 'The body must be UTF-8.'],
]);

/** Answers with the part that the caller can act on; the cause goes only to the log. */
export function answerErrors(logger: Logger): ErrorRequestHandler {
  const logLasting = createFailureLog(logger);
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status, message } = toAnswer(error);
    const fields = { err: error, requestId: requestIdOf(response) };
    if (status === 503) logLasting({ level: 'error', error, fields, message: 'a request failed' });
    else if (status >= 500) logger.error(fields, 'a request failed');
    refuse(response, status, message);
  };
}

function toAnswer(raised: unknown): { status: number; message: string } {
  const error = blameText(raised);
  if (error instanceof PluginError) {
    const status = STATUS_OF_CODE[error.code];
    if (status) return { status, message: error.message };
  }
  const status = clientStatus(error);
  if (status) return { status, message: parserMessage(error) };
  return { status: 500, message: 'Something unexpected happened; the log has the cause.' };
}

function clientStatus(error: unknown): number | undefined {
  if (!isError(error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return error.status >= 400 && error.status < 500 ? error.status : undefined;
}

function parserMessage(error: unknown): string {
  // zlib has codes of its own, such as Z_DATA_ERROR.
  if (codeOf(error)?.startsWith('Z_')) return 'The body cannot be unpacked as its Content-Encoding says.';
  const type = isError(error) && 'type' in error ? String(error.type) : '';
  return PARSER_MESSAGES.get(type) ?? 'The request cannot be read.';
}

/** What cannot be read as HTTP gets an answer of the usual form too, and a name in the log. */
const REASONS: ReadonlyMap<string, { status: number; message: string }> = new Map([
  ['HPE_HEADER_OVERFLOW', { status: 431, message: 'The headers are too large.' }],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, message: 'The request did not arrive in time.' }],
]);
const UNREADABLE = { status: 400, message: 'The request is not HTTP.' };

export function refuseUnreadable(logger: Logger): (error: Error, socket: Duplex) => void {
  return (error, socket) => {
    const code = 'code' in error ? String(error.code) : '';
    if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const { status, message } = REASONS.get(code) ?? UNREADABLE;
    const requestId = randomUUID();
    logger.info({ requestId, status, code }, 'a request could not be read');
    const refusal: Refusal = { success: false, message, requestId };
    const body = JSON.stringify(refusal);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `X-Request-Id: ${requestId}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}

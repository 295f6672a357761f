/** A page for each thing that can go wrong. It says what happened and what to do, and never what only the log may know. */
import type { ErrorRequestHandler } from 'express';
import { describePath } from '../../http/logged-path.ts';
import { blameText, InvalidRequestError, isError, StoreUnavailableError } from '../../kit/errors.ts';
import type { Logger } from '../../kit/logger.ts';
import { Notice, renderOuterPage } from './console-layout.tsx';

interface Failure {
  readonly status: number;
  readonly title: string;
  readonly sentences: readonly string[];
}

const UNAVAILABLE: Failure = {
  status: 503,
  title: 'The database does not answer',
  sentences: [
    'Nothing can be shown before it does. Events and instructions that come in meanwhile are refused, and their senders try again.',
    'Load the page again in a moment. If it stays so: is the server of DATABASE_URL running, and does it take connections from here? The log has the cause.',
  ],
};

const UNFORESEEN: Failure = {
  status: 500,
  title: 'Something unforeseen happened',
  sentences: ['The page could not be made; the log has the cause.'],
};

const UNREADABLE: Failure = {
  status: 400,
  title: 'The request could not be read',
  sentences: [
    'Neither the address nor the form makes sense. Go back to the console and try again from there.',
  ],
};

export function answerFailures(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const { status, title, sentences } = toFailure(error);
    if (status >= 500)
      logger.error({ err: error, path: describePath(request.path), status }, 'a page of the console failed');
    if (status === 503) response.set('Retry-After', '5');
    const main = Notice({ title, sentences });
    response.status(status).type('html').send(renderOuterPage({ title, main }));
  };
}

/** Errors of body parsing and of addresses carry a 4xx status. */
function toFailure(raised: unknown): Failure {
  const error = blameText(raised);
  if (error instanceof InvalidRequestError) return UNREADABLE;
  if (error instanceof StoreUnavailableError) return UNAVAILABLE;
  const status = isError(error) && 'status' in error ? Number(error.status) : 500;
  return status >= 400 && status < 500 ? { ...UNREADABLE, status } : UNFORESEEN;
}

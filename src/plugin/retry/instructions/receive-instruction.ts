import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { StoreUnavailableError, UnauthorizedError } from '../../../core/base/errors.ts';
import { readWithinLimits, requireUtf8, untouchedBody } from '../../../core/web/bodies-in-flight.ts';
import type { LimitGuesses } from '../../../core/web/guess-limit.ts';
import { traceAnswers } from '../../../core/web/metrics-router.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { isAccountId } from '../../settings/connected-accounts.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { type Source, takeIn } from './source.ts';

export interface PushedRequest {
  /** Empty for a path without an account. */
  readonly account: string;
  readonly path: string;
  header(name: string): string | undefined;
}

export interface PushedMessage extends PushedRequest {
  readonly body: string;
}

/** A source that calls us at addresses of its own. */
export interface PushedSource extends Source<PushedMessage, object> {
  /** The first names it in traces. */
  readonly paths: readonly string[];
  /** Called before the body is read: a source that signs its body reads it here. */
  authenticate(request: PushedRequest & { readonly readBody: () => Promise<string> }): Promise<{
    /** Counted if wrong. */
    readonly credential: string;
    readonly isRight: boolean;
  }>;
}

export type ReceiverDeps = Pick<RetryDeps, 'database' | 'clock' | 'enqueue'> & {
  readonly limitGuesses: LimitGuesses;
};

const BODY_BYTES = 1024 * 1024;

/** Routes of a source, also below `/accounts/:account`: authenticate, read, record once, answer. A job does the work. */
export function createInstructionRouter(deps: ReceiverDeps, source: PushedSource): Router {
  const router = express.Router();
  const text = express.text({ type: () => true, limit: BODY_BYTES, verify: requireUtf8 });
  const readBody = readOnce(readWithinLimits(BODY_BYTES, text));
  router.post(
    source.paths.flatMap((path) => [path, `/accounts/:account${path}`]),
    authenticate(deps, source, readBody),
    traceAnswers(`POST ${source.paths[0]}`),
    readBody,
    async (req, res) => {
      const message = { ...toRequest(req), body: bodyText(req) };
      const { account } = message;
      const asked = source.read(message);
      const given = { account, message, asked };
      try {
        res.json(await deps.database.transaction((tx) => takeIn(deps, tx, source, given)));
      } catch (error) {
        throw new StoreUnavailableError(error);
      }
    },
  );
  return router;
}

function authenticate(
  { limitGuesses }: ReceiverDeps,
  source: PushedSource,
  read: RequestHandler,
): RequestHandler {
  return async (req, res, next) => {
    const readBody = () =>
      new Promise<string>((resolve, reject) => {
        void read(req, res, (error?: unknown) => (error ? reject(error) : resolve(bodyText(req))));
      });
    const given = await source.authenticate({ ...toRequest(req), readBody });
    await limitGuesses(req, { ...given, refusal: new UnauthorizedError() });
    next();
  };
}

function readOnce(read: RequestHandler): RequestHandler {
  return (req, res: Response<unknown, { isRead?: boolean }>, next) => {
    if (res.locals.isRead) return next();
    res.locals.isRead = true;
    return read(req, res, next);
  };
}

function toRequest(req: Request): PushedRequest {
  return { account: accountOf(req), path: req.path, header: (name) => req.get(name) };
}

/** The plain path belongs to our own account; an invalid id to none. */
function accountOf({ params: { account } }: Request): string {
  if (account === undefined) return OWN_ACCOUNT;
  return typeof account === 'string' && isAccountId(account) ? account : '';
}

/** The host application may have parsed the body. */
function bodyText(request: Request): string {
  return untouchedBody(request)?.toString('utf8') ?? JSON.stringify(request.body);
}

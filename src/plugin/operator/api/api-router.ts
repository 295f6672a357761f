/** `/api/v1`: what an operator can read and do, for the merchant's own systems. */
import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { PluginError, StoreUnavailableError, UnauthorizedError } from '../../../core/base/errors.ts';
import type { LimitGuesses } from '../../../core/web/guess-limit.ts';
import { isSameSecret } from '../../../core/web/same-secret.ts';
import { findAnswer, forgetAnswer, keepAnswer, reserveAnswer } from '../../store/tables/api-answers.ts';
import type { OperationDeps } from '../operations/operation.ts';
import { API_ROUTES, type ApiAnswer, type ApiRoute, type Right, type RouteDeps } from './api-routes.ts';
import { describeOperatorApi } from './describe-operator-api.ts';
import { serveTools } from './mcp-tools.ts';

export interface ApiDeps {
  readonly tokens: Readonly<Record<Right, string | undefined>>;
  readonly operations: OperationDeps;
  readonly checks: RouteDeps['checks'];
  readonly limitGuesses: LimitGuesses;
}

/** Nothing without a token, and no sign that there could be an API. */
export function createApi({ tokens, operations, checks, limitGuesses }: ApiDeps): Router {
  const router = Router();
  if (tokens.full === undefined && tokens.read === undefined) return router;
  const api = Router();
  api.use((_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  const allow = (right: Right) => requireToken({ tokens, limitGuesses }, right);
  const document = describeOperatorApi();
  api.get('/openapi.json', allow('read'), (_request, response) => void response.json(document));
  const read = express.json({ limit: '100kb', strict: true });
  for (const route of API_ROUTES)
    api[route.method](route.path, allow(route.right), read, serve(route, { ...operations, checks }));
  api.post('/mcp', allow('read'), read, serveTools({ ...operations, checks }));
  // Clients of the protocol ask first whether there is a stream.
  api.all(
    '/mcp',
    allow('read'),
    (_request, response) => void response.status(405).set('Allow', 'POST').end(),
  );
  api.use(allow('read'), () => {
    throw new PluginError('NOT_FOUND', 'There is nothing at this path, or not with this method.');
  });
  router.use('/api/v1', api);
  return router;
}

function requireToken(
  { tokens, limitGuesses }: Pick<ApiDeps, 'tokens' | 'limitGuesses'>,
  right: Right,
): RequestHandler {
  return async (request, response, next) => {
    const credential = request.get('authorization') ?? '';
    const isOf = (token: string | undefined) =>
      token !== undefined && isSameSecret(credential, `Bearer ${token}`);
    const [isFull, isReader] = [isOf(tokens.full), isOf(tokens.read)];
    await limitGuesses(request, {
      credential,
      isRight: isFull || isReader,
      refusal: new UnauthorizedError(),
    });
    if (right === 'full' && !isFull)
      throw new PluginError('FORBIDDEN', 'This token may only read.', { help: 'Use OPERATOR_TOKEN.' });
    response.locals.right = isFull ? 'full' : 'read';
    next();
  };
}

function serve(route: ApiRoute, operations: RouteDeps): RequestHandler {
  return async (request, response) => {
    const { params, query, body } = request;
    const parameters = Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, String(value)]),
    );
    const answer = () => route.handle(operations, { parameters, query, body });
    const key = request.get('idempotency-key');
    if (key === undefined || route.right !== 'full' || route.isSecret) return send(response, await answer());
    await answerOnce(operations, { request, response, key, answer });
  };
}

function send(response: Response, { status, body }: ApiAnswer): void {
  response.status(status).json(body);
}

const KEY = /^[\x20-\x7e]{1,255}$/;

/** Repeats the answer stored under the key for a day, without acting again. */
async function answerOnce(
  { database, clock }: OperationDeps,
  asked: { request: Request; response: Response; key: string; answer: () => Promise<ApiAnswer> },
): Promise<void> {
  const { request, response, answer } = asked;
  if (!KEY.test(asked.key))
    throw new PluginError('REQUEST_INVALID', 'Idempotency-Key: 1 to 255 characters of ASCII.');
  const key = digestOf(asked.key);
  const digest = digestOf(JSON.stringify([request.path, request.body ?? null]));
  const now = clock.now();
  if (await reserveAnswer(database, { key, request: digest }, now)) {
    const made = await answer().catch(async (error: unknown) => {
      await forgetAnswer(database, key);
      throw error;
    });
    await keepAnswer(database, key, made, now);
    return send(response, made);
  }
  const kept = await findAnswer(database, key);
  if (!kept) throw new StoreUnavailableError(new Error('The answer under an Idempotency-Key vanished.'));
  if (kept.request !== digest)
    throw new PluginError('CONFLICT', 'This Idempotency-Key was used for another request.');
  if (kept.status === null || kept.body === null)
    throw new PluginError('CONFLICT', 'A request with this Idempotency-Key is being answered; try again.');
  response.set('Idempotent-Replayed', 'true');
  send(response, { status: kept.status, body: kept.body });
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

import express, { type Express, type Request, type Response } from 'express';
import Stripe from 'stripe';
import type { Clock } from '../../../core/base/clock.ts';
import { type ApiCall, type ApiSide, answerCall, type CallOutcome } from './answer-call.ts';
import type { Route } from './route.ts';

/** One line of the log that tests and the demo read. Status 0: the connection was broken. */
export interface ApiCallRecord {
  method: string;
  path: string;
  /** The connected account it was for; null for our own. */
  account: string | null;
  idempotencyKey: string | null;
  status: number;
  replayed: boolean;
}

/** The HTTP side of the account and those connected to it. */
export function createApiServer(
  sideOf: (account: string | undefined) => ApiSide,
  routes: readonly Route[],
  log: ApiCallRecord[],
  clock: Clock,
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'extended');
  app.use('/v1', express.urlencoded({ extended: true, limit: '1mb' }));
  app.use('/v2', express.json({ limit: '1mb' }));
  let requestCount = 0;

  async function handle(route: Route | undefined, req: Request, res: Response): Promise<void> {
    requestCount += 1;
    const call = readCall(route, req, `req_sandbox${String(requestCount).padStart(8, '0')}`);
    const outcome = await answerCall(sideOf(call.account), call);
    log.push(recordOf(call, outcome));
    res.set('Date', clock.now().toHTTP());
    send(call, outcome, res);
  }

  for (const route of routes) {
    app[route.method](route.path, (req, res) => handle(route, req, res));
  }
  app.all(['/v1/{*rest}', '/v2/{*rest}'], (req, res) => handle(undefined, req, res));
  return app;
}

function readCall(route: Route | undefined, req: Request, requestId: string): ApiCall {
  const form: unknown = req.method === 'POST' ? req.body : req.query;
  const { id } = req.params;
  return {
    requestId,
    method: req.method,
    path: req.path,
    authorization: req.get('authorization'),
    account: req.get('stripe-account') ?? req.get('stripe-context'),
    idempotencyKey: req.get('idempotency-key'),
    version: req.get('stripe-version'),
    route,
    id: typeof id === 'string' ? id : '',
    params: typeof form === 'object' && form !== null ? { ...form } : {},
  };
}

function recordOf(call: ApiCall, outcome: CallOutcome): ApiCallRecord {
  return {
    method: call.method,
    path: call.path,
    account: call.account ?? null,
    idempotencyKey: call.idempotencyKey ?? null,
    status: outcome.kind === 'answered' ? outcome.answer.status : 0,
    replayed: outcome.kind === 'answered' && outcome.isReplay,
  };
}

function send(call: ApiCall, outcome: CallOutcome, res: Response): void {
  if (outcome.kind === 'dropped') {
    res.socket?.destroy();
    return;
  }
  const { status, body, headers } = outcome.answer;
  res.status(status).set({ 'Request-Id': call.requestId, 'Stripe-Version': Stripe.API_VERSION, ...headers });
  if (call.idempotencyKey !== undefined) res.set('Idempotency-Key', call.idempotencyKey);
  if (outcome.isReplay) res.set('Idempotent-Replayed', 'true');
  res.type('json').send(body);
}

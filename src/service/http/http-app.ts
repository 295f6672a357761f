/** The service's HTTP side: its routes, and what every request passes on its way to them. */
import express, { type Express, type RequestHandler, type Response, Router } from 'express';
import { MemoryStore, rateLimit } from 'express-rate-limit';
import helmet from 'helmet';
import { InvalidRequestError, orUnavailable } from '../../core/base/errors.ts';
import type { Capability } from '../../core/contract/capabilities.ts';
import { describeIssue } from '../../core/contract/contract.ts';
import { forgottenCustomer } from '../../core/contract/forgotten-customer.ts';
import { checkDatabase } from '../../core/database/database.ts';
import { createGuessTable } from '../../core/database/guess-table.ts';
import { collectQueues } from '../../core/database/queued-jobs.ts';
import { readWithinLimits, requireUtf8 } from '../../core/web/bodies-in-flight.ts';
import { createGuessLimit, type LimitGuesses } from '../../core/web/guess-limit.ts';
import { createMetricsRouter, timeAnswers, traceAnswers } from '../../core/web/metrics-router.ts';
import { requireHttps } from '../../core/web/require-https.ts';
import { type Caller, callerOf, organizationOf, requireApiKey } from '../keys/api-keys.ts';
import type { ServiceDeps } from '../service-queues.ts';
import { forgetCustomer } from '../store/forgotten-customers.ts';
import { lockActionOrder } from '../store/recovery-actions.ts';
import { createIngestHandlers } from './ingest.ts';
import { createListingHandler } from './list-recovery-actions.ts';
import { createCasesHandler } from './list-recovery-cases.ts';
import { API_ROUTES, type ApiRoute, describeApi } from './openapi/describe-api.ts';
import { answerErrors, nameRequests, refuse, refuseTooMany, requestIdOf } from './refuse.ts';

export interface HttpDeps extends ServiceDeps {
  requestsPerSecond: number;
  concurrentRequests: number;
  trustProxy: boolean | string | number;
  metricsToken?: string | undefined;
  /** The owner of a key, by its hash. */
  findByKey(hash: string): Promise<Caller | undefined>;
}

/** Ends of requests come with the transactions (`extended_records`). */
const CAPABILITIES: readonly Capability[] = ['extended_records', 'recovery_cases', 'forgotten_customers'];
const BODY_LIMIT_BYTES = 5 * 1024 * 1024;
const MAX_SHOWN_PATH = 200;

export function createHttpApp(deps: HttpDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  // No 304: every answer has the body that the document names.
  app.disable('etag');
  app.set('trust proxy', deps.trustProxy);
  app.use(nameRequests(deps.logger), requireOneHost, helmet());
  app.get('/healthz', async (_request, response) => {
    await orUnavailable(checkDatabase(deps.database));
    response.json({ status: 'ok' });
  });
  const guesses = createGuessTable(deps.database, 'retry_service');
  const limitGuesses = createGuessLimit({ ...deps, guesses });
  const { metricsToken: token, measures, database } = deps;
  const collect = () => collectQueues(database, measures);
  if (token) app.use(createMetricsRouter({ token, measures, collect }, limitGuesses));
  app.use(requireHttps);
  const description = describeApi(deps);
  app.get('/openapi.json', (_request, response) => void response.json(description));
  app.use(createApiRouter(deps, limitGuesses));
  app.use(({ method, path }, response) =>
    refuse(response, 404, `There is nothing at ${method} ${path.slice(0, MAX_SHOWN_PATH)}.`),
  );
  app.use(answerErrors(deps.logger));
  return app;
}

/** A caller without a key is rejected unread. */
function createApiRouter(deps: HttpDeps, limitGuesses: LimitGuesses): Router {
  const handlers: Record<ApiRoute['handler'], RequestHandler> = {
    ...createIngestHandlers(deps),
    listing: createListingHandler(deps),
    capabilities: (_request, response) => void response.json({ capabilities: CAPABILITIES }),
    cases: createCasesHandler(deps),
    forgetting: createForgettingHandler(deps),
  };
  const guards = [
    requireApiKey(deps.findByKey, limitGuesses),
    limitRate(deps.requestsPerSecond),
    limitConcurrency(deps.concurrentRequests),
  ];
  const parse = express.json({ limit: BODY_LIMIT_BYTES, type: () => true, verify: requireUtf8 });
  const readBody = readWithinLimits(BODY_LIMIT_BYTES, parse);
  const router = Router();
  for (const { method, path, handler } of API_ROUTES) {
    const operation = path.split('/').at(-1) ?? '';
    const timed = timeAnswers(deps.measures, 'retry_service_http_request_duration_seconds', (status) => ({
      operation,
      status,
    }));
    const traced = traceAnswers(`${method.toUpperCase()} ${operation}`);
    router[method](
      path,
      timed,
      ...guards,
      traced,
      ...(method === 'post' ? [readBody] : []),
      handlers[handler],
    );
  }
  return router;
}

/** Which of two is meant, a proxy in between may have read otherwise (RFC 9112, 3.2). */
const requireOneHost: RequestHandler = ({ rawHeaders }, response, next) => {
  const names = rawHeaders.filter((_, position) => position % 2 === 0);
  if (names.filter((name) => name.toLowerCase() === 'host').length > 1)
    return refuse(response, 400, 'The request has more than one Host header.');
  next();
};

/** Real seconds, not the clock's: the limit protects the machine, whose time passes as it does. */
function limitRate(requestsPerSecond: number): RequestHandler {
  const limitOf = (response: Response) => callerOf(response).requestsPerSecond ?? requestsPerSecond;
  return rateLimit({
    windowMs: 1000,
    limit: (_request, response) => limitOf(response),
    store: new MemoryStore(),
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    keyGenerator: (_request, response) => callerOf(response).keyId,
    handler: (_request, response) =>
      refuseTooMany(response, `At most ${limitOf(response)} requests a second are taken with this key.`),
  });
}

/** Requests served in parallel with one key; more are refused, not queued (stripe-facts 12.4). */
function limitConcurrency(limit: number): RequestHandler {
  const running = new Map<string, number>();
  return (_request, response, next) => {
    const caller = callerOf(response).keyId;
    const others = running.get(caller) ?? 0;
    if (others >= limit) {
      refuseTooMany(response, `At most ${limit} requests are served at the same time.`);
      return;
    }
    running.set(caller, others + 1);
    // Also when the client goes away before its answer.
    response.once('close', () => {
      const left = (running.get(caller) ?? 1) - 1;
      if (left > 0) running.set(caller, left);
      else running.delete(caller);
    });
    next();
  };
}

/** POST /v1/forgotten_customers: erases the personal data of a customer in the caller's records. */
function createForgettingHandler({
  database,
  clock,
  logger,
}: Pick<HttpDeps, 'database' | 'clock' | 'logger'>): RequestHandler {
  return async (request, response) => {
    const asked = forgottenCustomer.safeParse(request.body);
    if (!asked.success) throw new InvalidRequestError(describeIssue(asked.error));
    const organization = organizationOf(response);
    const { customerId } = asked.data;
    const forgetting = database.transaction(async (tx) => {
      // No case of theirs is decided about meanwhile.
      await lockActionOrder(tx, organization);
      return forgetCustomer(tx, organization, customerId, clock.now());
    });
    const removed = await orUnavailable(forgetting);
    logger.info(
      { requestId: requestIdOf(response), organization, customerId, removed },
      'a customer was forgotten',
    );
    response.json({ removed });
  };
}

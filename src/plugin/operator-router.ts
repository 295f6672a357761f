/** Health for load balancers and figures for monitoring. */
import express, { type Router } from 'express';
import { Gauge, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import { StoreUnavailableError, UnauthorizedError } from '../errors.ts';
import type { RefuseGuess } from '../http/guess-limit.ts';
import { isSameSecret } from '../http/same-secret.ts';
import { checkDatabase, type Database } from '../store/engine/database.ts';
import { listStalledQueues } from '../store/engine/queued-jobs.ts';
import { countWork } from '../store/reports/work-counts.ts';
import { listPauses } from '../store/tables/retry/pauses.ts';
import { listCursorPositions } from '../store/tables/sync/cursor-positions.ts';
import { countUndelivered } from '../store/tables/sync/outbox.ts';

export function createOperatorRouter(deps: {
  database: Database;
  clock: Clock;
  /** Without one the path is not ours. */
  metricsToken: string | undefined;
  refuseGuess: RefuseGuess;
}): Router {
  const { database, clock, metricsToken, refuseGuess } = deps;
  const router = express.Router();

  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    await checkDatabase(database).catch((error) => {
      throw new StoreUnavailableError(error);
    });
    const pauses = await listPauses(database);
    const stalled = (await listStalledQueues(database)).map(({ name }) => name);
    // Ready all the same: what comes in must be received.
    res.json({
      status: 'ready',
      ...(pauses.length > 0 ? { effects: 'paused' } : {}),
      ...(stalled.length > 0 ? { stalled } : {}),
    });
  });
  if (metricsToken === undefined) return router;
  const registry = createRegistry(database, clock);
  router.get('/metrics', async (req, res) => {
    if (!isSameSecret(req.get('authorization') ?? '', `Bearer ${metricsToken}`)) {
      throw await refuseGuess(req, new UnauthorizedError('The Authorization header has no valid token.'));
    }
    res.type(registry.contentType).send(await registry.metrics());
  });
  return router;
}

/** Counted in the database when asked for, so that every process gives the same figures. */
function createRegistry(database: Database, clock: Clock): Registry {
  const registry = new Registry();
  const secondsSince = (at: Date) => Math.max(0, (clock.now().toMillis() - at.getTime()) / 1000);
  const gauge = new Gauge({
    name: 'payment_retry_rows',
    help: 'Rows by table and state.',
    labelNames: ['table', 'state'],
    registers: [registry],
    collect: async () => {
      gauge.reset();
      for (const { table, state, count } of await countWork(database)) gauge.set({ table, state }, count);
    },
  });
  const lag = new Gauge({
    name: 'payment_retry_cursor_lag_seconds',
    help: 'How far behind now the reading of what comes from elsewhere is.',
    labelNames: ['account', 'cursor'],
    registers: [registry],
    collect: async () => {
      lag.reset();
      for (const { account, name, at } of await listCursorPositions(database))
        lag.set({ account, cursor: name }, secondsSince(at.toJSDate()));
    },
  });
  const paused = new Gauge({
    name: 'payment_retry_paused',
    help: '1 for an account (* for all of them) whose payments, mails and changes at Stripe are paused.',
    labelNames: ['account'],
    registers: [registry],
    collect: async () => {
      paused.reset();
      for (const { account } of await listPauses(database)) paused.set({ account }, 1);
    },
  });
  const stalled = new Gauge({
    name: 'payment_retry_stalled_queue',
    help: '1 for a queue that has due work and of which nobody has taken any for two minutes.',
    labelNames: ['queue'],
    registers: [registry],
    collect: async () => {
      stalled.reset();
      for (const { name } of await listStalledQueues(database)) stalled.set({ queue: name }, 1);
    },
  });
  const oldest = new Gauge({
    name: 'payment_retry_oldest_undelivered_seconds',
    help: 'Age of the oldest change that the service has not got; 0 if it has all.',
    registers: [registry],
    collect: async () => {
      const { oldestAt } = await countUndelivered(database);
      oldest.set(oldestAt === null ? 0 : secondsSince(oldestAt));
    },
  });
  return registry;
}

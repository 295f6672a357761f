/** Readiness for load balancers and figures for monitoring. */
import express, { type Router } from 'express';
import type { Clock } from '../clock.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { RefuseGuess } from '../http/guess-limit.ts';
import { createMetricsRouter } from '../http/metrics-router.ts';
import { checkDatabase, type Database } from '../store/engine/database.ts';
import { listStalledQueues } from '../store/engine/queued-jobs.ts';
import { listPauses } from '../store/tables/retry/pauses.ts';
import type { Measures } from '../telemetry/measures.ts';
import { collectMetrics } from './collect-metrics.ts';

export function createOperatorRouter(deps: {
  database: Database;
  clock: Clock;
  /** Without one the path is not ours. */
  metricsToken: string | undefined;
  refuseGuess: RefuseGuess;
  measures: Measures;
}): Router {
  const { database, metricsToken, refuseGuess, measures } = deps;
  const router = express.Router();

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
  const collect = () => collectMetrics(deps, measures);
  router.use(createMetricsRouter({ token: metricsToken, measures, collect }, refuseGuess));
  return router;
}

/** Readiness for load balancers and figures for monitoring. */
import express, { type Router } from 'express';
import type { LimitGuesses } from '../http/guess-limit.ts';
import { createMetricsRouter } from '../http/metrics-router.ts';
import type { Clock } from '../kit/clock.ts';
import { StoreUnavailableError } from '../kit/errors.ts';
import type { Database } from '../store/engine/database.ts';
import { listStalledQueues } from '../store/engine/queued-jobs.ts';
import { listPauses } from '../store/tables/retry/pauses.ts';
import { checkWrites } from '../store/tables/sync/prompt-writes.ts';
import type { Measures } from '../telemetry/measures.ts';
import { collectMetrics } from './collect-metrics.ts';

export function createOperatorRouter(deps: {
  database: Database;
  clock: Clock;
  /** Without one the path is not ours. */
  metricsToken: string | undefined;
  limitGuesses: LimitGuesses;
  measures: Measures;
  /** The number of this process. */
  processId: () => number | undefined;
}): Router {
  const { database, processId, metricsToken, limitGuesses, measures } = deps;
  const router = express.Router();

  router.get('/readyz', async (_req, res) => {
    const look = async () => {
      await checkWrites(database, processId());
      return { pauses: await listPauses(database), queues: await listStalledQueues(database) };
    };
    const { pauses, queues } = await look().catch((error) => {
      throw new StoreUnavailableError(error);
    });
    const stalled = queues.map(({ name }) => name);
    // Ready all the same: what comes in must be received.
    res.json({
      status: 'ready',
      ...(pauses.length > 0 ? { effects: 'paused' } : {}),
      ...(stalled.length > 0 ? { stalled } : {}),
    });
  });
  if (metricsToken === undefined) return router;
  const collect = () => collectMetrics(deps, measures);
  router.use(createMetricsRouter({ token: metricsToken, measures, collect }, limitGuesses));
  return router;
}

/** Deletes old data each night. */

import type { JobHandler } from '../../core/jobs/queue-table.ts';
import type { Config } from '../settings/config.ts';
import { prune, reclaimSpace } from '../store/retention/prune.ts';
import type { PluginDeps, PluginQueues } from './queues.ts';

interface PruneDeps extends PluginDeps {
  readonly config: Pick<Config, 'retention'>;
}

/** Well within the job's time; the next job continues. */
const STEPS_IN_A_JOB = 300;

export function createPruneJob(deps: PruneDeps): JobHandler<PluginQueues['prune']> {
  const { config, database, clock, logger, enqueue } = deps;
  return {
    handle: async ({ from }) => {
      const request = { days: config.retention, now: clock.now(), maxSteps: STEPS_IN_A_JOB, from };
      const { counts, next } = await prune(database, request);
      if (Object.keys(counts).length > 0) logger.info({ ...counts }, 'took away what is old');
      if (next) await enqueue('prune', [{ data: { from: next }, key: 'prune' }]);
      else await reclaimSpace(database);
    },
  };
}

import type { Mailer } from '../../clients/mailer.ts';
import { loadConfig } from '../../config/config.ts';
import type { Enqueue } from '../../jobs/enqueue.ts';
import type { PluginQueues } from '../../jobs/plugin-queues.ts';
import { systemClock } from '../../kit/clock.ts';
import { silentLogger } from '../../kit/logger.ts';
import type { OperationDeps } from '../../operator/operations/operation.ts';
import { openStripe } from '../../plugin/open-stripe.ts';
import type { Database } from '../../store/engine/database.ts';

const NOT_HERE = 'Nothing is mailed from here.';
const ELSEWHERE: Mailer = {
  send: async () => ({ kind: 'failed', reason: NOT_HERE }),
  verify: async () => {},
  close: () => {},
};

/** For a process that works through no queue. */
export function openOperationDeps(database: Database, enqueue: Enqueue<PluginQueues>): OperationDeps {
  const base = { database, clock: systemClock, enqueue };
  return {
    ...base,
    config: () => loadConfig(),
    retry: () => {
      const config = loadConfig();
      return {
        ...base,
        config,
        stripe: openStripe(config, base),
        // Whether one can go out is found by the process that sends it: the application around may do that.
        mailer: ELSEWHERE,
        writeMail: async () => Promise.reject(new Error(NOT_HERE)),
        logger: silentLogger,
        processId: () => undefined,
        merchantName: async () => '',
        brandColor: async () => undefined,
      };
    },
  };
}

import { createMailer } from '../../clients/mailer.ts';
import { systemClock } from '../../clock.ts';
import { loadConfig } from '../../config/config.ts';
import { silentLogger } from '../../logger.ts';
import type { OperationDeps } from '../../operator/operations/operation.ts';
import { openStripe } from '../../plugin/open-stripe.ts';
import type { Database } from '../../store/engine/database.ts';

/** For a process that works through no queue: what is planned is found by the running one, or by the next start. */
export function openOperationDeps(database: Database): OperationDeps {
  const base = { database, clock: systemClock, enqueue: async () => {} };
  return {
    ...base,
    retry: () => {
      const config = loadConfig();
      const { mail } = config;
      return {
        ...base,
        config,
        stripe: openStripe(config, database, systemClock),
        mailer: mail && createMailer(mail),
        logger: silentLogger,
        processId: () => undefined,
        // Nothing is mailed from here.
        merchantName: async () => '',
        brandColor: async () => undefined,
      };
    },
  };
}

/** Completes `forget`: erases data written meanwhile, and the copy of a capable service. */

import { UpstreamError } from '../../core/base/errors.ts';
import { toColumn } from '../../core/database/rows.ts';
import type { JobHandler } from '../../core/jobs/queue-table.ts';
import type { BaseDeps } from '../../core/jobs/work-deps.ts';
import type { ServiceClient } from '../clients/service-client.ts';
import { eraseCustomer } from '../store/erasure/erase-customer.ts';
import { recordAudit } from '../store/tables/audit.ts';
import { findForgotten, finishForgotten } from '../store/tables/forgotten.ts';
import type { PluginQueues } from './queues.ts';

interface ForgetDeps extends BaseDeps {
  readonly serviceOf: (account: string) => Pick<ServiceClient, 'forgetCustomer' | 'can'>;
}

export function createForgetJob(deps: ForgetDeps): JobHandler<PluginQueues['forget-customer']> {
  const { database, clock, logger, serviceOf } = deps;
  return {
    handle: async (key) => {
      if (!(await findForgotten(database, key))) return;
      const removed = await eraseCustomer(database, key);
      const service = serviceOf(key.account);
      const canForget = await service.can('forgotten_customers');
      const there = canForget === false ? {} : canForget && (await service.forgetCustomer(key.customerId));
      if (!there)
        throw new UpstreamError(`The retry service did not forget customer ${key.customerId}.`, {
          retryable: true,
          help: 'It is asked again automatically.',
        });
      const at = clock.now();
      const all = { ...removed, ...named(there) };
      if (Object.keys(all).length > 0)
        await recordAudit(database, {
          account: key.account,
          at,
          invoiceId: undefined,
          kind: 'customer.erased',
          detail: { customerId: key.customerId, removed: all },
        });
      await finishForgotten(database, key, at);
      logger.info({ ...key, removed, service: there }, 'forgot a customer');
    },
  };
}

/** Maps the service's `recoveryActions` to `service_recovery_actions`, next to the plugin's tables. */
function named(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).map(([table, count]) => [`service_${toColumn(table)}`, count]),
  );
}

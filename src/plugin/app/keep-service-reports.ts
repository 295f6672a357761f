/** Exchanges with the service beyond the contract, whenever its listing is read: its reports, and the outcomes of its requests. */

import { toIso } from '../../core/base/clock.ts';
import type { RequestOutcome } from '../../core/contract/request-outcomes.ts';
import type { Database } from '../../core/database/database.ts';
import type { JobHandler } from '../../core/jobs/queue-table.ts';
import type { ServiceClient } from '../clients/service-client.ts';
import type { PluginDeps, PluginQueues } from '../jobs/queues.ts';
import type { RetryDeps } from '../retry/actions/retry-deps.ts';
import { followCases } from '../retry/ending/give-up.ts';
import { listUnreported, markReported, type RequestFate } from '../store/reports/instruction-fates.ts';
import {
  findLastRevision,
  forgetRecoveryCases,
  keepRecoveryCases,
  keptCallbacks,
} from '../store/reports/kept-cases.ts';
import { outcomesPause } from '../store/tables/sync/listing-state.ts';

interface ReportDeps extends PluginDeps, Pick<RetryDeps, 'config'> {
  readonly serviceOf: (account: string) => Pick<ServiceClient, 'can' | 'findRecoveryCases' | 'tellOutcomes'>;
}

/** What another service said before is forgotten once this one says that it has no reports. */
export function withServiceReports(
  deps: ReportDeps,
  sync: JobHandler<PluginQueues['sync-actions']>,
): JobHandler<PluginQueues['sync-actions']> {
  return {
    ...sync,
    handle: async (data) => {
      await tellOutcomes(deps, data.account);
      await sync.handle(data);
      const hasReports = await deps.serviceOf(data.account).can('recovery_cases');
      if (hasReports) await readRecoveryCases(deps, data.account);
      else if (hasReports === false) await forgetServiceReports(deps.database, data.account);
    },
  };
}

/** Sends the outcomes of its requests to a service that accepts them; after a setback again with the next run, or when it asks. */
export async function tellOutcomes(deps: ReportDeps, account: string): Promise<void> {
  const { database, clock, serviceOf } = deps;
  if (await outcomesPause.find(database, account, clock.now())) return;
  if (!(await serviceOf(account).can('request_outcomes'))) return;
  for (;;) {
    // At most as many as the contract allows in a request.
    const fates = await listUnreported(database, { account, now: clock.now(), limit: 100 });
    if (fates.length === 0 || !(await areTold(deps, account, fates))) return;
  }
}

/** Halves a refused batch, as deliveries do: an outcome refused alone is not sent again, so that it holds up no other. */
async function areTold(deps: ReportDeps, account: string, fates: readonly RequestFate[]): Promise<boolean> {
  const { database, clock, serviceOf } = deps;
  const answer = await serviceOf(account).tellOutcomes(fates.map(toOutcome));
  const half = Math.ceil(fates.length / 2);
  if (answer.kind === 'refused' && half < fates.length)
    return (await areTold(deps, account, fates.slice(0, half))) && areTold(deps, account, fates.slice(half));
  if ('retryAfterMs' in answer)
    await outcomesPause.begin(database, account, clock.now(), answer.retryAfterMs);
  if (answer.kind === 'refused')
    deps.logger.warn({ account, fates, answer }, 'the service refused an outcome of its request');
  else if (answer.kind !== 'accepted') return false;
  await markReported(database, account, fates);
  return true;
}

function toOutcome({ requestId, invoiceId, fate, at, reason, result }: RequestFate): RequestOutcome {
  return {
    requestId,
    invoiceId: invoiceId ?? undefined,
    outcome: fate === 'kept' || fate === 'late' ? 'done' : fate,
    at: toIso(at),
    reason: reason ?? undefined,
    result: result ?? undefined,
  };
}

/** Goes on behind the last page that was kept. */
export async function readRecoveryCases(deps: ReportDeps, account: string): Promise<void> {
  const { database, clock, serviceOf } = deps;
  for (;;) {
    const page = await serviceOf(account).findRecoveryCases(await findLastRevision(database, account));
    if (!page) return;
    await database.transaction(async (tx) => {
      const news = new Set(await keepRecoveryCases(tx, account, page.recoveryCases));
      const changed = page.recoveryCases.filter(({ invoiceId }) => news.has(invoiceId));
      await followCases(deps, tx, account, changed);
    });
    if (page.callbacks) await keptCallbacks.set(database, account, page.callbacks, clock.now());
    if (!page.hasMore) return;
  }
}

async function forgetServiceReports(database: Database, account: string): Promise<void> {
  await forgetRecoveryCases(database, account);
  await keptCallbacks.forget(database, account);
}

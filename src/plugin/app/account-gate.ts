/** No job is done for an account that is not configured or has revoked our access. Its records stay. */

import type { HandlerTable, JobHandler } from '../../core/jobs/queue-table.ts';
import type { BaseDeps } from '../../core/jobs/work-deps.ts';
import type { PluginQueues } from '../jobs/queues.ts';
import type { Reason } from '../reasons/reason.ts';
import { endAction } from '../retry/actions/audit-lines.ts';
import { OWN_ACCOUNT } from '../settings/account.ts';
import type { Accounts } from '../settings/accounts.ts';
import { recordAudit } from '../store/tables/audit.ts';
import { findAction } from '../store/tables/retry/actions.ts';
import { settleInstruction } from '../store/tables/retry/instructions.ts';
import { findAccountObjection } from '../store/tables/stored-accounts.ts';

interface GateDeps extends BaseDeps {
  readonly accounts: Pick<Accounts, 'find'>;
}

/** `process-event` asks for itself: the event that gives access back must pass. */
export function gateHandlers(
  deps: GateDeps,
  handlers: HandlerTable<PluginQueues>,
): HandlerTable<PluginQueues> {
  return {
    ...handlers,
    deliver: gate(deps, handlers.deliver),
    'catch-up': gate(deps, handlers['catch-up']),
    reconcile: gate(deps, handlers.reconcile),
    backfill: gate(deps, handlers.backfill),
    reread: gate(deps, handlers.reread),
    'sync-actions': gate(deps, handlers['sync-actions']),
    'hand-back-invoice': gate(deps, handlers['hand-back-invoice']),
    'pay-open-invoices': gate(deps, handlers['pay-open-invoices']),
    'take-over-invoice': gate(deps, handlers['take-over-invoice']),
    'schedule-instruction': gate(deps, handlers['schedule-instruction'], (data, reason) =>
      refuseInstruction(deps, data, reason),
    ),
    'execute-action': gateExecution(deps, handlers['execute-action']),
  };
}

function gate<Data extends { account: string }>(
  deps: GateDeps,
  handler: JobHandler<Data>,
  instead: (data: Data, reason: Reason) => Promise<void> = async () => {},
): JobHandler<Data> {
  return {
    ...handler,
    handle: async (data) => {
      const reason = await findAccountObjection(deps.database, deps.accounts, data.account);
      if (reason === undefined) return handler.handle(data);
      deps.logger.info({ account: data.account, reason }, 'nothing is done for the account');
      await instead(data, reason);
    },
  };
}

async function refuseInstruction(
  { database, clock }: GateDeps,
  key: PluginQueues['schedule-instruction'],
  reason: Reason,
): Promise<void> {
  const now = clock.now();
  await database.transaction(async (tx) => {
    const source = await settleInstruction(tx, key, { state: 'refused', reason }, now);
    if (source === undefined) return;
    const detail = { requestId: key.requestId, source, reason };
    const entry = { account: key.account, at: now, invoiceId: undefined };
    await recordAudit(tx, { ...entry, kind: 'instruction.refused', detail });
  });
}

/** An attempt in doubt stays as it is: it is settled when the account comes back. */
function gateExecution(
  deps: GateDeps,
  handler: JobHandler<PluginQueues['execute-action']>,
): JobHandler<PluginQueues['execute-action']> {
  const { database, clock } = deps;
  return {
    ...handler,
    handle: async (data) => {
      const account = data.account ?? (await findAction(database, data.actionId))?.account ?? OWN_ACCOUNT;
      const passed = gate<typeof data & { account: string }>(deps, handler, (_data, reason) =>
        database.transaction((tx) => endAction(tx, data.actionId, { guard: 'account', reason }, clock.now())),
      );
      await passed.handle({ ...data, account });
    },
  };
}

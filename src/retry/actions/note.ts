import type { Queryable } from '../../store/engine/database.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { RetryDeps } from './retry-deps.ts';

/** Writes one line of an action's story. */
export async function note(
  deps: Pick<RetryDeps, 'clock'> & { readonly database: Queryable },
  action: Pick<StoredAction, 'account' | 'invoiceId'>,
  kind: string,
  detail: Record<string, unknown>,
): Promise<void> {
  const { account, invoiceId } = action;
  await recordAudit(deps.database, { account, at: deps.clock.now(), invoiceId, kind, detail });
}

import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { isTakenOver } from '../../store/tables/retry/takeovers.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { LeftOutBy } from './observation.ts';

/** Hands back invoices that a narrower scope leaves out: otherwise nobody would collect them. */
export async function leaveToStripe(
  { database, enqueue }: Pick<RetryDeps, 'database' | 'enqueue'>,
  { account, invoiceId }: Pick<StoredAction, 'account' | 'invoiceId'>,
  setting: LeftOutBy,
): Promise<void> {
  // `observe` mode changes nothing.
  if (setting === 'RETRY_MODE' || !(await isTakenOver(database, { account, invoiceId }))) return;
  const reason = { code: 'outside_scope', setting } as const;
  await enqueue('hand-back-invoice', [{ data: { account, invoiceId, reason } }]);
}

/** Follows how the embedded service's cases end: gives an invoice up, or takes it up again. */
import { DateTime } from 'luxon';
import type { CaseEnd, RecoveryCase } from '../../contract/recovery-cases.ts';
import type { Transaction } from '../../store/engine/database.ts';
import type { Reason } from '../../store/reasons/reason.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { giveUp, takeUpAgain } from './give-up.ts';

/**
 * A decision that is older than this was read late, such as when a service's cases are read anew. A person decides then:
 * nobody expects it any more.
 */
const LATE_AFTER_DAYS = 7;

const GIVEN_UP: ReadonlyMap<CaseEnd | undefined, (why: string) => Reason> = new Map([
  ['given_up', (why: string): Reason => ({ code: 'service_gave_up', why })],
  ['merchant', (why: string): Reason => ({ code: 'only_merchant_can_mend', why })],
]);

/** `cases` have changed since they were read last. */
export async function followCases(
  deps: Pick<RetryDeps, 'config' | 'clock' | 'enqueue'>,
  tx: Transaction,
  account: string,
  cases: readonly RecoveryCase[],
): Promise<void> {
  if (deps.config.mode === 'advisory') return;
  const now = deps.clock.now();
  const open = cases.filter(({ state }) => state === 'open').map(({ invoiceId }) => invoiceId);
  if (open.length > 0) await takeUpAgain(tx, account, open, now);
  for (const { invoiceId, revision, end, reason, updatedAt } of cases) {
    const toReason = GIVEN_UP.get(end);
    if (!toReason) continue;
    const isLate = DateTime.fromISO(updatedAt) < now.minus({ days: LATE_AFTER_DAYS });
    await giveUp(
      deps,
      tx,
      { account, invoiceId },
      { reason: toReason(reason), occasion: `case ${revision}`, isForPerson: end === 'merchant' || isLate },
    );
  }
}

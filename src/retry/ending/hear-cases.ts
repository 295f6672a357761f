/** What the embedded service's cases say about the end of dunning. */
import { DateTime } from 'luxon';
import type { CaseEnd, RecoveryCase } from '../../contract/recovery-cases.ts';
import type { Transaction } from '../../store/engine/database.ts';
import type { Reason } from '../../store/reasons/reason.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { giveUp, takeUpAgain } from './give-up.ts';

/**
 * What was decided longer ago is told late: when a service's cases are read anew, say. Then a person decides, for whoever
 * has had the service so long does not expect it any more.
 */
const NEWS_DAYS = 7;

const GIVEN_UP: ReadonlyMap<CaseEnd | undefined, (why: string) => Reason> = new Map([
  ['given_up', (why: string): Reason => ({ code: 'service_gave_up', why })],
  ['merchant', (why: string): Reason => ({ code: 'only_merchant_can_mend', why })],
]);

/** `cases` are news: the words that were known before are left out. */
export async function hearCases(
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
    const isLate = DateTime.fromISO(updatedAt) < now.minus({ days: NEWS_DAYS });
    await giveUp(
      deps,
      tx,
      { account, invoiceId },
      { reason: toReason(reason), occasion: `case ${revision}`, isForPerson: end === 'merchant' || isLate },
    );
  }
}

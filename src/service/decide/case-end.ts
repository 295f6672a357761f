import type { CaseEnd } from '../../contract/recovery-cases.ts';
import { USED_UP } from '../policy/ask-customer.ts';
import { COLLECTION_PAUSED } from '../policy/decide-by-class.ts';
import type { CaseRow } from '../store/payment-cases.ts';
import { isClosingReason } from './case-snapshot.ts';

/** Of the policy's reasons to stop. */
const ENDS: ReadonlyMap<string, CaseEnd> = new Map([
  [USED_UP, 'given_up'],
  ['the_customer_was_asked_often_enough', 'given_up'],
  ['the_customer_did_not_act', 'given_up'],
  ['blocked_by_the_merchant_or_final', 'merchant'],
  [COLLECTION_PAUSED, 'merchant'],
  ['no_failed_transaction', 'history'],
  ['older_than_the_retry_window_when_first_seen', 'history'],
]);

/** A reason that is not known here is for a person: nobody's subscription ends over it. */
export function endOf({ state, reason }: Pick<CaseRow, 'state'> & { reason: string }): CaseEnd | undefined {
  if (state === 'open') return undefined;
  return isClosingReason(reason) ? 'settled' : (ENDS.get(reason) ?? 'merchant');
}

/** Objects on a Stripe test clock have a time of their own (stripe-facts 8.1): our clock cannot plan their payments, and no money moves. */

import { isRecord } from '../../core/contract/contract.ts';
import type { Config } from '../settings/config.ts';

/** Whether an invoice, subscription or customer on a test clock is ignored. */
export function isOnOtherTestClock(
  { testClock }: Partial<Pick<Config, 'testClock'>>,
  object: unknown,
): boolean {
  if (!isRecord(object) || object.test_clock === undefined || object.test_clock === null) return false;
  return object.test_clock !== testClock;
}

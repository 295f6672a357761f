/**
 * Objects on a Stripe test clock live at a time of their own (stripe-facts 8.1): no payment of theirs can be planned by our clock,
 * and their money is nobody's.
 */

import { isRecord } from '../../core/contract/contract.ts';
import type { Config } from '../settings/config.ts';

/** Whether an invoice, a subscription or a customer is left alone: another test clock than our own moves it. */
export function isOnForeignClock(
  { testClock }: Partial<Pick<Config, 'testClock'>>,
  object: unknown,
): boolean {
  if (!isRecord(object) || object.test_clock === undefined || object.test_clock === null) return false;
  return object.test_clock !== testClock;
}

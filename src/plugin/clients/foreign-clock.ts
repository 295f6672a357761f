/**
 * Objects on a Stripe test clock live at a time of their own (stripe-facts 8.1): no payment of theirs can be planned by our clock,
 * and their money is nobody's.
 */

import { isRecord } from '../../core/contract/contract.ts';
import type { Config } from '../settings/config.ts';

type Follows = Partial<Pick<Config, 'followTestClocks'>>;

/** Whether it is left alone: an invoice, a subscription or a customer that a test clock moves. */
export function isOnForeignClock({ followTestClocks = false }: Follows, object: unknown): boolean {
  if (followTestClocks || !isRecord(object)) return false;
  return object.test_clock !== undefined && object.test_clock !== null;
}

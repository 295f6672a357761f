/** A customer who asked to end is not charged: one mail says what is open, and how to pay it. */

import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

/** Once for an invoice. When the mail goes out, its own guards are asked, and the customer's hours. */
export async function askInstead(
  deps: Pick<RetryDeps, 'database' | 'clock' | 'enqueue'>,
  { account, invoiceId, customerId, subscriptionId }: StoredAction,
): Promise<void> {
  const now = deps.clock.now();
  await deps.database.transaction((tx) =>
    planAction(deps, tx, {
      ...{ account, invoiceId, customerId, subscriptionId },
      ...{ cause: 'cancel_request', reference: '', kind: 'card_update_email' },
      ...{ dueAt: now, createdAt: now },
    }),
  );
}

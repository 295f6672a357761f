import type { DateTime } from 'luxon';
import type { Transaction } from '../../../../core/database/database.ts';
import { planAction } from './plan-action.ts';
import type { InvoiceKey } from './takeovers.ts';

/** Plans one email about a subscription lost to an unpaid invoice. */
export async function planEndNotice(
  deps: Parameters<typeof planAction>[0],
  tx: Transaction,
  lost: InvoiceKey & { readonly subscriptionId: string; readonly customerId?: string | null | undefined },
  now: DateTime,
): Promise<void> {
  await planAction(deps, tx, {
    ...lost,
    cause: 'subscription_lost',
    reference: lost.subscriptionId,
    kind: 'subscription_ended_email',
    createdAt: now,
  });
}

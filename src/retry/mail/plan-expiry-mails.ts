/**
 * Before it fails: customers whose card expires before the next renewal, or who have nothing left to pay it with, are mailed
 * once, where the merchant wants it.
 */
import type { DateTime } from 'luxon';
import { listExpiringCards } from '../../store/tables/retry/expiring-cards.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

const LIMIT = 1_000;

type Deps = Pick<RetryDeps, 'database' | 'enqueue' | 'config' | 'clock'>;

/** Looks at most once an hour, whenever it is called: it looks at many rows. */
export function createExpiryPlanner(deps: Deps): () => Promise<void> {
  let next: DateTime | undefined;
  return async () => {
    const now = deps.clock.now();
    const isSoon = next && now < next && now.plus({ hours: 1 }) >= next;
    if (isSoon || deps.config.cardExpiryMailDays === 0) return;
    await planExpiryMails(deps, now);
    next = now.plus({ hours: 1 });
  };
}

/** What it finds twice, in whichever process, is planned once. */
async function planExpiryMails({ database, enqueue, config }: Deps, now: DateTime): Promise<void> {
  const to = now.plus({ days: config.cardExpiryMailDays });
  for (const found of await listExpiringCards(database, { from: now, to, limit: LIMIT })) {
    const { account, subscriptionId, customerId, lost } = found;
    await database.transaction((tx) =>
      planAction({ enqueue }, tx, {
        ...{ account, cause: 'renewal_at_risk', reference: lost, kind: 'expiring_card_email' },
        invoiceId: null,
        subscriptionId,
        customerId,
        dueAt: now,
        createdAt: now,
      }),
    );
  }
}

/** Payment methods that cannot pay renewals any more, by subscription. */
import type { Queryable } from '../../../../core/database/database.ts';

export async function noteLostMethod(
  db: Queryable,
  lost: { account: string; customerId: string; paymentMethod: string },
): Promise<void> {
  const { account, customerId, paymentMethod } = lost;
  await db.query(
    `update payment_retry.subscriptions set lost_method = $3
     where account = $1 and customer_id = $2 and status in ('active', 'trialing', 'past_due')`,
    [account, customerId, paymentMethod],
  );
}

/** The customer has agreed to the method again. */
export async function noteFoundMethod(db: Queryable, account: string, paymentMethod: string): Promise<void> {
  await db.query(
    `update payment_retry.subscriptions set lost_method = null where account = $1 and lost_method = $2`,
    [account, paymentMethod],
  );
}

/** The subscription has another method now. */
export async function forgetLostMethod(
  db: Queryable,
  { account, subscriptionId }: { account: string; subscriptionId: string },
): Promise<void> {
  await db.query(
    `update payment_retry.subscriptions set lost_method = null where account = $1 and id = $2 and lost_method is not null`,
    [account, subscriptionId],
  );
}

export function findLostMethod(
  db: Queryable,
  { account, subscriptionId }: { account: string; subscriptionId: string },
) {
  return db.findValue<string>(
    `select lost_method from payment_retry.subscriptions where account = $1 and id = $2`,
    [account, subscriptionId],
  );
}

/** When others last reached us: the first question about an installation that does nothing. */
import type { Queryable } from '../engine/database.ts';

export interface LastReceived {
  /** From Stripe, by webhook or by reading its list. */
  readonly eventAt: Date | null;
  readonly callbackAt: Date | null;
  /** Everything that Stripe has was read then. */
  readonly backfilledAt: Date | null;
}

export async function findLastReceived(db: Queryable, account: string): Promise<LastReceived> {
  const [row] = await db.query<LastReceived>(
    `select (select max(received_at) from payment_retry.events where account = $1) as event_at,
       (select max(received_at) from payment_retry.instructions where account = $1 and source = 'callback') as callback_at,
       (select max(finished_at) from payment_retry.backfill_runs where account = $1) as backfilled_at`,
    [account],
  );
  return row ?? { eventAt: null, callbackAt: null, backfilledAt: null };
}

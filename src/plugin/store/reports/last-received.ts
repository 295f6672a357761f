/** When others last reached us: the first question about an installation that does nothing. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';

/** What `doctor` sends to itself: recorded like any event, and nothing is done about it. */
export const TEST_EVENT_TYPE = 'payment_retry.doctor';

export interface LastReceived {
  /** From Stripe, by webhook or by reading its list. */
  readonly eventAt: DateTime<true> | null;
  readonly callbackAt: DateTime<true> | null;
  /** Everything that Stripe has was read then. */
  readonly backfilledAt: DateTime<true> | null;
}

export async function findLastReceived(db: Queryable, account: string): Promise<LastReceived> {
  const [row] = await db.query<LastReceived>(
    `select (select max(received_at) from payment_retry.events where account = $1 and type <> $2) as event_at,
       (select max(received_at) from payment_retry.instructions where account = $1 and source = 'callback') as callback_at,
       (select max(finished_at) from payment_retry.backfill_runs where account = $1) as backfilled_at`,
    [account, TEST_EVENT_TYPE],
  );
  return row ?? { eventAt: null, callbackAt: null, backfilledAt: null };
}

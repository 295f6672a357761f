/** When Stripe and the service last reached us. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';

/** The type of the event that `doctor` sends to itself: it is recorded and has no effect. */
export const TEST_EVENT_TYPE = 'payment_retry.doctor';

export interface LastReceived {
  /** Stripe's events, by webhook or from its list. */
  readonly eventAt: DateTime<true> | null;
  readonly callbackAt: DateTime<true> | null;
  readonly backfilledAt: DateTime<true> | null;
}

export function findLastReceived(db: Queryable, account: string) {
  return db.get<LastReceived>(
    `select (select max(received_at) from payment_retry.events where account = $1 and type <> $2) as event_at,
       (select max(received_at) from payment_retry.instructions where account = $1 and source = 'callback') as callback_at,
       (select max(finished_at) from payment_retry.backfill_runs where account = $1) as backfilled_at`,
    [account, TEST_EVENT_TYPE],
  );
}

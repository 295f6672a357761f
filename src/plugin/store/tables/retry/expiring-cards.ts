/** Subscriptions without a usable method at their renewal, by their last payment and lost methods. */
import type { DateTime } from 'luxon';
import { toIsoSeconds } from '../../../../core/base/clock.ts';
import type { Queryable } from '../../../../core/database/database.ts';

export interface ExpiringCard {
  account: string;
  subscriptionId: string;
  customerId: string | null;
  /** The lost method and the expiry of the last paying card (`2030-04`), if any. */
  lost: string;
}

/** Renewals in the period without a planned email. The action reads the card again. */
export function listExpiringCards(
  db: Queryable,
  { from, to, limit }: { from: DateTime; to: DateTime; limit: number },
) {
  return db.query<ExpiringCard>(
    `select s.account, s.id as subscription_id, s.customer_id,
       concat_ws(' ', s.lost_method, last.card_expiry) as lost
     from payment_retry.subscriptions s
     left join lateral (
       select a.card_expiry from payment_retry.attempts a
       where a.account = s.account and a.subscription_id = s.id and a.outcome = 'paid'
       order by a.started_at desc limit 1) as last on true
     where s.status in ('active', 'trialing') and s.message->>'expiresAt' between $1 and $2
       and case when s.lost_method is not null then true when last.card_expiry is null then s.status = 'trialing'
         else (last.card_expiry || '-01')::date + interval '1 month' <= (s.message->>'expiresAt')::timestamptz at time zone 'UTC' end
       and not payment_retry.is_forgotten(s.account, s.customer_id)
       and not exists (select 1 from payment_retry.hold_on(s.account, s.id, s.customer_id))
       and not exists (
         select 1 from payment_retry.actions where actions.account = s.account and actions.subscription_id = s.id
           and actions.invoice_id is null and actions.cause = 'renewal_at_risk' and actions.reference = concat_ws(' ', s.lost_method, last.card_expiry))
     order by s.message->>'expiresAt', s.account, s.id limit $3`,
    [toIsoSeconds(from), toIsoSeconds(to), limit],
  );
}

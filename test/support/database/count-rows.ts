import type { Queryable } from '../../../src/core/database/database.ts';
import type { WorkCount } from '../../../src/plugin/store/reports/counters.ts';

/** What `countWork` tells, counted row by row. */
export async function countRows(db: Queryable): Promise<WorkCount[]> {
  return db.query<WorkCount>(
    `select * from (
     select 'events' as table, case when processed_at is null then 'waiting'
              when results->0->>'code' in ('dead', 'account_not_configured', 'access_revoked') then results->0->>'code'
              else 'processed' end as state, count(*) as count
       from payment_retry.events group by 2
     union all
     select 'subscriptions', case when refused_version = version then 'quarantined'
            when unmapped_reason is not null then 'unmapped' when message is null then 'held_back'
            when version is distinct from delivered_version then 'waiting' else 'delivered' end, count(*)
       from payment_retry.subscriptions group by 2
     union all
     select 'invoices', 'unmapped', count(*) from payment_retry.invoices where unmapped_reason is not null
       having count(*) > 0
     union all
     select 'instructions', state, count(*) from payment_retry.instructions group by 2
     union all
     select 'listed', fate, count(*) from payment_retry.recovery_actions group by 2
     union all
     select 'actions', state, count(*) from payment_retry.actions group by 2
     union all
     select 'attempts', coalesce(outcome, 'unknown') || case when exists (
              select 1 from payment_retry.actions where actions.id = attempts.action_id and actions.cause = 'backup')
            then '_by_backup' else '' end, count(*) from payment_retry.attempts group by 2
     union all
     select 'endings', case when ended_at is null then 'given_up' else 'done' end, count(*)
       from payment_retry.endings group by 2
     union all
     select 'emails', state || case when invoice_id is null then '_as_prevention' else '' end, count(*)
       from payment_retry.emails group by 2) as counted
     order by "table", state`,
  );
}

/** Results of the last comparison of an account with Stripe. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { Difference, DriftKind } from '../tables/backfill/drifts.ts';
import type { BackfillReport } from './backfill-report.ts';

export interface FoundDrift {
  kind: DriftKind;
  id: string;
  difference: Difference;
}

export interface Verification
  extends Pick<BackfillReport, 'run' | 'months' | 'startedAt' | 'finishedAt' | 'reason' | 'failures'> {
  account: string;
  /** Older objects were requested but not read, because no backfill had reached them; null if all were. */
  notBackfilledBefore: DateTime<true> | null;
  /** Objects that Stripe listed or returned by id. */
  compared: number;
  /** Differences confirmed minutes later. */
  differing: number;
  /** First differences; after a thousand they are not checked again. */
  unconfirmed: number;
  /** A later backfill has repaired the differences, where possible. */
  isRepaired: boolean;
}

/** The last verification of each account, or of one. */
export function listVerifications(db: Queryable, account?: string) {
  return db.query<Verification>(
    `select v.account, v.id as run, v.months, v.started_at, v.finished_at, v.reason, v.failures,
       (select case when min(since.at) > (v.started_at at time zone 'utc' - make_interval(months => v.months)) at time zone 'utc'
          then min(since.at) end
        from payment_retry.backfill_runs b,
          lateral (select (b.started_at at time zone 'utc' - make_interval(months => b.months)) at time zone 'utc' as at) since
        where b.account = v.account and b.kind <> 'verification' and b.finished_at <= v.started_at) as not_backfilled_before,
       (select coalesce(sum(r.read), 0)::bigint from payment_retry.backfill_ranges r
        where r.run = v.id and r.list in ('subscriptions', 'invoices', 'charges', 'unseen_invoices')) as compared,
       (select count(*) from payment_retry.drifts d where d.run = v.id and d.confirmed_at is not null) as differing,
       (select count(*) from payment_retry.drifts d where d.run = v.id and d.confirmed_at is null) as unconfirmed,
       exists (select 1 from payment_retry.backfill_runs b where b.account = v.account and b.kind <> 'verification'
         and b.started_at > v.finished_at and b.finished_at is not null) as is_repaired
     from (select distinct on (account) * from payment_retry.backfill_runs
       where kind = 'verification' and ($1::text is null or account = $1) order by account, id desc) v
     order by v.account`,
    [account],
  );
}

/** Ordered by kind and id. */
export function listDrifts(db: Queryable, run: number, limit: number) {
  return db.query<FoundDrift>(
    `select kind, id, difference from payment_retry.drifts
     where run = $1 and confirmed_at is not null order by kind, id limit $2`,
    [run, limit],
  );
}

/** What the last comparison of an account with Stripe found, for people. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { type Reason, withReason } from '../../reasons/reason.ts';
import type { Difference, DriftKind } from '../tables/backfill/drifts.ts';

export interface FoundDrift {
  kind: DriftKind;
  id: string;
  difference: Difference;
}

export interface Verification {
  account: string;
  run: number;
  months: number;
  startedAt: DateTime<true>;
  /** Null while it is not finished. */
  finishedAt: DateTime<true> | null;
  reason: Reason | null;
  failures: number;
  /** It went no further back, though it was asked to: what is older was never read. Null where it did. */
  notBackfilledBefore: DateTime<true> | null;
  /** Objects that Stripe listed, or was asked for one by one. */
  compared: number;
  /** What differed, minutes later, too. */
  differing: number;
  /** Differed at first; after a thousand that is not looked at again. */
  unconfirmed: number;
  /** Everything was read and stored since: what could be repaired is. */
  isRepaired: boolean;
}

/** The last of each account; of one, where it is named. */
export async function listVerifications(db: Queryable, account?: string): Promise<Verification[]> {
  const rows = await db.query<Verification>(
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
  return rows.map(withReason);
}

/** In the order of kinds and ids. */
export async function listDrifts(db: Queryable, run: number, limit: number): Promise<FoundDrift[]> {
  return db.query<FoundDrift>(
    `select kind, id, difference from payment_retry.drifts
     where run = $1 and confirmed_at is not null order by kind, id limit $2`,
    [run, limit],
  );
}

/** Progress and findings of an account's runs. */

import { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { PageTally } from '../tables/backfill/backfill-ranges.ts';
import type { BackfillList, RunKind } from '../tables/backfill/backfill-runs.ts';
import { findSecondLook } from '../tables/backfill/drifts.ts';
import { listActiveAccounts } from '../tables/stored-accounts.ts';
import { OUTBOX_KINDS, OUTBOX_TABLES, type OutboxKind } from '../tables/sync/outbox.ts';
import { countKnownSubscriptions } from './counters.ts';

/** Counts of one kind. `read`, the sum of the other counts, is the number of objects that Stripe listed or returned by id. */
export interface KindReport extends PageTally {
  kind: OutboxKind;
}

export interface BackfillReport {
  run: number;
  kind: RunKind;
  months: number;
  startedAt: DateTime<true>;
  /** Null while unfinished; `reason` is then the obstacle, if any. */
  finishedAt: DateTime<true> | null;
  reason: Reason | null;
  failures: number;
  /** Time when the last page was stored. */
  movedAt: DateTime<true>;
  /** Seconds of non-empty time read, and still to read, in the current list. */
  readSeconds: number;
  openSeconds: number;
  list: BackfillList | null;
  /** Time at which a verification checks its differences again. */
  secondLookAt: DateTime<true> | null;
  kinds: KindReport[];
}

const KINDS: Readonly<Record<BackfillList, OutboxKind | undefined>> = {
  subscriptions: 'subscriptions',
  invoices: 'invoices',
  // Payments outside Stripe.
  invoice_payments: 'transactions',
  charges: 'transactions',
  fraud_warnings: undefined,
  unseen_invoices: 'invoices',
  uncharged_invoices: 'transactions',
  own_work: undefined,
  drifts: undefined,
};

interface ListCounts extends PageTally {
  list: BackfillList;
  isOpen: boolean;
  movedAt: DateTime<true>;
  readSeconds: number;
  openSeconds: number;
}

/** The account's latest run of `kind`, finished or not; without a kind, the latest that stores its results. */
export async function findLastReport(
  db: Queryable,
  account: string,
  kind?: RunKind,
): Promise<BackfillReport | undefined> {
  const [run] = await db.query<
    Omit<BackfillReport, 'movedAt' | 'readSeconds' | 'openSeconds' | 'list' | 'secondLookAt' | 'kinds'>
  >(
    `select id as run, kind, months, started_at, finished_at, reason, failures
     from payment_retry.backfill_runs where account = $1 and (kind = $2 or $2::text is null and kind <> 'verification') order by id desc limit 1`,
    [account, kind],
  );
  if (!run) return undefined;
  const lists = await countLists(db, run.run);
  const open = lists.filter(({ isOpen }) => isOpen);
  const kinds = OUTBOX_KINDS.map((one) => sumOf(one, lists)).filter((one) => one !== undefined);
  return {
    ...run,
    movedAt: DateTime.max(run.startedAt, ...lists.map(({ movedAt }) => movedAt)),
    readSeconds: open[0]?.readSeconds ?? 0,
    openSeconds: open[0]?.openSeconds ?? 0,
    list: open[0]?.list ?? null,
    secondLookAt: open[0]?.list === 'drifts' ? ((await findSecondLook(db, run.run)) ?? null) : null,
    kinds,
  };
}

/** An empty stretch does not count as read time: it says nothing about progress. */
function countLists(db: Queryable, run: number) {
  return db.query<ListCounts>(
    `select list, bool_or(not is_done) as is_open, max(moved_at) as moved_at, sum(read)::bigint as read,
       sum(added)::bigint as added, sum(repaired)::bigint as repaired, sum(equal)::bigint as equal,
       sum(silent)::bigint as silent, sum(skipped)::bigint as skipped,
       coalesce(sum(top_second - to_second) filter (where read > 0), 0)::bigint as read_seconds,
       coalesce(sum(to_second - from_second) filter (where not is_done), 0)::bigint as open_seconds
     from payment_retry.backfill_ranges where run = $1 group by list order by min(id)`,
    [run],
  );
}

function sumOf(kind: OutboxKind, lists: readonly ListCounts[]): KindReport | undefined {
  const mine = lists.filter(({ list }) => KINDS[list] === kind).map(withoutLinks);
  if (mine.length === 0) return undefined;
  const sum = (field: keyof PageTally) => mine.reduce((total, counts) => total + counts[field], 0);
  return {
    kind,
    read: sum('read'),
    added: sum('added'),
    repaired: sum('repaired'),
    equal: sum('equal'),
    silent: sum('silent'),
    skipped: sum('skipped'),
  };
}

/** Leaves out payments that only name the invoice of a charge. */
function withoutLinks(counts: ListCounts): ListCounts {
  if (counts.list !== 'invoice_payments') return counts;
  return { ...counts, read: counts.read - counts.skipped, skipped: 0 };
}

/** Delivery state of a run's news. The sum is `added + repaired - silent` until a newer run starts. */
export interface NewsFate {
  forwarded: number;
  refused: number;
  waiting: number;
}

export function countNews(db: Queryable, run: number, kind: OutboxKind) {
  return db.get<NewsFate>(
    `select count(*) filter (where fate = 'forwarded') as forwarded, count(*) filter (where fate = 'refused') as refused,
       count(*) filter (where fate = 'waiting') as waiting
     from (
       select case when message is null or version = delivered_version then 'forwarded'
         when version = refused_version then 'refused' else 'waiting' end as fate
       from ${OUTBOX_TABLES[kind]} where backfill_run = $1) as news`,
    [run],
  );
}

/** Whether the service has received all of Stripe's subscriptions, by the last full read of an account. */
export interface Completeness extends Pick<BackfillReport, 'kind' | 'startedAt' | 'finishedAt' | 'reason'> {
  account: string;
  /** Subscriptions that Stripe listed, so far if unfinished. */
  stripeSubscriptions: number;
  deliveredSubscriptions: number;
  /** Objects of all kinds that were missing here or stored in another state. */
  repaired: number;
  /** Unfinished, and without progress for more than an hour. */
  isStuck: boolean;
}

const STUCK_MINUTES = 60;

/** Leaves out accounts that were never read. */
export async function readCompleteness(db: Queryable, now: DateTime): Promise<Completeness[]> {
  const stuckBefore = now.minus({ minutes: STUCK_MINUTES });
  const found: Completeness[] = [];
  for (const account of await listActiveAccounts(db)) {
    const report = await findLastReport(db, account);
    if (!report) continue;
    const { kind, startedAt, finishedAt, reason, kinds, movedAt } = report;
    found.push({
      account,
      kind,
      startedAt,
      finishedAt,
      reason,
      stripeSubscriptions: kinds.find((one) => one.kind === 'subscriptions')?.read ?? 0,
      deliveredSubscriptions: await countKnownSubscriptions(db, account),
      repaired: kinds.reduce((sum, one) => sum + one.added + one.repaired, 0),
      isStuck: finishedAt === null && movedAt < stuckBefore,
    });
  }
  return found;
}

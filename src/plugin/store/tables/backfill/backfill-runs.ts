/** Runs that read everything at Stripe. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { Reason } from '../../../reasons/reason.ts';

/** A `verification` stores none of the objects and runs in parallel with the others. */
export type RunKind = 'backfill' | 'reconciliation' | 'verification';

/** Reading order: objects come before those that refer to them. */
export const BACKFILL_LISTS = [
  'subscriptions',
  'invoices',
  'invoice_payments',
  'charges',
  'fraud_warnings',
  'unseen_invoices',
  'uncharged_invoices',
  'own_work',
  'drifts',
] as const;
export type BackfillList = (typeof BACKFILL_LISTS)[number];

export interface BackfillRun {
  id: number;
  account: string;
  kind: RunKind;
  /** How far back invoices and charges are read, in months. */
  months: number;
  /** Requests a second to one of Stripe's endpoints. */
  perSecond: number;
  startedAt: DateTime<true>;
  /** Consecutive failures without a page between them. */
  failures: number;
}

const OF_SORT = `(kind = 'verification') = ($2 = 'verification')`;

const RUN = `id, account, kind, months, per_second, started_at, failures`;

export interface NewRun extends Pick<BackfillRun, 'account' | 'kind' | 'months' | 'perSecond'> {
  startedAt: DateTime;
  /** Unix seconds, both inclusive. */
  ranges: readonly { list: BackfillList; from: number; to: number }[];
}

export function findOpenRun(db: Queryable, account: string, kind: RunKind) {
  return db.find<BackfillRun>(
    `select ${RUN} from payment_retry.backfill_runs where account = $1 and finished_at is null and ${OF_SORT}`,
    [account, kind],
  );
}

/** The account's last finished verification, or last other run. */
export async function findLastFinish(db: Queryable, account: string, kind: RunKind) {
  return db.findValue<DateTime<true>>(
    `select max(finished_at) as at from payment_retry.backfill_runs where account = $1 and ${OF_SORT}`,
    [account, kind],
  );
}

/** The earliest time covered by a finished backfill; undefined without one. */
export async function findBackfilledFrom(db: Queryable, account: string) {
  return db.findValue<DateTime<true>>(
    `select min((started_at at time zone 'utc' - make_interval(months => months)) at time zone 'utc') as at
     from payment_retry.backfill_runs where account = $1 and kind <> 'verification' and finished_at is not null`,
    [account],
  );
}

/** Opens a run unless one is open; undefined if another process was first. */
export async function insertRun(db: Queryable, run: NewRun): Promise<BackfillRun | undefined> {
  const [opened] = await db.query<BackfillRun>(
    `insert into payment_retry.backfill_runs (account, kind, months, per_second, started_at)
     values ($1, $2, $3, $4, $5)
     on conflict (account, (kind = 'verification')) where finished_at is null do nothing
     returning ${RUN}`,
    [run.account, run.kind, run.months, run.perSecond, run.startedAt],
  );
  if (!opened) return undefined;
  await db.query(
    `insert into payment_retry.backfill_ranges (run, list, from_second, to_second, top_second, moved_at)
     select $1, r.list, r."from", r."to", r."to", $3
     from json_to_recordset($2::json) as r(list text, "from" bigint, "to" bigint)`,
    [opened.id, JSON.stringify(run.ranges), run.startedAt],
  );
  return opened;
}

/** Recorded immediately, so that a stuck run shows its reason. */
export async function recordRunFailure(db: Queryable, run: number, reason: Reason) {
  await db.query(
    `update payment_retry.backfill_runs set failures = failures + 1, reason = $2::jsonb where id = $1`,
    [run, JSON.stringify(reason)],
  );
}

export async function clearRunFailures(db: Queryable, run: number) {
  await db.query(
    `update payment_retry.backfill_runs set failures = 0, reason = null where id = $1 and failures > 0`,
    [run],
  );
}

/** Deletes the run's working data; its counts stay. */
export async function finishRun(db: Queryable, run: number, now: DateTime) {
  await db.query(`delete from payment_retry.backfill_payments where run = $1`, [run]);
  await db.query(`delete from payment_retry.backfill_seen where run = $1`, [run]);
  await db.query(
    `update payment_retry.backfill_runs set finished_at = $2, failures = 0, reason = null where id = $1`,
    [run, now],
  );
}

/** Unfinished runs, for the sweep that replaces lost jobs. */
export function listOpenRuns(db: Queryable) {
  return db.query<BackfillRun>(`select ${RUN} from payment_retry.backfill_runs where finished_at is null`);
}

/** Whether neither a run nor an event has brought a subscription. */
export function isNeverFilled(db: Queryable, account: string) {
  return db.getValue<boolean>(
    `select not exists (select 1 from payment_retry.backfill_runs where account = $1)
        and not exists (select 1 from payment_retry.subscriptions where account = $1) as is_never`,
    [account],
  );
}

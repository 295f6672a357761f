/** Whether the service has received all of Stripe's subscriptions, by the last full read of an account. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { RunKind } from '../tables/backfill/backfill-runs.ts';
import { listActiveAccounts } from '../tables/stored-accounts.ts';
import { type BackfillReport, findLastReport } from './backfill-report.ts';
import { countKnownSubscriptions } from './counters.ts';

export interface Completeness {
  account: string;
  kind: RunKind;
  startedAt: DateTime<true>;
  /** Null while unfinished. */
  finishedAt: DateTime<true> | null;
  /** The obstacle, if there is one. */
  reason: Reason | null;
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
  const found: Completeness[] = [];
  for (const account of await listActiveAccounts(db)) {
    const report = await findLastReport(db, account);
    if (report) found.push(await toCompleteness(db, account, report, now));
  }
  return found;
}

async function toCompleteness(
  db: Queryable,
  account: string,
  report: BackfillReport,
  now: DateTime,
): Promise<Completeness> {
  const { kind, startedAt, finishedAt, reason, kinds, movedAt } = report;
  const stuckBefore = now.minus({ minutes: STUCK_MINUTES });
  return {
    account,
    kind,
    startedAt,
    finishedAt,
    reason,
    stripeSubscriptions: kinds.find((one) => one.kind === 'subscriptions')?.read ?? 0,
    deliveredSubscriptions: await countKnownSubscriptions(db, account),
    repaired: kinds.reduce((sum, one) => sum + one.added + one.repaired, 0),
    isStuck: finishedAt === null && movedAt < stuckBefore,
  };
}

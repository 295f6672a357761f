/** Whether the service has received all that Stripe has, as the last whole reading of an account found it. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { RunKind } from '../tables/backfill/backfill-runs.ts';
import { listActiveAccounts } from '../tables/stored-accounts.ts';
import { type BackfillReport, findLastReport } from './backfill-report.ts';
import { countKnownSubscriptions } from './counters.ts';

export interface Completeness {
  account: string;
  /** What the last reading was for. */
  kind: RunKind;
  startedAt: DateTime<true>;
  /** Null while it is incomplete. */
  finishedAt: DateTime<true> | null;
  /** Why it does not get on, if anything is in its way. */
  reason: Reason | null;
  /** How many subscriptions Stripe listed, so far if it is incomplete. */
  stripeSubscriptions: number;
  /** How many the service has received. */
  deliveredSubscriptions: number;
  /** What had changed in Stripe without being stored here, or was not known at all, of all kinds. */
  repaired: number;
  /** It is incomplete and has not moved for more than an hour. */
  isStuck: boolean;
}

const STUCK_MINUTES = 60;

/** Accounts that were never read are left out. */
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

/** The embedded service's latest word on what its timing is worth, kept for when nobody can ask it. */
import type { DateTime } from 'luxon';
import { type TimingReport, timingReport } from '../timing-report.ts';
import { setCursor } from './cursors.ts';
import type { Queryable } from './database.ts';

const NAME = 'timing-report';

export interface KeptTimingReport {
  account: string;
  readAt: Date;
  report: TimingReport;
}

export async function keepTimingReport(
  db: Queryable,
  account: string,
  report: TimingReport,
  now: DateTime,
): Promise<void> {
  await setCursor(db, { account, name: NAME, value: JSON.stringify(report) }, now);
}

export async function forgetTimingReport(db: Queryable, account: string): Promise<void> {
  await db.query(`delete from payment_retry.cursors where account = $1 and name = $2`, [account, NAME]);
}

/** One that an older version wrote otherwise is left out. */
export async function listTimingReports(db: Queryable): Promise<KeptTimingReport[]> {
  const rows = await db.query<{ account: string; value: string; updatedAt: Date }>(
    `select account, value, updated_at as "updatedAt" from payment_retry.cursors where name = $1 order by account`,
    [NAME],
  );
  return rows.flatMap(({ account, value, updatedAt }) => {
    const parsed = timingReport.safeParse(JSON.parse(value));
    return parsed.success ? [{ account, readAt: updatedAt, report: parsed.data }] : [];
  });
}

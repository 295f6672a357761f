/** The embedded service's latest reports, kept for times when it cannot be asked: one of each kind for an account. */
import type { DateTime } from 'luxon';
import type { z } from 'zod';
import { type CallbackCounts, callbackCounts } from '../../../core/contract/recovery-cases.ts';
import type { Queryable } from '../../../core/database/database.ts';
import { setCursor } from '../tables/sync/cursors.ts';

export interface KeptReport<Report> {
  account: string;
  readAt: DateTime<true>;
  report: Report;
}
export type KeptCallbackCounts = KeptReport<CallbackCounts>;

export interface ReportStore<Report> {
  keep(db: Queryable, account: string, report: Report, now: DateTime): Promise<void>;
  /** Called when the account changes to another service. */
  forget(db: Queryable, account: string): Promise<void>;
  /** Lists by account; reports in an older format are left out. */
  list(db: Queryable): Promise<KeptReport<Report>[]>;
}

export const callbackReports = createReportStore<CallbackCounts>('callbacks', callbackCounts);

function createReportStore<Report>(name: string, schema: z.ZodType<Report>): ReportStore<Report> {
  return {
    keep: (db, account, report, now) => setCursor(db, { account, name, value: JSON.stringify(report) }, now),
    forget: async (db, account) => {
      await db.query(`delete from payment_retry.cursors where account = $1 and name = $2`, [account, name]);
    },
    list: async (db) => {
      const rows = await db.query<{ account: string; value: string; readAt: DateTime<true> }>(
        `select account, value, updated_at as read_at from payment_retry.cursors where name = $1 order by account`,
        [name],
      );
      return rows.flatMap(({ account, value, readAt }) => {
        const parsed = schema.safeParse(JSON.parse(value));
        return parsed.success ? [{ account, readAt, report: parsed.data }] : [];
      });
    },
  };
}

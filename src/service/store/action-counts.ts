/** The totals of the listing, from what the database's triggers keep for each hour of execution. */
import { DateTime } from 'luxon';
import type { Queryable } from '../../store/database.ts';

export async function countAll(db: Queryable, organization: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select coalesce(sum(actions), 0)::bigint as count from retry_service.action_counts where organization = $1`,
    [organization],
  );
  return row?.count ?? 0;
}

export interface Executed {
  executedAfter: string | undefined;
  executedBefore: string | undefined;
}

/** Whole hours are summed up; only the actions of the two hours that a bound cuts are counted. */
export async function countExecuted(db: Queryable, organization: string, bounds: Executed): Promise<number> {
  const { executedAfter: after = '-infinity', executedBefore: before = 'infinity' } = bounds;
  const { from, to } = wholeHours(bounds);
  const executed = `coalesce(executed_at, 'infinity')`;
  const [row] = await db.query<{ count: number }>(
    `select ((select coalesce(sum(actions), 0) from retry_service.action_counts
              where organization = $1 and executed_hour >= $2 and executed_hour < $3)
           + (select count(*) from retry_service.recovery_actions
              where organization = $1 and ${executed} >= $4 and ${executed} < least($2::timestamptz, $5))
           + (select count(*) from retry_service.recovery_actions
              where organization = $1 and ${executed} >= greatest($2, $3::timestamptz) and ${executed} < $5)
           )::bigint as count`,
    [organization, from, to, after, before],
  );
  return row?.count ?? 0;
}

/** Within one hour there is none: `from` is then after `to`. */
function wholeHours({ executedAfter, executedBefore }: Executed): { from: string; to: string } {
  const after = executedAfter === undefined ? undefined : parse(executedAfter);
  const floor = after?.startOf('hour');
  const from = floor && (floor.equals(after ?? floor) ? floor : floor.plus({ hours: 1 }));
  const to = executedBefore === undefined ? undefined : parse(executedBefore).startOf('hour');
  return { from: from?.toISO() ?? '-infinity', to: to?.toISO() ?? 'infinity' };
}

function parse(iso: string): DateTime {
  return DateTime.fromISO(iso, { zone: 'utc' });
}

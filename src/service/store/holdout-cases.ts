/** The closed cases of the holdout and those it is compared with. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../store/engine/database.ts';

export interface HoldoutCount {
  isHeldOut: boolean;
  percent: number;
  cases: number;
  recovered: number;
}

/**
 * Only cases that were drawn with the latest share and have had their time: those that were paid close sooner than
 * those that were not, so among young ones there would be too many of them.
 */
export async function countHoldoutCases(
  db: Queryable,
  organization: string,
  begunBefore: DateTime,
): Promise<HoldoutCount[]> {
  return db.query<HoldoutCount>(
    `select is_held_out, holdout_percent as percent, count(*) as cases,
            count(*) filter (where reason = 'invoice_paid') as recovered
     from retry_service.cases
     where organization = $1 and state = 'closed' and opened_at <= $2
       and holdout_percent = (select holdout_percent from retry_service.cases
                              where organization = $1 and holdout_percent > 0 order by opened_at desc limit 1)
     group by is_held_out, holdout_percent`,
    [organization, begunBefore.toISO()],
  );
}

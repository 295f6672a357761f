/** The form in which an account's webhooks arrive; kept where it is thin. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { findCursor, setCursor } from './cursors.ts';

const NAME = 'event-form';

export type EventForm = 'snapshot' | 'thin';

/** Returns the form of webhooks since `since`, or the known one if none came. With both, snapshots are complete. */
export async function learnEventForm(
  db: Queryable,
  { account, since, now }: { account: string; since: DateTime; now: DateTime },
): Promise<EventForm> {
  const learned = await db.findValue<EventForm>(
    `select case when bool_and(type like 'v1.%') then 'thin' when count(*) > 0 then 'snapshot' end as form
     from payment_retry.events
     where account = $1 and created_at >= $2 and source = 'webhook' and type not like 'v2.%'
       and payload is not null and processed_at is not null and results->0->>'code' <> 'dead'`,
    [account, since],
  );
  const known = (await findCursor(db, account, NAME)) === 'thin' ? 'thin' : 'snapshot';
  const form = learned ?? known;
  if (form !== known) await setCursor(db, { account, name: NAME, value: form }, now);
  return form;
}

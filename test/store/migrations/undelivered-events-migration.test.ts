import { DateTime } from 'luxon';
import { migratePlugin } from '../../../src/store/engine/migrate.ts';
import { keepAlerts, listAlerts } from '../../../src/store/tables/alerts.ts';
import { openBefore } from '../../support/database-before.ts';
import { ENGINES } from '../../support/databases.ts';

const SINCE = DateTime.utc(2026, 3, 2, 12);

test.each(ENGINES)(
  'an alert on undelivered events that was raised under the old code goes on under the new one on $engine',
  async (engine) => {
    const { database, close } = await openBefore(engine, '0032');
    const listConcerns = async () =>
      (
        await database.query<{ type: string; concern: string | null }>(
          `select type, detail ->> 'concern' as concern from payment_retry.host_events order by id`,
        )
      ).map(({ type, concern }) => [type, concern]);
    await database.query(
      `insert into payment_retry.alerts (concern, since, last_seen_at)
     select unnest(array['untoldEvents', 'overdueActions']), $1::timestamptz, $1::timestamptz`,
      [SINCE.toISO()],
    );
    await database.query(
      `insert into payment_retry.host_events (channel, event_id, type, account, at, detail, next_at)
     select 'alert_mail', gen_random_uuid(), type, '*', $1, detail, $1
     from (values ('alertRaised', '{"concern": "untoldEvents", "since": "2026-03-02T12:00:00Z"}'::jsonb),
       ('alertRaised', '{"concern": "overdueActions"}'), ('mailed', '{}')) as before (type, detail)`,
      [SINCE.toISO()],
    );

    await migratePlugin(database);

    const kept = [
      { concern: 'overdueActions', since: SINCE.toJSDate() },
      { concern: 'undeliveredEvents', since: SINCE.toJSDate() },
    ];
    expect(await listAlerts(database)).toEqual(kept);
    const waiting = [
      ['alertRaised', 'undeliveredEvents'],
      ['alertRaised', 'overdueActions'],
      ['mailed', null],
    ];
    expect(await listConcerns()).toEqual(waiting);
    const check = { channels: ['alert_mail'], overBefore: SINCE } as const;
    const concerns = kept.map(({ concern }) => concern);
    await keepAlerts(database, { ...check, concerns, now: SINCE.plus({ minutes: 5 }) });
    expect(await listAlerts(database)).toEqual(kept);
    expect(await listConcerns()).toEqual(waiting);
    await close();
  },
);

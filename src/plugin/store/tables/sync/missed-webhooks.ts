/** Missing webhooks: since when an account's events come from Stripe's list alone. One row of `cursors` each. */
import { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { findCursor, setCursor } from './cursors.ts';

const NAME = 'missed-webhooks';

export interface MissedWebhooks {
  readonly account: string;
  /** The first read with events that no webhook had brought; none has come since. */
  readonly since: DateTime;
  /** The latest such read. */
  readonly lastAt: DateTime;
  readonly events: number;
}

export async function listMissedWebhooks(db: Queryable): Promise<MissedWebhooks[]> {
  const rows = await db.query<{ account: string; value: string }>(
    `select account, value from payment_retry.cursors where name = $1 order by account`,
    [NAME],
  );
  return rows.map(({ account, value }) => parse(account, value));
}

/** Result of one read of an account's list. */
export interface Reading {
  readonly account: string;
  readonly at: DateTime;
  /** Events that a webhook should have brought. */
  readonly missed: number;
  /** Time of the latest listed event's webhook. */
  readonly lastWebhookAt: DateTime | undefined;
}

/** Safe to repeat: a second read finds nothing new. */
export async function noteReading(db: Queryable, { account, at, missed, lastWebhookAt }: Reading) {
  const kept = await findCursor(db, account, NAME);
  const before = kept === undefined ? undefined : parse(account, kept);
  const hasArrived = before !== undefined && lastWebhookAt !== undefined && lastWebhookAt > before.since;
  if (hasArrived)
    await db.query('delete from payment_retry.cursors where account = $1 and name = $2', [account, NAME]);
  if (missed === 0) return;
  const since = (hasArrived ? undefined : before?.since) ?? at;
  const events = missed + (hasArrived ? 0 : (before?.events ?? 0));
  await setCursor(db, { account, name: NAME, value: `${since.toISO()} ${at.toISO()} ${events}` }, at);
}

function parse(account: string, value: string): MissedWebhooks {
  const [since = '', lastAt = '', events] = value.split(' ');
  const instant = (iso: string) => DateTime.fromISO(iso, { zone: 'utc' });
  return { account, since: instant(since), lastAt: instant(lastAt), events: Number(events) };
}

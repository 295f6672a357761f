/** Missing webhooks: since when an account's events come from Stripe's list alone. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { keptValue, toInstant } from './cursors.ts';

interface Missed {
  /** The first read with events that no webhook had brought; none has come since. */
  readonly since: DateTime;
  /** The latest such read. */
  readonly lastAt: DateTime;
  readonly events: number;
}

export interface MissedWebhooks extends Missed {
  readonly account: string;
}

const kept = keptValue<Missed>(
  'missed-webhooks',
  ({ since, lastAt, events }) => `${since.toISO()} ${lastAt.toISO()} ${events}`,
  (text) => {
    const [since = '', lastAt = '', events] = text.split(' ');
    return { since: toInstant(since), lastAt: toInstant(lastAt), events: Number(events) };
  },
);

export async function listMissedWebhooks(db: Queryable): Promise<MissedWebhooks[]> {
  return (await kept.list(db)).map(({ account, value }) => ({ account, ...value }));
}

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
  const before = await kept.find(db, account);
  const hasArrived = before !== undefined && lastWebhookAt !== undefined && lastWebhookAt > before.since;
  if (hasArrived) await kept.forget(db, account);
  if (missed === 0) return;
  const since = (hasArrived ? undefined : before?.since) ?? at;
  const events = missed + (hasArrived ? 0 : (before?.events ?? 0));
  await kept.set(db, account, { since, lastAt: at, events }, at);
}

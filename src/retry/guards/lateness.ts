import { DateTime } from 'luxon';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { Objection } from './objection.ts';

/** What waited longer than an instruction may look ahead, in a pause or while nothing ran, was asked for another time. Pure. */
export function findLateness(
  { dueAt }: Pick<StoredAction, 'dueAt'>,
  now: DateTime,
  days: number,
): Pick<Objection, 'reason'> | undefined {
  const due = DateTime.fromJSDate(dueAt, { zone: 'utc' });
  if (due.plus({ days }) >= now) return undefined;
  return { reason: { code: 'past_horizon', dueAt: dueAt.toISOString(), days } };
}

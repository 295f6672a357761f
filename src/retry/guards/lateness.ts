import type { DateTime } from 'luxon';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { Guard } from '../actions/objection.ts';

/** What waited longer than an instruction may look ahead, in a pause or while nothing ran, was asked for another time. Pure. */
export const HORIZON: Guard<{
  readonly action: Pick<StoredAction, 'dueAt'>;
  readonly now: DateTime;
  readonly retryHorizonDays: number;
}> = {
  name: 'horizon',
  check: ({ action: { dueAt }, now, retryHorizonDays: days }) => {
    if (dueAt.plus({ days }) >= now) return undefined;
    return { reason: { code: 'past_horizon', dueAt: dueAt.toISO() ?? '', days } };
  },
};

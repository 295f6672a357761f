/** The jobs that events lead to. */
import { stableUuid } from '../../../core/base/stable-uuid.ts';
import type { Carried } from '../../../core/telemetry/spans.ts';
import type { EventApart, EventKey } from '../../store/tables/sync/events.ts';

/** Wakes whoever takes what waits in the account's inbox; one that waits already is enough. */
export function toInboxJob(account: string, trace: Carried = {}) {
  return { data: { account, ...trace }, key: account };
}

/**
 * Of an event that is set apart. The job's id follows from the event and its replays, so that enqueueing it twice makes one job. An event that has
 * waited for days outlived its job (one that the queue itself failed, its workers dying), and gets one more each day.
 */
export function toEventJob({ account, id, replays = 0, daysWaiting = 0 }: EventKey & Partial<EventApart>) {
  const turns = [replays > 0 ? [`${replays}`] : [], daysWaiting > 0 ? [`day ${daysWaiting}`] : []].flat();
  return { id: stableUuid([account, id, ...turns].join(' ')), data: { account, eventId: id } };
}

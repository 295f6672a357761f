import { stableUuid } from '../../../core/base/stable-uuid.ts';
import type { Carried } from '../../../core/telemetry/spans.ts';
import type { EventApart, EventKey } from '../../store/tables/sync/events.ts';

/** Wakes the workers of an account's inbox; one waiting job is enough. */
export function toInboxJob(account: string, trace: Carried = {}) {
  return { data: { account, ...trace }, key: account };
}

/**
 * Job of an event set apart. Its id is derived from the event and its replays, so that repeated enqueueing makes one job. An event that
 * has waited for days has lost its job, and gets another each day.
 */
export function toEventJob({ account, id, replays = 0, daysWaiting = 0 }: EventKey & Partial<EventApart>) {
  const turns = [replays > 0 ? [`${replays}`] : [], daysWaiting > 0 ? [`day ${daysWaiting}`] : []].flat();
  return { id: stableUuid([account, id, ...turns].join(' ')), data: { account, eventId: id } };
}

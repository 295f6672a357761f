/** Parsed events on their way from the receiver to the inbox of the same process, which reads the others from their rows. */
import { setTimeout } from 'node:timers';
import type { EventKey, NewEvent } from '../../store/tables/sync/events.ts';

/** Two batches of the inbox. */
const MOST_EVENTS = 500;
/** Hardly any event has more. */
const MOST_CHARACTERS = 16 * 1024;
/** Another process may have taken the account's events. */
const KEPT_MS = 10_000;

export type Handover = ReturnType<typeof createHandover>;

export function createHandover(keptMs = KEPT_MS) {
  const held = new Map<string, object>();
  let isClearing = false;
  return {
    give: ({ account, id, payload }: NewEvent, event: object): void => {
      if (!isClearing)
        setTimeout(() => {
          held.clear();
          isClearing = false;
        }, keptMs).unref();
      isClearing = true;
      const key = `${account} ${id}`;
      if (held.size < MOST_EVENTS && payload.length <= MOST_CHARACTERS && !held.has(key))
        held.set(key, event);
    },
    /** Once: an event whose processing failed is read again. */
    take: ({ account, id }: EventKey): object | undefined => {
      const event = held.get(`${account} ${id}`);
      held.delete(`${account} ${id}`);
      return event;
    },
  };
}

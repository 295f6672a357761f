/** What Stripe says of a rehearsal: by webhook where one comes, else by the list of events. */
import type Stripe from 'stripe';
import { inSlices } from '../../core/base/in-slices.ts';
import { EVENT_HANDLERS } from '../../plugin/sync/events/handlers.ts';
import type { Wait } from './rehearsal-clock.ts';
import type { WebhookListener } from './webhook-listener.ts';

export interface HeardEvents {
  /** Oldest first, each once in a rehearsal. */
  readonly events: readonly Stripe.Event[];
  /** How the one that was waited for came. */
  readonly by: 'webhook' | 'events_api';
}

export interface EventSource {
  /** Everything new about the rehearsal, once an event of this type is among it. Empty if Stripe has none. */
  hear(type: string): Promise<HeardEvents>;
}

export interface EventSourceDeps {
  readonly stripe: Stripe;
  /** Absent where nothing listens for webhooks. */
  readonly listener: Pick<WebhookListener, 'received'> | undefined;
  readonly wait: Wait;
  /** Whether an event is about the rehearsal. */
  readonly isOurs: (event: Stripe.Event) => boolean;
}

const WEBHOOK_WAIT_MS = 20_000;
const LOOK_EVERY_MS = 1_000;
/** The list of events may be a moment behind. */
const LIST_TRIES = 10;
const PAGE = 100;
const MOST_EVENTS = 2_000;
const TYPES_PER_LIST = 20;

export function createEventSource({ stripe, listener, wait, isOurs }: EventSourceDeps): EventSource {
  const received = new Set<string>();

  const byWebhook = async (type: string): Promise<boolean> => {
    if (listener === undefined) return false;
    const has = () => listener.received().some((event) => event.type === type && isNew(event));
    for (let waited = 0; waited < WEBHOOK_WAIT_MS && !has(); waited += LOOK_EVERY_MS)
      await wait(LOOK_EVERY_MS);
    return has();
  };
  const isNew = (event: Stripe.Event) => isOurs(event) && !received.has(event.id);

  return {
    hear: async (type) => {
      const by = (await byWebhook(type)) ? 'webhook' : 'events_api';
      for (let attempt = 0; attempt < LIST_TRIES; attempt += 1) {
        const events = (await listEvents(stripe)).filter(isNew);
        if (events.some((event) => event.type === type)) {
          for (const { id } of events) received.add(id);
          return { events, by };
        }
        await wait(LOOK_EVERY_MS);
      }
      return { events: [], by };
    },
  };
}

/** The newest of the types that are handled, oldest first. Not by time: of a test clock's events it may be either time. */
async function listEvents(stripe: Stripe): Promise<Stripe.Event[]> {
  const types = Object.keys(EVENT_HANDLERS);
  const found: Stripe.Event[] = [];
  for (const some of inSlices(types, TYPES_PER_LIST)) {
    const list = stripe.events.list({ types: some, limit: PAGE });
    found.push(...(await list.autoPagingToArray({ limit: MOST_EVENTS })).reverse());
  }
  return found.sort((one, other) => one.created - other.created);
}

/** Whether an event tells of an object that is known, or of what names one; that is known from then on. */
export function isAbout(event: Stripe.Event, known: Set<string>): boolean {
  const { object } = event.data;
  const text = JSON.stringify(object);
  const isOurs = [...known].some((id) => text.includes(id));
  if (isOurs && 'id' in object && typeof object.id === 'string') known.add(object.id);
  return isOurs;
}

/** What Stripe tells and shows of a story, in its normal form: after each step what is new. */
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { orUndefined } from '../../src/plugin/clients/stripe-refusals.ts';
import { isAbout } from '../../src/workbench/rehearse/event-source.ts';
import type { Wait } from '../../src/workbench/rehearse/rehearsal-clock.ts';
import { createNormalForm, readObject, type ShownObject, shown } from './normal-form.ts';

/** Once an event of this type has come, the events since the last time and the objects that are not as they were. */
export type Note = (until: string | undefined) => Promise<string[]>;

interface Account {
  readonly stripe: Stripe;
  readonly clockId: string;
  readonly start: DateTime;
  readonly wait: Wait;
}

/** The list of events may be a moment behind; what follows from a payment in test mode takes a few more. */
const TRIES = 20;
const TRY_AGAIN_MS = 1_000;
/** What the story is played on. */
const SCENERY: ReadonlySet<string> = new Set(['test_helpers.test_clock', 'product', 'price', 'plan']);

export function createNotes(account: Account): Note {
  const form = createNormalForm(Math.floor(account.start.toSeconds()));
  const hear = createHearing(account);
  const objects = new Map<string, ShownObject>();
  return async (until) => {
    const events = await hear(until);
    for (const { object } of events) objects.set(object.id, object);
    form.name([...objects.values()]);
    const told = events.map(({ type, object, previous }) => form.eventLine(type, object, previous));
    const isMissing = until !== undefined && !events.some(({ type }) => type === until);
    const changed: string[] = [];
    for (const object of objects.values()) {
      const now = await readNow(account.stripe, object);
      const line = now && form.stateLine(now);
      if (line !== undefined) changed.push(line);
    }
    return [...told.sort(), ...(isMissing ? [`none   ${until}`] : []), ...changed.sort()];
  };
}

interface Told {
  readonly id: string;
  readonly type: string;
  readonly object: ShownObject;
  readonly previous: object;
}

/** Events of the story that were not heard of before, once one of the type is among them and no more come. */
function createHearing({ stripe, clockId, start, wait }: Account) {
  const known = new Set([clockId]);
  const heard = new Set<string>();
  const listNew = async (): Promise<Told[]> => {
    const created = { gte: Math.floor(start.toSeconds()) };
    const all = await stripe.events.list({ created, limit: 100 }).autoPagingToArray({ limit: 10_000 });
    // What is listed before the object that makes it ours is found at the next look.
    for (let size = 0; size < known.size; ) {
      size = known.size;
      for (const event of all) isAbout(event, known);
    }
    return all
      .filter((event) => !heard.has(event.id) && isAbout(event, known))
      .map(({ id, type, data }) => {
        const object = shown(data.object);
        return { id, type, object, previous: data.previous_attributes ?? {} };
      })
      .filter(({ object }) => !SCENERY.has(object.object));
  };
  return async (until: string | undefined): Promise<Told[]> => {
    let events: Told[] = [];
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      await wait(TRY_AGAIN_MS);
      const count = events.length;
      events = await listNew();
      const hasCome = until === undefined || events.some(({ type }) => type === until);
      if (hasCome && events.length === count) break;
    }
    for (const { id } of events) heard.add(id);
    return events;
  };
}

/** Undefined for kinds whose state is not shown. */
async function readNow(stripe: Stripe, object: ShownObject): Promise<ShownObject | undefined> {
  const reading = readObject(stripe, object);
  return reading && ((await orUndefined(() => reading)) ?? { ...object, isGone: true });
}

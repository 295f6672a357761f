/** Thin events: the same changes without the object, and some that have a name of their own (stripe-facts 1.10). */
import type Stripe from 'stripe';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { type Fields, fieldsOf } from '../objects/fields.ts';
import type { Event, OnTheWire } from '../objects/wire.ts';

export type ThinEvent = OnTheWire<Omit<Stripe.V2.Core.EventBase, 'changes'>> & {
  changes?: Record<string, unknown>;
  /** Data of an event of API v2. */
  data?: object;
  related_object: OnTheWire<Stripe.V2.Core.Events.RelatedObject> | null;
};

/** Thin events of a snapshot event, as `GET /v2/core/events/:id` shows them. They are not stored: their ids name their event. */
export function thinEventsOf(event: Event): ThinEvent[] {
  if (isNative(event)) return [nativeEvent(event)];
  const { object, previous_attributes: previous } = event.data;
  const { id, object: type } = fieldsOf(object);
  const path = PATHS[String(type)] ?? `${String(type).replace('.', '/')}s`;
  const related =
    id === undefined ? null : { id: String(id), type: String(type), url: `/v1/${path}/${String(id)}` };
  return [event.type, ...finerTypes(event)].map((name, index) => ({
    id: `${event.id}${THIN}${index}`,
    object: 'v2.core.event',
    ...(event.account === undefined ? {} : { context: event.account }),
    ...(previous === undefined ? {} : { changes: changesOf(object, previous) }),
    created: fromUnixSeconds(event.created).toISO(),
    livemode: event.livemode,
    ...reasonOf(event),
    related_object: related,
    snapshot_event: event.id,
    type: `v1.${name}`,
  }));
}

/** An event of API v2 has no snapshot. */
export const isNative = ({ type }: Pick<Event, 'type'>): boolean => type.startsWith('v2.');

function nativeEvent(event: Event): ThinEvent {
  const { object: _, ...data } = event.data.object;
  return {
    id: `${event.id}${THIN}0`,
    object: 'v2.core.event',
    ...(event.account === undefined ? {} : { context: event.account }),
    created: fromUnixSeconds(event.created).toISO(),
    livemode: event.livemode,
    data,
    related_object: null,
    type: event.type,
  };
}

/** The id of a thin event's snapshot event. */
export function snapshotOfThin(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf(THIN)));
}

/** The delivered notification: the change is left to be read. */
export function notificationOf({
  changes: _,
  snapshot_event: __,
  data: ___,
  ...rest
}: ThinEvent): Omit<ThinEvent, 'changes' | 'data'> {
  return rest;
}

const THIN = 'thin';

/** Where an object of a kind is read, if not at the plural of its name. */
const PATHS: Readonly<Record<string, string>> = {
  dispute: 'disputes',
  'billing_portal.session': 'billing_portal/sessions',
  'radar.early_fraud_warning': 'radar/early_fraud_warnings',
  'test_helpers.test_clock': 'test_helpers/test_clocks',
};

/** What a change of a subscription is called besides `updated`. */
function finerTypes({ type, data }: Event): string[] {
  const { previous_attributes: previous = {}, object } = data;
  if (type !== 'customer.subscription.updated') return [];
  const { status } = fieldsOf(object);
  const names: Record<string, unknown> = {
    [String(status)]: OWN_EVENTS.has(String(status)) ? undefined : previous.status,
    default_payment_method_changed: previous.default_payment_method,
    cancel_at_changed: previous.cancel_at,
    ...itemChanges(fieldsOf(object).items, previous.items),
  };
  const changed = Object.keys(names).filter((name) => names[name] !== undefined);
  return changed.map((name) => `customer.subscription.${name}`);
}

/** These have a snapshot event, too. */
const OWN_EVENTS: ReadonlySet<string> = new Set(['paused', 'canceled']);

function itemChanges(now: unknown, before: unknown): Record<string, unknown> {
  if (before === undefined) return {};
  const [items, old] = [itemsOf(now), itemsOf(before)];
  const has = (list: readonly Fields[], id: unknown) => list.find((item) => item.id === id);
  const isChanged = (field: string) =>
    items.some((item) => {
      const same = has(old, item.id);
      return same !== undefined && JSON.stringify(same[field]) !== JSON.stringify(item[field]);
    });
  return {
    item_price_changed: isChanged('price') || undefined,
    item_quantity_changed: isChanged('quantity') || undefined,
    item_added: items.some(({ id }) => !has(old, id)) || undefined,
    item_removed: old.some(({ id }) => !has(items, id)) || undefined,
  };
}

function itemsOf(list: unknown): Fields[] {
  const { data } = fieldsOf(list);
  return Array.isArray(data) ? data.map(fieldsOf) : [];
}

function changesOf(object: object, before: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const now = fieldsOf(object);
  return { before, after: Object.fromEntries(Object.keys(before).map((field) => [field, now[field]])) };
}

function reasonOf({ request }: Event): Pick<ThinEvent, 'reason'> {
  if (request?.id == null) return {};
  return {
    reason: {
      type: 'request',
      request: { id: request.id, idempotency_key: request.idempotency_key ?? '' },
    },
  };
}

/** API v2, which speaks JSON: events, and where they go (stripe-facts 1.10). */

import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { z } from 'zod';
import { toIso } from '../../../core/base/clock.ts';
import { invalidParameter, resourceMissing } from '../api-error.ts';
import { formInteger, given, none, text } from '../form-parameters.ts';
import type { Event } from '../objects/wire.ts';
import type { EventDestination, World } from '../sandbox-world.ts';
import { matchesEventType } from '../webhooks/event-targets.ts';
import { assertVersion } from '../webhooks/older-versions.ts';
import { snapshotOfThin, type ThinEvent, thinEventsOf } from '../webhooks/thin-events.ts';
import { type Route, resource, route } from './route.ts';

const EVENTS = '/v2/core/events';
const DESTINATIONS = '/v2/core/event_destinations';
const SECRET = 'webhook_endpoint.signing_secret';
const URL = 'webhook_endpoint.url';

/** ISO 8601; the library's declarations have unix seconds. */
const time = z
  .union([
    formInteger.transform((seconds) => seconds * 1000),
    z.iso.datetime({ offset: true }).transform((iso) => DateTime.fromISO(iso).toMillis()),
  ])
  .optional();
const page = { limit: z.coerce.number().int().min(1).max(100).default(20), page: text };
const eventList = z.strictObject({
  ...page,
  object_id: text,
  types: z.array(z.string()).max(20).optional(),
  created: z.strictObject({ gt: time, gte: time, lt: time, lte: time }).optional(),
});
const include = z.array(z.enum([SECRET, URL])).default([]);
const place = z.strictObject({ url: z.string() });
const changes = z.strictObject({
  description: text,
  enabled_events: z.array(z.string()).min(1).optional(),
  include,
  metadata: z.record(z.string(), z.string()).optional(),
  name: text,
  webhook_endpoint: place.optional(),
});
const created = changes.extend({
  enabled_events: z.array(z.string()).min(1),
  event_payload: z.enum(['thin', 'snapshot']),
  events_from: z.array(z.enum(['@self', '@accounts'])).default(['@self']),
  name: z.string(),
  snapshot_api_version: text,
  type: z.literal('webhook_endpoint'),
  webhook_endpoint: place,
});

const destinations = resource(DESTINATIONS, 'event destination', (world) => world.destinations);

export const EVENT_DESTINATION_ROUTES: readonly Route[] = [
  route('get', EVENTS, eventList, listEvents),
  route('get', `${EVENTS}/:id`, none, findThinEvent),
  route('post', DESTINATIONS, created, (world, _id, params) =>
    show(addDestination(world, params), params.include),
  ),
  route('get', DESTINATIONS, z.strictObject({ ...page, include }), (world, _id, params) =>
    toPage(
      [...world.destinations.newestFirst()].map((one) => show(one, params.include)),
      params,
      DESTINATIONS,
    ),
  ),
  route('get', `${DESTINATIONS}/:id`, z.strictObject({ include }), (world, id, params) =>
    show(destinations.get(world, id), params.include),
  ),
  destinations.act('', changes, (world, destination, { webhook_endpoint: at, include: shown, ...fields }) => {
    Object.assign(destination, given(fields), { updated: isoNow(world) });
    Object.assign(destination.webhook_endpoint, at);
    return show(destination, shown);
  }),
  ...(['enable', 'disable'] as const).map((verb) =>
    destinations.act(`/${verb}`, none, (world, destination) =>
      show(Object.assign(destination, { status: `${verb}d`, updated: isoNow(world) })),
    ),
  ),
  destinations.delete(none, (world, { id }) => {
    world.destinations.remove(id);
    return { id, object: 'v2.core.event_destination' };
  }),
];

function addDestination(
  world: World,
  { include: _, webhook_endpoint: at, snapshot_api_version: version, ...input }: z.output<typeof created>,
): EventDestination {
  const isThin = input.event_payload === 'thin';
  if (isThin && version !== undefined)
    throw invalidParameter('Thin events have no API version.', { param: 'snapshot_api_version' });
  if (version !== undefined) assertVersion(version, 'snapshot_api_version');
  const id = world.ids.next('ed');
  return world.destinations.add({
    ...input,
    description: input.description ?? '',
    metadata: input.metadata ?? {},
    id,
    object: 'v2.core.event_destination',
    created: isoNow(world),
    livemode: false,
    ...(isThin ? {} : { snapshot_api_version: version ?? Stripe.API_VERSION }),
    status: 'enabled',
    updated: isoNow(world),
    webhook_endpoint: { ...at, signing_secret: `whsec_sandbox_${id}` },
  });
}

/** The secret is shown by the call that makes it, and there only when it is asked for. */
function show(
  { webhook_endpoint: at, ...destination }: EventDestination,
  shown: readonly string[] = [],
): { id: string; webhook_endpoint: { signing_secret?: string; url?: string } } {
  const endpoint = {
    ...(shown.includes(SECRET) ? { signing_secret: at.signing_secret } : {}),
    ...(shown.includes(URL) ? { url: at.url } : {}),
  };
  return { ...destination, webhook_endpoint: endpoint };
}

function findThinEvent(world: World, id: string): ThinEvent {
  const event = world.events.get(snapshotOfThin(id));
  const found = event && thinEventsOf(event).find((thin) => thin.id === id);
  if (found === undefined) throw resourceMissing('event', id);
  return found;
}

function listEvents(world: World, _id: string, params: z.output<typeof eventList>): object {
  const oldest = world.clock.now().minus({ days: 30 }).toMillis();
  const { gt = -Infinity, gte = oldest, lt = Infinity, lte = Infinity } = params.created ?? {};
  const isWanted = ({ created: seconds }: Event) => {
    const at = seconds * 1000;
    return at > gt && at >= Math.max(gte, oldest) && at < lt && at <= lte;
  };
  const events = [...world.events.newestFirst()]
    .filter(isWanted)
    .flatMap(thinEventsOf)
    .filter(({ related_object: about }) => params.object_id === undefined || about?.id === params.object_id)
    .filter(({ type }) => params.types?.some((pattern) => matchesEventType(type, pattern)) ?? true);
  return toPage(events, params, EVENTS);
}

/** Lists from the entry that `page` names. */
function toPage(
  all: readonly { id: string }[],
  { limit, page: from, ...filters }: { limit: number; page?: string | undefined },
  path: string,
): object {
  const start = from === undefined ? 0 : all.findIndex(({ id }) => id === from);
  if (start < 0) throw invalidParameter('The page token is invalid.', { param: 'page' });
  const next = all[start + limit];
  const query = new URLSearchParams({ limit: String(limit), page: next?.id ?? '' });
  for (const [name, value] of queryOf(filters)) query.append(name, value);
  return {
    data: all.slice(start, start + limit),
    next_page_url: next === undefined ? null : `${path}?${query.toString()}`,
    previous_page_url: null,
  };
}

/** The filters again, as they came. */
function queryOf(filters: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(filters).flatMap(([name, value]) => {
    if (Array.isArray(value))
      return value.map((one, index): [string, string] => [`${name}[${index}]`, String(one)]);
    if (typeof value !== 'object' || value === null)
      return value === undefined ? [] : [[name, String(value)] as [string, string]];
    return Object.entries(value)
      .filter(([, at]) => typeof at === 'number')
      .map(([bound, at]): [string, string] => [`${name}[${bound}]`, toIso(DateTime.fromMillis(Number(at)))]);
  });
}

function isoNow(world: World): string {
  return world.clock.now().toISO();
}

import { Duration } from 'luxon';
import { z } from 'zod';
import { invalidParameter } from '../api-error.ts';
import { created, flag, given, isWithin, metadata, none, PAGE_PARAMETERS, text } from '../form-parameters.ts';
import type { Event, WebhookEndpoint } from '../objects/wire.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { matchesEventType, type WebhookSecrets } from '../webhooks/event-targets.ts';
import { assertVersion } from '../webhooks/older-versions.ts';
import { isNative } from '../webhooks/thin-events.ts';
import { listPage, type Route, resource, route } from './route.ts';

/** How far back the list of events reaches (stripe-facts 1.9). */
const RETENTION = Duration.fromObject({ days: 30 });
const MAX_TYPES = 20;

const eventListFields = z.strictObject({
  ...PAGE_PARAMETERS,
  type: text,
  types: z.array(z.string()).max(MAX_TYPES).optional(),
  created,
  delivery_success: flag,
});
const endpointFields = z.strictObject({
  url: z.string(),
  enabled_events: z.array(z.string()).min(1),
  api_version: text,
  description: text,
  /** True for events of connected accounts instead of our own. */
  connect: flag,
  metadata,
});
const endpointChanges = z.strictObject({
  url: text,
  enabled_events: z.array(z.string()).min(1).optional(),
  disabled: flag,
  description: text,
  metadata,
});

const events = resource('/v1/events', 'event', (world) => world.events);
const endpoints = resource('/v1/webhook_endpoints', 'webhook endpoint', (world) => world.webhookEndpoints);

/** The secret of every endpoint of a kind is the same, and shown on creation only. */
export function eventRoutes(secrets: WebhookSecrets): readonly Route[] {
  return [
    route('get', '/v1/events', eventListFields, (world, _id, params) => {
      if (params.type !== undefined && params.types !== undefined) {
        throw invalidParameter('You may pass only one of type and types.', { param: 'types' });
      }
      const { type: key = '*' } = params;
      return listPage(world.events, params, {
        url: '/v1/events',
        within: key.includes('*') ? undefined : { index: 'type', key },
        matches: eventFilter(world, params),
      });
    }),
    events.retrieve,
    route('post', '/v1/webhook_endpoints', endpointFields, (world, _id, params) => ({
      ...addWebhookEndpoint(world, params),
      secret: params.connect ? secrets.connect : secrets.own,
    })),
    endpoints.list(),
    endpoints.retrieve,
    endpoints.act('', endpointChanges, (_world, endpoint, { disabled, metadata: added, ...fields }) =>
      Object.assign(endpoint, given(fields), {
        metadata: { ...endpoint.metadata, ...added },
        ...(disabled !== undefined && { status: disabled ? 'disabled' : 'enabled' }),
      }),
    ),
    endpoints.delete(none, (world, { id }) => {
      world.webhookEndpoints.remove(id);
      return { id, object: 'webhook_endpoint', deleted: true };
    }),
  ];
}

export function addWebhookEndpoint(world: World, input: z.output<typeof endpointFields>): WebhookEndpoint {
  if (input.api_version !== undefined) assertVersion(input.api_version, 'api_version');
  const endpoint = world.webhookEndpoints.add({
    id: world.ids.next('we'),
    object: 'webhook_endpoint',
    api_version: input.api_version ?? null,
    application: null,
    created: unixNow(world),
    description: input.description ?? null,
    enabled_events: input.enabled_events,
    livemode: false,
    metadata: input.metadata ?? {},
    status: 'enabled',
    url: input.url,
  });
  if (input.connect) world.connectEndpoints.add(endpoint.id);
  return endpoint;
}

function eventFilter(world: World, params: z.output<typeof eventListFields>): (event: Event) => boolean {
  const oldest = Math.floor(world.clock.now().minus(RETENTION).toSeconds());
  const patterns = params.types ?? (params.type === undefined ? ['*'] : [params.type]);
  return (event) =>
    !isNative(event) &&
    event.created >= oldest &&
    patterns.some((pattern) => matchesEventType(event.type, pattern)) &&
    isWithin(event.created, params.created) &&
    (params.delivery_success === undefined || params.delivery_success === !world.undelivered.has(event.id));
}

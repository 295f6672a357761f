import { Duration } from 'luxon';
import { z } from 'zod';
import { invalidParameter, retrieve } from '../api-error.ts';
import type { Event, WebhookEndpoint } from '../objects/wire.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { matchesEventType, type WebhookSecrets } from '../webhooks/event-targets.ts';
import { assertVersion } from '../webhooks/older-versions.ts';
import { isNative } from '../webhooks/thin-events.ts';
import {
  formBoolean,
  formMetadata,
  formTimeFilter,
  isWithin,
  PAGE_PARAMETERS,
  type TimeFilter,
} from './form-parameters.ts';
import { firstGiven, listPage, type Route, route } from './route.ts';

/** How far back the list of events reaches (stripe-facts 1.9). */
const RETENTION = Duration.fromObject({ days: 30 });
const MAX_TYPES = 20;

const none = z.strictObject({});
const eventListFields = z.strictObject({
  ...PAGE_PARAMETERS,
  type: z.string().optional(),
  types: z.array(z.string()).max(MAX_TYPES).optional(),
  created: formTimeFilter.optional(),
  delivery_success: formBoolean.optional(),
});
const endpointFields = z.strictObject({
  url: z.string(),
  enabled_events: z.array(z.string()).min(1),
  api_version: z.string().optional(),
  description: z.string().optional(),
  connect: formBoolean.optional(),
  metadata: formMetadata.optional(),
});
const endpointChanges = z.strictObject({
  url: z.string().optional(),
  enabled_events: z.array(z.string()).min(1).optional(),
  disabled: formBoolean.optional(),
  description: z.string().optional(),
  metadata: formMetadata.optional(),
});

/** The secret of every endpoint of a kind is the same, and shown on creation only. */
export function eventRoutes(secrets: WebhookSecrets): readonly Route[] {
  return [
    route('get', '/v1/events', eventListFields, (world, _id, params) => {
      if (params.type !== undefined && params.types !== undefined) {
        throw invalidParameter('You may pass only one of type and types.', { param: 'types' });
      }
      const isWanted = eventFilter(world, params);
      return listPage(world.events, params, {
        url: '/v1/events',
        within: firstGiven({ type: params.type?.includes('*') ? undefined : params.type }),
        matches: isWanted,
      });
    }),
    route('get', '/v1/events/:id', none, getEvent),
    route('post', '/v1/webhook_endpoints', endpointFields, (world, _id, params) => ({
      ...addWebhookEndpoint(world, params),
      secret: params.connect ? secrets.connect : secrets.own,
    })),
    route('get', '/v1/webhook_endpoints', z.strictObject(PAGE_PARAMETERS), (world, _id, params) =>
      listPage(world.webhookEndpoints, params, { url: '/v1/webhook_endpoints' }),
    ),
    route('get', '/v1/webhook_endpoints/:id', none, getEndpoint),
    route('post', '/v1/webhook_endpoints/:id', endpointChanges, (world, id, params) =>
      changeEndpoint(getEndpoint(world, id), params),
    ),
    route('delete', '/v1/webhook_endpoints/:id', none, (world, id) => {
      world.webhookEndpoints.remove(getEndpoint(world, id).id);
      return { id, object: 'webhook_endpoint', deleted: true };
    }),
  ];
}

export interface EndpointInput {
  url: string;
  enabled_events: string[];
  api_version?: string | undefined;
  description?: string | undefined;
  metadata?: Record<string, string> | undefined;
  /** For the events of connected accounts instead of our own. */
  connect?: boolean | undefined;
}

export function addWebhookEndpoint(world: World, input: EndpointInput): WebhookEndpoint {
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

interface EventFilter {
  type?: string | undefined;
  types?: string[] | undefined;
  created?: TimeFilter | undefined;
  delivery_success?: boolean | undefined;
}

function eventFilter(world: World, params: EventFilter): (event: Event) => boolean {
  const oldest = Math.floor(world.clock.now().minus(RETENTION).toSeconds());
  const patterns = params.types ?? (params.type === undefined ? ['*'] : [params.type]);
  return (event) =>
    !isNative(event) &&
    event.created >= oldest &&
    patterns.some((pattern) => matchesEventType(event.type, pattern)) &&
    isWithin(event.created, params.created) &&
    (params.delivery_success === undefined || params.delivery_success === !world.undelivered.has(event.id));
}

function getEvent(world: World, id: string): Event {
  return retrieve(world.events, 'event', id);
}

function getEndpoint(world: World, id: string): WebhookEndpoint {
  return retrieve(world.webhookEndpoints, 'webhook endpoint', id);
}

function changeEndpoint(
  endpoint: WebhookEndpoint,
  changes: z.output<typeof endpointChanges>,
): WebhookEndpoint {
  endpoint.url = changes.url ?? endpoint.url;
  endpoint.enabled_events = changes.enabled_events ?? endpoint.enabled_events;
  endpoint.description = changes.description ?? endpoint.description;
  endpoint.metadata = { ...endpoint.metadata, ...changes.metadata };
  if (changes.disabled !== undefined) endpoint.status = changes.disabled ? 'disabled' : 'enabled';
  return endpoint;
}

/** Who gets an event, and in which form: webhook endpoints snapshots, event destinations either (stripe-facts 1.5, 1.10). */
import Stripe from 'stripe';
import type { Event } from '../objects/wire.ts';
import type { EventDestination, World } from '../sandbox-world.ts';
import { renderEvent } from './older-versions.ts';
import { isNative, notificationOf, thinEventsOf } from './thin-events.ts';

export interface EventTarget {
  readonly url: string;
  readonly secret: string;
  readonly body: { readonly id: string; readonly type: string };
  /** A deleted or disabled one gets nothing more. */
  readonly isListening: () => boolean;
}

export interface WebhookSecrets {
  readonly own: string;
  readonly connect: string;
}

export function targetsOf(world: World, event: Event, secrets: WebhookSecrets): EventTarget[] {
  const targets: EventTarget[] = [];
  const secret = world.isConnected ? secrets.connect : secrets.own;
  for (const endpoint of isNative(event) ? [] : world.webhookEndpoints.newestFirst()) {
    const isListening = () => world.webhookEndpoints.get(endpoint.id)?.status === 'enabled';
    // An endpoint gets either our own account's events or those of connected ones.
    const isOfThese = world.connectEndpoints.has(endpoint.id) === world.isConnected;
    if (!isOfThese || !isListening() || !isEnabled(endpoint.enabled_events, event.type)) continue;
    const body = inVersion(world, event, endpoint.api_version);
    targets.push({ url: endpoint.url, secret, isListening, body });
  }
  for (const destination of world.destinations.newestFirst())
    targets.push(...targetsAt(world, event, destination));
  return targets;
}

function targetsAt(world: World, event: Event, destination: EventDestination): EventTarget[] {
  const { id, enabled_events: enabled, events_from: from = [], webhook_endpoint: at } = destination;
  const isListening = () => world.destinations.get(id)?.status === 'enabled';
  if (!from.includes(world.isConnected ? '@accounts' : '@self') || !isListening()) return [];
  const bodies =
    destination.event_payload === 'thin'
      ? thinEventsOf(event).map(notificationOf)
      : isNative(event)
        ? []
        : [inVersion(world, event, destination.snapshot_api_version)];
  return bodies
    .filter(({ type }) => isEnabled(enabled, type))
    .map((body) => ({ url: at.url, secret: at.signing_secret, isListening, body }));
}

function inVersion(world: World, event: Event, version: string | null | undefined): Event {
  return version == null || version === Stripe.API_VERSION ? event : renderEvent(world, event, version);
}

function isEnabled(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => matchesEventType(type, pattern));
}

/** `*` matches the rest of a name. */
export function matchesEventType(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}

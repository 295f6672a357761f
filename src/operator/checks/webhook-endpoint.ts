/** Our webhook endpoint at Stripe: made, fixed, removed. */
import Stripe from 'stripe';
import { publicAddress } from '../../http/own-paths.ts';
import { EVENT_HANDLERS } from '../../sync/events/handlers.ts';

export interface EndpointPlan {
  readonly url: string;
  /** For the events of connected accounts instead of our own. */
  readonly isForConnect: boolean;
}

export type EndpointFault = 'disabled' | 'events' | 'version';

export interface FoundEndpoint {
  readonly id: string;
  readonly faults: readonly EndpointFault[];
  /** Types that we handle and it does not send. */
  readonly missing: readonly string[];
}

export const HANDLED_EVENTS: readonly string[] = Object.keys(EVENT_HANDLERS).sort();
/** By this we know which of two endpoints with one address is which; Stripe does not show whether one is for Connect. */
const MARK = 'payment_retry';

export function listPlans(publicUrl: URL, hasConnectedAccounts: boolean): EndpointPlan[] {
  const { href: url } = publicAddress(publicUrl, 'webhooks/stripe');
  const own: EndpointPlan = { url, isForConnect: false };
  return hasConnectedAccounts ? [own, { url, isForConnect: true }] : [own];
}

/** Those with our address. */
export async function findEndpoints(stripe: Stripe, plan: EndpointPlan): Promise<FoundEndpoint[]> {
  const all = await stripe.webhookEndpoints.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 });
  return all
    .filter(({ url, metadata }) => isSameUrl(url, plan.url) && isOfPlan(metadata, plan))
    .map((endpoint) => ({ id: endpoint.id, ...inspect(endpoint) }));
}

function isOfPlan(metadata: Stripe.Metadata, { isForConnect }: EndpointPlan): boolean {
  return (metadata[MARK] ?? 'own') === markOf({ isForConnect });
}

function markOf({ isForConnect }: Pick<EndpointPlan, 'isForConnect'>): string {
  return isForConnect ? 'connect' : 'own';
}

function inspect(endpoint: Stripe.WebhookEndpoint): Pick<FoundEndpoint, 'faults' | 'missing'> {
  const { enabled_events: enabled, api_version: version, status } = endpoint;
  const missing = enabled.includes('*') ? [] : HANDLED_EVENTS.filter((type) => !enabled.includes(type));
  const faults: EndpointFault[] = [
    ...(status === 'enabled' ? [] : ['disabled' as const]),
    ...(missing.length > 0 ? ['events' as const] : []),
    ...(version === Stripe.API_VERSION ? [] : ['version' as const]),
  ];
  return { faults, missing };
}

/** Stripe shows the secret this once. */
export async function makeEndpoint(
  stripe: Stripe,
  plan: EndpointPlan,
): Promise<{ id: string; secret: string }> {
  const { id, secret } = await stripe.webhookEndpoints.create({
    url: plan.url,
    api_version: Stripe.API_VERSION as Stripe.WebhookEndpointCreateParams['api_version'] & string,
    enabled_events: [...HANDLED_EVENTS] as Stripe.WebhookEndpointCreateParams['enabled_events'],
    description: 'Payment Retry',
    metadata: { [MARK]: markOf(plan) },
    ...(plan.isForConnect ? { connect: true } : {}),
  });
  return { id, secret: secret ?? '' };
}

/** All but the version, which Stripe lets nobody change. */
export async function mendEndpoint(stripe: Stripe, id: string): Promise<void> {
  await stripe.webhookEndpoints.update(id, {
    enabled_events: [...HANDLED_EVENTS] as Stripe.WebhookEndpointUpdateParams['enabled_events'] & string[],
    disabled: false,
  });
}

export async function removeEndpoint(stripe: Stripe, id: string): Promise<void> {
  await stripe.webhookEndpoints.del(id);
}

function isSameUrl(one: string, other: string): boolean {
  return new URL(one).href === new URL(other).href;
}

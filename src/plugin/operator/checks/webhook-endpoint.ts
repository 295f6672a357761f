/** Our webhook endpoint at Stripe, or for thin events our event destination (stripe-facts 1.10): made, fixed, removed. */
import Stripe from 'stripe';
import { publicAddress } from '../../settings/own-paths.ts';
import type { EventForm } from '../../store/tables/sync/event-form.ts';
import { EVENT_HANDLERS, NATIVE_HANDLERS, THIN_TYPES } from '../../sync/events/handlers.ts';

export interface EndpointPlan {
  readonly form: EventForm;
  readonly url: string;
  /** True for events of connected accounts instead of our own. */
  readonly isForConnect: boolean;
}

const ALL_FAULTS = ['disabled', 'events', 'version', 'accounts'] as const;
export type EndpointFault = (typeof ALL_FAULTS)[number];

/** What no change of it mends. */
export const isToReplace = ({ faults }: FoundEndpoint) =>
  faults.includes('version') || faults.includes('accounts');

export interface FoundEndpoint {
  readonly id: string;
  readonly faults: readonly EndpointFault[];
  /** Types that we handle and it does not send. */
  readonly missing: readonly string[];
}

export const HANDLED_EVENTS: readonly string[] = Object.keys(EVENT_HANDLERS).sort();
/** Marks our endpoints, to tell two with one address apart; Stripe does not show whether one is for Connect. */
const MARK = 'payment_retry';

/** Plans of endpoints; one for thin events sends those of connected accounts, too. */
export function listPlans(
  publicUrl: URL,
  { hasConnectedAccounts, form }: { hasConnectedAccounts: boolean; form: EventForm },
): EndpointPlan[] {
  const { href: url } = publicAddress(publicUrl, 'webhooks/stripe');
  const own: EndpointPlan = { form, url, isForConnect: false };
  if (form === 'thin') return [{ ...own, isForConnect: hasConnectedAccounts }];
  return hasConnectedAccounts ? [own, { ...own, isForConnect: true }] : [own];
}

/** Returns the form that reaches our address: thin if only an event destination sends there. */
export async function findForm(stripe: Stripe, publicUrl: URL): Promise<EventForm> {
  for (const form of ['snapshot', 'thin'] as const)
    for (const plan of listPlans(publicUrl, { hasConnectedAccounts: false, form }))
      if ((await ENDPOINTS[form].find(stripe, plan)).length > 0) return form;
  return 'snapshot';
}

interface EndpointKind {
  find(stripe: Stripe, plan: EndpointPlan): Promise<FoundEndpoint[]>;
  /** Stripe shows the secret this once. */
  make(stripe: Stripe, plan: EndpointPlan): Promise<{ id: string; secret: string }>;
  /** All but the version and the accounts, which Stripe lets nobody change. */
  mend(stripe: Stripe, id: string): Promise<unknown>;
  remove(stripe: Stripe, id: string): Promise<unknown>;
}

export const ENDPOINTS: Readonly<Record<EventForm, EndpointKind>> = {
  snapshot: {
    find: async (stripe, plan) => {
      const all = await stripe.webhookEndpoints.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 });
      return all
        .filter(({ url, metadata }) => isSameUrl(url, plan.url) && (metadata[MARK] ?? 'own') === markOf(plan))
        .map(({ id, status, enabled_events: enabled, api_version }) => {
          const missing = listMissing(HANDLED_EVENTS, enabled);
          const version = api_version === Stripe.API_VERSION;
          return { id, missing, faults: listFaults({ status, missing, version }) };
        });
    },
    make: async (stripe, plan) => {
      const { id, secret } = await stripe.webhookEndpoints.create({
        url: plan.url,
        api_version: Stripe.API_VERSION as Stripe.WebhookEndpointCreateParams['api_version'] & string,
        enabled_events: [...HANDLED_EVENTS] as Stripe.WebhookEndpointCreateParams['enabled_events'],
        description: 'Payment Retry',
        metadata: { [MARK]: markOf(plan) },
        ...(plan.isForConnect ? { connect: true } : {}),
      });
      return { id, secret: secret ?? '' };
    },
    mend: (stripe, id) =>
      stripe.webhookEndpoints.update(id, {
        enabled_events: [...HANDLED_EVENTS] as Stripe.WebhookEndpointUpdateParams['enabled_events'] &
          string[],
        disabled: false,
      }),
    remove: (stripe, id) => stripe.webhookEndpoints.del(id),
  },
  thin: {
    find: async (stripe, plan) => {
      const list = stripe.v2.core.eventDestinations.list({ limit: 100, include: ['webhook_endpoint.url'] });
      const found: FoundEndpoint[] = [];
      for await (const { id, status, enabled_events: enabled, event_payload, ...rest } of list) {
        const url = rest.webhook_endpoint?.url;
        if (event_payload !== 'thin' || typeof url !== 'string' || !isSameUrl(url, plan.url)) continue;
        // One that a person made for the retry signal alone (docs/how-to/retry-signal.md).
        if (enabled.every((type) => Object.hasOwn(NATIVE_HANDLERS, type))) continue;
        const missing = listMissing(THIN_TYPES, enabled);
        const accounts = accountsOf(plan).every((from) => rest.events_from?.includes(from));
        found.push({ id, missing, faults: listFaults({ status, missing, accounts }) });
      }
      return found;
    },
    make: async (stripe, plan) => {
      const { id, webhook_endpoint: at } = await stripe.v2.core.eventDestinations.create({
        name: 'Payment Retry',
        type: 'webhook_endpoint',
        event_payload: 'thin',
        enabled_events: [...THIN_TYPES],
        events_from: accountsOf(plan),
        webhook_endpoint: { url: plan.url },
        include: ['webhook_endpoint.signing_secret'],
        metadata: { [MARK]: 'own' },
      });
      return { id, secret: at?.signing_secret ?? '' };
    },
    mend: async (stripe, id) => {
      await stripe.v2.core.eventDestinations.update(id, { enabled_events: [...THIN_TYPES] });
      await stripe.v2.core.eventDestinations.enable(id);
    },
    remove: (stripe, id) => stripe.v2.core.eventDestinations.del(id),
  },
};

const listMissing = (wanted: readonly string[], enabled: readonly string[]) =>
  enabled.includes('*') ? [] : wanted.filter((type) => !enabled.includes(type));

function listFaults(seen: {
  readonly status: string;
  readonly missing: readonly string[];
  /** Whether it is right in what nobody can change. */
  readonly version?: boolean;
  readonly accounts?: boolean;
}): EndpointFault[] {
  const { status, missing, version = true, accounts = true } = seen;
  const fits = { disabled: status === 'enabled', events: missing.length === 0, version, accounts };
  return ALL_FAULTS.filter((fault) => !fits[fault]);
}

function accountsOf({ isForConnect }: EndpointPlan): string[] {
  return isForConnect ? ['@self', '@accounts'] : ['@self'];
}

const markOf = ({ isForConnect }: EndpointPlan) => (isForConnect ? 'connect' : 'own');

function isSameUrl(one: string, other: string): boolean {
  return new URL(one).href === new URL(other).href;
}

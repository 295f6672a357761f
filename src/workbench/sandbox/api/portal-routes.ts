import { z } from 'zod';
import { refused } from '../api-error.ts';
import {
  clearable,
  flag,
  formBoolean,
  formInteger,
  given,
  integer,
  metadata,
  text,
} from '../form-parameters.ts';
import {
  buildMethodConfiguration,
  buildPortalConfiguration,
  CONFIGURABLE_TYPES,
  preferenceOf,
} from '../objects/build-portal-configuration.ts';
import type {
  BillingPortalConfiguration,
  BillingPortalSession,
  PaymentMethodConfiguration,
} from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { getCustomer } from './customer-routes.ts';
import { type Route, resource, route } from './route.ts';
import { getSubscription } from './subscription-routes.ts';

const flowFields = z.strictObject({
  type: z.enum(['payment_method_update', 'subscription_pause']),
  subscription_pause: z.strictObject({ subscription: z.string() }).optional(),
  after_completion: z
    .strictObject({
      type: z.enum(['redirect', 'hosted_confirmation', 'portal_homepage']),
      redirect: z.strictObject({ return_url: z.string() }).optional(),
    })
    .optional(),
});
const sessionFields = z.strictObject({
  customer: z.string(),
  configuration: text,
  return_url: text,
  locale: text,
  flow_data: flowFields.optional(),
  after_expiration: z
    .strictObject({
      type: z.literal('customer_login'),
      customer_login: z.strictObject({ expires_at: integer }).optional(),
    })
    .optional(),
});
type SessionFields = z.output<typeof sessionFields>;

const duration = z.strictObject({
  type: z.enum(['indefinite', 'interval_options']),
  interval_options: z
    .array(
      z.strictObject({
        interval: z.enum(['day', 'week', 'month', 'year']),
        interval_count: formInteger.default(1),
      }),
    )
    .default([]),
});
const features = z.strictObject({
  payment_method_update: z
    .strictObject({
      enabled: formBoolean,
      payment_method_configuration: clearable(z.string()).optional(),
    })
    .optional(),
  invoice_history: z.strictObject({ enabled: formBoolean }).optional(),
  subscription_pause: z.strictObject({ enabled: formBoolean, duration: duration.optional() }).optional(),
});
const configurationFields = z.strictObject({ name: text, features, metadata });
const changeFields = configurationFields.partial().extend({ active: flag });
const CONFIGURATIONS = '/v1/billing_portal/configurations';

const preference = z.strictObject({
  display_preference: z.strictObject({ preference: z.enum(['on', 'off', 'none']) }),
});
const methodFields = z.strictObject({
  name: text,
  ...Object.fromEntries(CONFIGURABLE_TYPES.map((type) => [type, preference.optional()])),
} as { name: typeof text } & Record<(typeof CONFIGURABLE_TYPES)[number], z.ZodOptional<typeof preference>>);
const methodChanges = methodFields.extend({ active: flag });
const METHODS = '/v1/payment_method_configurations';

const configurations = resource(CONFIGURATIONS, 'configuration', (world) => world.portalConfigurations);
const methodSets = resource(METHODS, 'payment method configuration', (world) => world.methodConfigurations);

export const PORTAL_ROUTES: readonly Route[] = [
  route('post', '/v1/billing_portal/sessions', sessionFields, createSession),
  configurations.list(),
  route('post', CONFIGURATIONS, configurationFields, (world, _id, params) => {
    const { name = null } = params;
    const fields = { id: world.ids.next('bpc'), created: unixNow(world), name, metadata: {} };
    const built = buildPortalConfiguration({ ...fields, is_default: false });
    return world.portalConfigurations.add(changeConfiguration(world, built, params));
  }),
  configurations.act('', changeFields, changeConfiguration),
  methodSets.list(),
  methodSets.retrieve,
  route('post', METHODS, methodFields, (world, _id, params) => {
    const { name = 'Payment methods' } = params;
    const built = buildMethodConfiguration({ id: world.ids.next('pmc'), name, is_default: false }, []);
    return world.methodConfigurations.add(changeMethods(built, params));
  }),
  methodSets.act('', methodChanges, (_world, methods, changes) => changeMethods(methods, changes)),
];

function changeMethods(
  configuration: PaymentMethodConfiguration,
  { active, name, ...types }: z.output<typeof methodChanges>,
): PaymentMethodConfiguration {
  if (configuration.is_default && active === false) throw refused('The default cannot be deactivated.');
  Object.assign(configuration, given({ active, name }));
  for (const type of CONFIGURABLE_TYPES) {
    const wanted = types[type]?.display_preference.preference;
    if (wanted !== undefined) configuration[type] = preferenceOf(wanted === 'on' ? 'on' : 'off');
  }
  return configuration;
}

function changeConfiguration(
  world: World,
  configuration: BillingPortalConfiguration,
  { active, name, metadata: added, features: wanted = {} }: z.output<typeof changeFields>,
): BillingPortalConfiguration {
  if (configuration.is_default && active === false)
    throw refused('The default configuration cannot be deactivated.');
  const { payment_method_update: update, subscription_pause: pause } = configuration.features;
  const { payment_method_configuration: methods, ...rest } = wanted.payment_method_update ?? {};
  if (typeof methods === 'string') methodSets.get(world, methods);
  Object.assign(update, rest, methods === undefined ? {} : { payment_method_configuration: methods });
  Object.assign(pause, wanted.subscription_pause);
  Object.assign(configuration.features.invoice_history, wanted.invoice_history);
  return Object.assign(configuration, given({ active, name }), {
    metadata: { ...configuration.metadata, ...added },
    updated: unixNow(world),
  });
}

/** The page lives on the sandbox's own server. */
function createSession(world: World, _id: string, params: SessionFields): BillingPortalSession {
  const customer = getCustomer(world, params.customer);
  const configuration = findConfiguration(world, params.configuration);
  const id = world.ids.next('bps');
  const session: BillingPortalSession = {
    id,
    object: 'billing_portal.session',
    after_expiration: afterExpiration(params),
    configuration: configuration.id,
    created: unixNow(world),
    customer: customer.id,
    customer_account: null,
    flow: params.flow_data === undefined ? null : flow(world, configuration, params.flow_data),
    livemode: false,
    locale: params.locale ?? null,
    on_behalf_of: null,
    return_url: params.return_url ?? null,
    url: `${world.baseUrl}/portal/${id}`,
  };
  world.portalSessions.set(id, { session, lastUsedAt: null });
  publish(world, 'billing_portal.session.created', session);
  return session;
}

function findConfiguration(world: World, id: string | undefined): BillingPortalConfiguration {
  const found =
    id === undefined
      ? [...world.portalConfigurations.newestFirst()].find(({ is_default: isDefault }) => isDefault)
      : configurations.get(world, id);
  if (found?.active) return found;
  if (found) throw refused(`The configuration ${found.id} is not active.`);
  throw refused(
    'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode.',
  );
}

type AfterExpiration = NonNullable<BillingPortalSession['after_expiration']>;

function afterExpiration({ after_expiration: after }: SessionFields): AfterExpiration | null {
  if (after === undefined) return null;
  return { customer_login: { expires_at: after.customer_login?.expires_at ?? null }, type: after.type };
}

/** Each flow wants its feature, and pausing a subscription that can be paused (stripe-facts 2.8, 6.1). */
function flow(
  world: World,
  { features: allowed }: BillingPortalConfiguration,
  { type, after_completion: after, subscription_pause: pause }: z.output<typeof flowFields>,
): NonNullable<BillingPortalSession['flow']> {
  if (!allowed[type].enabled) throw refused(`The portal's configuration does not allow ${type}.`);
  if (type === 'subscription_pause') {
    const { status, billing_mode } = getSubscription(world, pause?.subscription ?? '');
    if (billing_mode.type !== 'flexible' || status === 'canceled' || status === 'paused')
      throw refused('This subscription cannot be paused.');
  }
  return {
    after_completion: {
      hosted_confirmation: null,
      redirect: after?.redirect ?? null,
      type: after?.type ?? 'portal_homepage',
    },
    customer_update: null,
    subscription_cancel: null,
    subscription_pause: pause ?? null,
    subscription_update: null,
    subscription_update_confirm: null,
    type,
  };
}

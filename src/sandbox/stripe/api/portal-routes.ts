import { z } from 'zod';
import { refused, resourceMissing } from '../api-error.ts';
import { buildPortalConfiguration } from '../objects/build-portal-configuration.ts';
import type { BillingPortalConfiguration, BillingPortalSession } from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { getCustomer } from './customer-routes.ts';
import { formBoolean, formInteger, formMetadata, PAGE_PARAMETERS } from './form-parameters.ts';
import { listPage, type Route, route } from './route.ts';

const text = z.string().optional();
const sessionFields = z.strictObject({
  customer: z.string(),
  configuration: text,
  return_url: text,
  locale: text,
  flow_data: z
    .strictObject({
      type: z.literal('payment_method_update'),
      after_completion: z
        .strictObject({
          type: z.enum(['redirect', 'hosted_confirmation', 'portal_homepage']),
          redirect: z.strictObject({ return_url: z.string() }).optional(),
        })
        .optional(),
    })
    .optional(),
  after_expiration: z
    .strictObject({
      type: z.literal('customer_login'),
      customer_login: z.strictObject({ expires_at: formInteger.optional() }).optional(),
    })
    .optional(),
});
type SessionFields = z.output<typeof sessionFields>;

const feature = z.strictObject({ enabled: formBoolean }).optional();
const configurationFields = z.strictObject({
  name: text,
  features: z.strictObject({ payment_method_update: feature, invoice_history: feature }),
  metadata: formMetadata.optional(),
});
const CONFIGURATIONS = '/v1/billing_portal/configurations';

export const PORTAL_ROUTES: readonly Route[] = [
  route('post', '/v1/billing_portal/sessions', sessionFields, createSession),
  route('get', CONFIGURATIONS, z.strictObject(PAGE_PARAMETERS), (world, _id, params) =>
    listPage(world.portalConfigurations, params, { url: CONFIGURATIONS }),
  ),
  route('post', CONFIGURATIONS, configurationFields, (world, _id, { name, features, metadata }) =>
    world.portalConfigurations.add(
      buildPortalConfiguration({
        id: world.ids.next('bpc'),
        created: unixNow(world),
        name: name ?? null,
        isDefault: false,
        canUpdateCard: features.payment_method_update?.enabled ?? false,
        metadata: metadata ?? {},
      }),
    ),
  ),
];

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
    flow: params.flow_data === undefined ? null : flow(params.flow_data),
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
  const found = [...world.portalConfigurations.newestFirst()].find((one) =>
    id === undefined ? one.is_default : one.id === id,
  );
  if (found !== undefined) return found;
  if (id !== undefined) throw resourceMissing('configuration', id);
  throw refused(
    'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode.',
  );
}

type AfterExpiration = NonNullable<BillingPortalSession['after_expiration']>;

function afterExpiration({ after_expiration: after }: SessionFields): AfterExpiration | null {
  if (after === undefined) return null;
  return { customer_login: { expires_at: after.customer_login?.expires_at ?? null }, type: after.type };
}

function flow({
  type,
  after_completion: after,
}: NonNullable<SessionFields['flow_data']>): NonNullable<BillingPortalSession['flow']> {
  return {
    after_completion: {
      hosted_confirmation: null,
      redirect: after?.redirect ?? null,
      type: after?.type ?? 'portal_homepage',
    },
    customer_update: null,
    subscription_cancel: null,
    subscription_pause: null,
    subscription_update: null,
    subscription_update_confirm: null,
    type,
  };
}

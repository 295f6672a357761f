import { z } from 'zod';
import type { BillingPortalSession } from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { getCustomer } from './customer-routes.ts';
import { formInteger } from './form-parameters.ts';
import { type Route, route } from './route.ts';

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

export const PORTAL_ROUTES: readonly Route[] = [
  route('post', '/v1/billing_portal/sessions', sessionFields, createSession),
];

/** The page lives on the sandbox's own server. */
function createSession(world: World, _id: string, params: SessionFields): BillingPortalSession {
  const customer = getCustomer(world, params.customer);
  const id = world.ids.next('bps');
  const session: BillingPortalSession = {
    id,
    object: 'billing_portal.session',
    after_expiration: afterExpiration(params),
    configuration: params.configuration ?? 'bpc_sandbox_default',
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

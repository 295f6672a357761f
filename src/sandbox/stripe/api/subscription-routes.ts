import { z } from 'zod';
import { retrieve } from '../api-error.ts';
import { cancelSubscription, changeSubscription } from '../billing/change-subscription.ts';
import { createSubscription } from '../billing/create-subscription.ts';
import { pauseSubscription, resumeSubscription } from '../billing/pause-subscription.ts';
import { cancelSchedule, releaseSchedule, updatePhases } from '../billing/phases.ts';
import { listOf, type Subscription, type SubscriptionSchedule } from '../objects/wire.ts';
import type { World } from '../sandbox-world.ts';
import { getCustomer } from './customer-routes.ts';
import {
  clearable,
  formBoolean,
  formInteger,
  formMetadata,
  formTimeFilter,
  isWithin,
  PAGE_PARAMETERS,
} from './form-parameters.ts';
import { firstGiven, listPage, type Route, route } from './route.ts';

const none = z.strictObject({});
const text = z.string().optional();
const collectionMethod = z.enum(['charge_automatically', 'send_invoice']).optional();
const createFields = z.strictObject({
  customer: z.string(),
  currency: text,
  items: z
    .array(
      z.strictObject({
        price: z.string(),
        quantity: formInteger.optional(),
        metadata: formMetadata.optional(),
      }),
    )
    .min(1),
  trial_end: formInteger.optional(),
  trial_period_days: formInteger.optional(),
  trial_settings: z
    .strictObject({ end_behavior: z.strictObject({ missing_payment_method: z.string() }) })
    .optional(),
  billing_cycle_anchor: formInteger.optional(),
  backdate_start_date: formInteger.optional(),
  collection_method: collectionMethod,
  days_until_due: formInteger.optional(),
  default_payment_method: text,
  payment_behavior: z.enum(['allow_incomplete', 'default_incomplete']).optional(),
  default_tax_rates: z.array(z.string()).optional(),
  automatic_tax: z.strictObject({ enabled: formBoolean }).optional(),
  on_behalf_of: text,
  cancel_at: formInteger.optional(),
  cancel_at_period_end: formBoolean.optional(),
  description: text,
  metadata: formMetadata.optional(),
});
const updateFields = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: text,
        price: text,
        quantity: formInteger.optional(),
        deleted: formBoolean.optional(),
      }),
    )
    .optional(),
  default_payment_method: clearable(z.string()).optional(),
  default_source: clearable(z.string()).optional(),
  proration_behavior: z.enum(['create_prorations', 'always_invoice', 'none']).optional(),
  payment_behavior: z
    .enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete', 'pending_if_incomplete'])
    .optional(),
  default_tax_rates: z.array(z.string()).optional(),
  automatic_tax: z.strictObject({ enabled: formBoolean }).optional(),
  on_behalf_of: clearable(z.string()).optional(),
  cancel_at: clearable(z.union([z.enum(['min_period_end', 'max_period_end']), formInteger])).optional(),
  cancel_at_period_end: formBoolean.optional(),
  pause_collection: clearable(
    z.strictObject({
      behavior: z.enum(['keep_as_draft', 'mark_uncollectible', 'void']),
      resumes_at: formInteger.optional(),
    }),
  ).optional(),
  collection_method: collectionMethod,
  days_until_due: formInteger.optional(),
  trial_end: z.union([z.literal('now'), formInteger]).optional(),
  description: text,
  metadata: formMetadata.optional(),
});
const listFields = z.strictObject({
  ...PAGE_PARAMETERS,
  customer: text,
  status: text,
  test_clock: text,
  price: text,
  collection_method: text,
  created: formTimeFilter.optional(),
});
const cancelFields = z.strictObject({
  cancellation_details: z.strictObject({ comment: text, feedback: text }).optional(),
  invoice_now: formBoolean.optional(),
  prorate: formBoolean.optional(),
});
const endFields = z.strictObject({
  invoice_now: formBoolean.optional(),
  prorate: formBoolean.optional(),
});
const pauseFields = z.strictObject({
  type: z.literal('subscription').optional(),
  bill_for: z
    .strictObject({
      outstanding_usage_through: z.strictObject({ type: z.enum(['now', 'none']) }).optional(),
      unused_time_from: z
        .strictObject({ type: z.enum(['now', 'item_current_period_start', 'none']) })
        .optional(),
    })
    .optional(),
  invoicing_behavior: z.enum(['invoice', 'pending_invoice_item']).optional(),
});
const resumeFields = z.union([
  z.strictObject({
    billing_cycle_anchor: z.strictObject({ type: z.literal('now') }).optional(),
    payment_behavior: z.enum(['resume_on_payment_attempt', 'resume_on_payment_success']).optional(),
  }),
  /** Prorations are not simulated. */
  z.strictObject({
    billing_cycle_anchor: z.strictObject({ type: z.literal('unchanged') }),
    proration_behavior: z.literal('none'),
    payment_behavior: text,
  }),
]);
const scheduleFields = z.strictObject({
  phases: z.array(
    z.strictObject({
      start_date: formInteger,
      end_date: formInteger,
      items: z
        .array(z.strictObject({ price: z.string(), quantity: formInteger.optional() }))
        .length(1, 'Phases with several items are not simulated'),
      default_payment_method: text,
      currency: text,
      proration_behavior: text,
    }),
  ),
  proration_behavior: z.literal('none', 'Prorations of a changed schedule are not simulated'),
});
const itemListFields = z.strictObject({ ...PAGE_PARAMETERS, subscription: z.string() });

export const SUBSCRIPTION_ROUTES: readonly Route[] = [
  route('post', '/v1/subscriptions', createFields, (world, _id, params) => {
    getCustomer(world, params.customer);
    return createSubscription(world, params);
  }),
  route('get', '/v1/subscriptions', listFields, (world, _id, params) =>
    listPage(world.subscriptions, params, {
      url: '/v1/subscriptions',
      within: firstGiven({ customer: params.customer }),
      matches: (subscription) => matchesList(subscription, params),
    }),
  ),
  route('get', '/v1/subscriptions/:id', none, getSubscription),
  route('post', '/v1/subscriptions/:id', updateFields, (world, id, params) =>
    changeSubscription(world, getSubscription(world, id), params),
  ),
  route('delete', '/v1/subscriptions/:id', cancelFields, (world, id, params) => {
    const subscription = getSubscription(world, id);
    const { comment = null, feedback = null } = params.cancellation_details ?? {};
    subscription.cancellation_details = { comment, feedback, feedback_option: null, reason: null };
    const { invoice_now: invoiceNow, prorate } = params;
    return cancelSubscription(world, subscription, { invoiceNow, prorate });
  }),
  route('post', '/v1/subscriptions/:id/pause', pauseFields, (world, id, params) =>
    pauseSubscription(world, getSubscription(world, id), {
      unusedTimeFrom: params.bill_for?.unused_time_from?.type,
      usageThrough: params.bill_for?.outstanding_usage_through?.type,
      invoiceNow: params.invoicing_behavior === 'invoice',
    }),
  ),
  route('post', '/v1/subscriptions/:id/resume', resumeFields, (world, id, params) =>
    resumeSubscription(world, getSubscription(world, id), {
      billingCycleAnchor: params.billing_cycle_anchor?.type,
      resumesOn: params.payment_behavior === 'resume_on_payment_success' ? 'success' : 'attempt',
    }),
  ),
  route('get', '/v1/subscription_schedules/:id', none, getSchedule),
  route('post', '/v1/subscription_schedules/:id', scheduleFields, (world, id, { phases }) =>
    updatePhases(
      world,
      getSchedule(world, id),
      phases.map(({ start_date, end_date, items, default_payment_method }) => ({
        ...{ starts: start_date, ends: end_date, ...items[0] },
        defaultPaymentMethod: default_payment_method,
      })),
    ),
  ),
  route('post', '/v1/subscription_schedules/:id/cancel', endFields, (world, id, params) =>
    cancelSchedule(world, getSchedule(world, id), params),
  ),
  route('post', '/v1/subscription_schedules/:id/release', none, (world, id) =>
    releaseSchedule(world, getSchedule(world, id)),
  ),
  route('get', '/v1/subscription_items', itemListFields, (world, _id, params) =>
    listItems(getSubscription(world, params.subscription), params),
  ),
];

function getSchedule(world: World, id: string): SubscriptionSchedule {
  return retrieve(world.schedules, 'subscription schedule', id);
}

export function getSubscription(world: World, id: string): Subscription {
  return retrieve(world.subscriptions, 'subscription', id);
}

/** Without a status the list leaves out what is canceled; `ended` means canceled or never begun. */
function matchesList(subscription: Subscription, params: z.output<typeof listFields>): boolean {
  return (
    matchesStatus(subscription.status, params.status) &&
    (params.collection_method ?? subscription.collection_method) === subscription.collection_method &&
    (params.test_clock === undefined || subscription.test_clock === params.test_clock) &&
    (params.price === undefined || subscription.items.data.some(({ price }) => price.id === params.price)) &&
    isWithin(subscription.created, params.created)
  );
}

function matchesStatus(status: string, wanted: string | undefined): boolean {
  if (wanted === 'all') return true;
  if (wanted === undefined) return status !== 'canceled';
  if (wanted === 'ended') return status === 'canceled' || status === 'incomplete_expired';
  return status === wanted;
}

function listItems(subscription: Subscription, params: z.output<typeof itemListFields>): object {
  const { data } = subscription.items;
  const start = data.findIndex(({ id }) => id === params.starting_after) + 1;
  const page = data.slice(start, start + params.limit);
  return listOf('/v1/subscription_items', page, start + page.length < data.length);
}

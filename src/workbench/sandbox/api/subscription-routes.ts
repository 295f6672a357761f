import { z } from 'zod';
import {
  cancelSubscription,
  changeSubscription,
  subscriptionChanges,
} from '../billing/change-subscription.ts';
import { createSubscription, subscriptionParameters } from '../billing/create-subscription.ts';
import { pauseSubscription, resumeSubscription } from '../billing/pause-subscription.ts';
import { cancelSchedule, releaseSchedule, updatePhases } from '../billing/phases.ts';
import { flag, formInteger, integer, none, PAGE_PARAMETERS, text } from '../form-parameters.ts';
import { listOf, type Subscription } from '../objects/wire.ts';
import { getCustomer } from './customer-routes.ts';
import { type Getter, type Route, resource, route } from './route.ts';

const endFields = z.strictObject({ invoice_now: flag, prorate: flag });
const cancelFields = endFields.extend({
  cancellation_details: z.strictObject({ comment: text, feedback: text }).optional(),
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
        .array(z.strictObject({ price: z.string(), quantity: integer }))
        .length(1, 'Phases with several items are not simulated'),
      default_payment_method: text,
      currency: text,
      proration_behavior: text,
    }),
  ),
  proration_behavior: z.literal('none', 'Prorations of a changed schedule are not simulated'),
});
/** The list's filter without a status. */
const NOT_CANCELED = 'not_canceled';
const itemListFields = z.strictObject({ ...PAGE_PARAMETERS, subscription: z.string() });

const subscriptions = resource('/v1/subscriptions', 'subscription', (world) => world.subscriptions);
const schedules = resource('/v1/subscription_schedules', 'subscription schedule', (world) => world.schedules);
export const getSubscription: Getter<Subscription> = subscriptions.get;

export const SUBSCRIPTION_ROUTES: readonly Route[] = [
  route('post', '/v1/subscriptions', subscriptionParameters, (world, _id, params) => {
    getCustomer(world, params.customer);
    return createSubscription(world, params);
  }),
  subscriptions.list(
    {
      customer: text,
      status: z.string().default(NOT_CANCELED),
      test_clock: text,
      price: text,
      collection_method: text,
    },
    {
      by: { customer: 'customer' },
      matches: {
        status: ({ status }, wanted) => matchesStatus(status, wanted),
        price: ({ items }, wanted) => items.data.some(({ price }) => price.id === wanted),
      },
    },
  ),
  subscriptions.retrieve,
  subscriptions.act('', subscriptionChanges, changeSubscription),
  subscriptions.delete(cancelFields, (world, subscription, params) => {
    const { comment = null, feedback = null } = params.cancellation_details ?? {};
    subscription.cancellation_details = { comment, feedback, feedback_option: null, reason: null };
    const { invoice_now: invoiceNow, prorate } = params;
    return cancelSubscription(world, subscription, { invoiceNow, prorate });
  }),
  subscriptions.act('/pause', pauseFields, (world, subscription, params) =>
    pauseSubscription(world, subscription, {
      unusedTimeFrom: params.bill_for?.unused_time_from?.type,
      usageThrough: params.bill_for?.outstanding_usage_through?.type,
      invoiceNow: params.invoicing_behavior === 'invoice',
    }),
  ),
  subscriptions.act('/resume', resumeFields, (world, subscription, params) =>
    resumeSubscription(world, subscription, {
      billingCycleAnchor: params.billing_cycle_anchor?.type,
      resumesOn: params.payment_behavior === 'resume_on_payment_success' ? 'success' : 'attempt',
    }),
  ),
  schedules.retrieve,
  schedules.act('', scheduleFields, (world, schedule, { phases }) =>
    updatePhases(
      world,
      schedule,
      phases.map(({ start_date, end_date, items, default_payment_method }) => ({
        starts: start_date,
        ends: end_date,
        ...items[0],
        defaultPaymentMethod: default_payment_method,
      })),
    ),
  ),
  schedules.act('/cancel', endFields, cancelSchedule),
  schedules.act('/release', none, releaseSchedule),
  route('get', '/v1/subscription_items', itemListFields, (world, _id, params) =>
    listItems(getSubscription(world, params.subscription), params),
  ),
];

/** `ended` means canceled or never begun. */
function matchesStatus(status: string, wanted: unknown): boolean {
  if (wanted === 'all') return true;
  if (wanted === NOT_CANCELED) return status !== 'canceled';
  if (wanted === 'ended') return status === 'canceled' || status === 'incomplete_expired';
  return status === wanted;
}

function listItems(subscription: Subscription, params: z.output<typeof itemListFields>): object {
  const { data } = subscription.items;
  const start = data.findIndex(({ id }) => id === params.starting_after) + 1;
  const page = data.slice(start, start + params.limit);
  return listOf('/v1/subscription_items', page, start + page.length < data.length);
}

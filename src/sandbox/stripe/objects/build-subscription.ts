import { buildPlan } from './build-price.ts';
import { nulls } from './nulls.ts';
import { listOf, type Price, type Subscription, type SubscriptionItem } from './wire.ts';

export interface SubscriptionFields {
  id: string;
  created: number;
  customer: string;
  currency: string;
  startDate: number;
  billingCycleAnchor: number;
  status: string;
  items: SubscriptionItem[];
  trialStart: number | null;
  trialEnd: number | null;
  trialEndBehavior: string;
  collectionMethod: string;
  daysUntilDue: number | null;
  defaultPaymentMethod: string | null;
  cancelAt: number | null;
  cancelAtPeriodEnd: boolean;
  description: string | null;
  metadata: Record<string, string>;
}

export function buildSubscription(fields: SubscriptionFields): Subscription {
  return {
    ...buildUnused(),
    id: fields.id,
    object: 'subscription',
    billing_cycle_anchor: fields.billingCycleAnchor,
    cancel_at: fields.cancelAt,
    cancel_at_period_end: fields.cancelAtPeriodEnd,
    canceled_at: fields.cancelAtPeriodEnd ? fields.created : null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: fields.collectionMethod,
    created: fields.created,
    currency: fields.currency,
    customer: fields.customer,
    days_until_due: fields.daysUntilDue,
    default_payment_method: fields.defaultPaymentMethod,
    description: fields.description,
    ended_at: null,
    items: listOf(`/v1/subscription_items?subscription=${fields.id}`, fields.items),
    latest_invoice: null,
    livemode: false,
    metadata: fields.metadata,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    start_date: fields.startDate,
    status: fields.status,
    trial_end: fields.trialEnd,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: fields.trialEndBehavior },
    },
    trial_start: fields.trialStart,
  };
}

/** What Stripe's object has besides, and nothing here uses. */
function buildUnused() {
  return {
    ...nulls('application application_fee_percent billing_cycle_anchor_config billing_thresholds'),
    ...nulls('customer_account default_source next_pending_invoice_item_invoice on_behalf_of'),
    ...nulls('pending_invoice_item_interval pending_setup_intent pending_update schedule'),
    ...nulls('test_clock transfer_data'),
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    default_tax_rates: [],
    discounts: [],
    invoice_settings: {
      ...nulls('account_tax_ids custom_fields description footer'),
      issuer: { type: 'self' },
    },
    managed_payments: { enabled: false },
  };
}

export interface SubscriptionItemFields {
  id: string;
  created: number;
  subscription: string;
  price: Price;
  quantity: number | undefined;
  periodStart: number;
  periodEnd: number;
  metadata?: Record<string, string> | undefined;
}

export function buildSubscriptionItem(fields: SubscriptionItemFields): SubscriptionItem {
  return {
    id: fields.id,
    object: 'subscription_item',
    billing_thresholds: null,
    created: fields.created,
    current_period_end: fields.periodEnd,
    current_period_start: fields.periodStart,
    current_trial: null,
    discounts: [],
    metadata: fields.metadata ?? {},
    plan: buildPlan(fields.price),
    price: fields.price,
    // A metered item has no quantity (stripe-facts 2.3).
    ...(fields.quantity === undefined ? {} : { quantity: fields.quantity }),
    subscription: fields.subscription,
    tax_rates: [],
  };
}

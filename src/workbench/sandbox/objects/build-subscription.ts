import { buildPlan } from './build-price.ts';
import { nulls } from './nulls.ts';
import { listOf, type Subscription, type SubscriptionItem } from './wire.ts';

type Given =
  | 'id'
  | 'automatic_tax'
  | 'billing_cycle_anchor'
  | 'cancel_at'
  | 'cancel_at_period_end'
  | 'collection_method'
  | 'created'
  | 'currency'
  | 'customer'
  | 'days_until_due'
  | 'default_payment_method'
  | 'default_tax_rates'
  | 'description'
  | 'metadata'
  | 'on_behalf_of'
  | 'start_date'
  | 'status'
  | 'test_clock'
  | 'trial_end'
  | 'trial_settings'
  | 'trial_start';

export function buildSubscription(
  fields: Pick<Subscription, Given>,
  items: SubscriptionItem[],
): Subscription {
  return {
    ...nulls('application application_fee_percent billing_cycle_anchor_config billing_thresholds'),
    ...nulls('customer_account default_source ended_at latest_invoice next_pending_invoice_item_invoice'),
    ...nulls('pause_collection pending_invoice_item_interval pending_setup_intent pending_update'),
    ...nulls('schedule transfer_data'),
    ...fields,
    object: 'subscription',
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    canceled_at: fields.cancel_at_period_end ? fields.created : null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    discounts: [],
    invoice_settings: {
      ...nulls('account_tax_ids custom_fields description footer'),
      issuer: { type: 'self' },
    },
    items: listOf(`/v1/subscription_items?subscription=${fields.id}`, items),
    livemode: false,
    managed_payments: { enabled: false },
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
  };
}

type ItemGiven = 'id' | 'created' | 'current_period_end' | 'current_period_start' | 'metadata' | 'price';

export function buildSubscriptionItem(
  fields: Pick<SubscriptionItem, ItemGiven | 'quantity' | 'subscription'>,
): SubscriptionItem {
  return {
    ...fields,
    object: 'subscription_item',
    billing_thresholds: null,
    current_trial: null,
    discounts: [],
    plan: buildPlan(fields.price),
    tax_rates: [],
  };
}

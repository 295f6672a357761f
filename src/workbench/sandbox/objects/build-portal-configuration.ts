import type { BillingPortalConfiguration, PaymentMethodConfiguration } from './wire.ts';

/** Customers see their invoices, and can change nothing yet. */
export function buildPortalConfiguration(
  fields: Pick<BillingPortalConfiguration, 'id' | 'created' | 'is_default' | 'metadata' | 'name'>,
): BillingPortalConfiguration {
  return {
    ...fields,
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    default_return_url: null,
    features: {
      customer_update: { allowed_updates: [], enabled: false },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: false, payment_method_configuration: null },
      subscription_cancel: {
        cancellation_reason: { enabled: false, feedback_options: null, options: [] },
        enabled: false,
        mode: 'at_period_end',
        proration_behavior: 'none',
      },
      subscription_pause: { duration: ONE_MONTH, enabled: false },
      subscription_update: {
        billing_cycle_anchor: null,
        default_allowed_updates: [],
        enabled: false,
        proration_behavior: 'none',
        schedule_at_period_end: { conditions: [] },
        trial_update_behavior: 'end_trial',
      },
    },
    livemode: false,
    login_page: { enabled: false, url: null },
    updated: fields.created,
  };
}

const ONE_MONTH = {
  interval_options: [{ interval: 'month', interval_count: 1 }],
  type: 'interval_options',
};

/** Those that methods of the sandbox have, and one that pays once. */
export const CONFIGURABLE_TYPES = [
  ...(['card', 'link', 'paypal', 'us_bank_account', 'sepa_debit'] as const),
  ...(['bacs_debit', 'acss_debit', 'au_becs_debit', 'konbini'] as const),
];
type ConfigurableType = (typeof CONFIGURABLE_TYPES)[number];

/** Methods that are not named are off. */
export function buildMethodConfiguration(
  fields: Pick<PaymentMethodConfiguration, 'id' | 'is_default' | 'name'>,
  on: readonly ConfigurableType[],
): PaymentMethodConfiguration {
  const built: PaymentMethodConfiguration = {
    ...fields,
    object: 'payment_method_configuration',
    active: true,
    application: null,
    livemode: false,
    parent: null,
  };
  for (const type of CONFIGURABLE_TYPES) built[type] = preferenceOf(on.includes(type) ? 'on' : 'off');
  return built;
}

/** Every capability of the sandbox's account is active. */
export function preferenceOf(value: 'on' | 'off') {
  return { available: value === 'on', display_preference: { overridable: null, preference: value, value } };
}

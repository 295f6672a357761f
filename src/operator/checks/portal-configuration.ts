/** The billing portal configuration that the card-update page opens (stripe-facts 6.2). */
import type Stripe from 'stripe';

/** `ok` the customer can change the card there · `no_card_update` that is switched off · `none` there is no configuration to use. */
export type PortalState = 'ok' | 'no_card_update' | 'none';

/** Of the configuration with this id, else of the account's default. */
export async function inspectPortal(stripe: Stripe, configured: string | undefined): Promise<PortalState> {
  const used = await findConfiguration(stripe, configured);
  if (!used?.active) return 'none';
  return used.features.payment_method_update.enabled ? 'ok' : 'no_card_update';
}

async function findConfiguration(
  stripe: Stripe,
  configured: string | undefined,
): Promise<Stripe.BillingPortal.Configuration | undefined> {
  const list = stripe.billingPortal.configurations.list({ limit: 100 });
  const all = await list.autoPagingToArray({ limit: 1_000 });
  return all.find(({ id, is_default: isDefault }) => (configured ? id === configured : isDefault));
}

/** One that lets a customer change the card and see the invoices, and nothing else. */
export async function makePortal(stripe: Stripe): Promise<string> {
  const { id } = await stripe.billingPortal.configurations.create({
    name: 'Payment Retry',
    features: { payment_method_update: { enabled: true }, invoice_history: { enabled: true } },
    metadata: { payment_retry: 'card_update' },
  });
  return id;
}

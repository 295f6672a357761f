/**
 * The permissions of the key that the app hands out: those of the calls in src/plugin/clients and of the events that are handled, no
 * more and no fewer (stripe-facts 7.3). One test compares the calls with the source, another the permissions with those that `doctor` tries.
 */
import { HANDLERS } from '../../src/plugin/sync/events/handlers.ts';

export const CALL_PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  'accounts.retrieveCurrent': ['connected_account_read'],
  // Whether the portal offers a pause; writing includes reading.
  'billingPortal.configurations.list': ['customer_portal_write'],
  // The portal lets a customer change payment methods.
  'billingPortal.sessions.create': ['customer_portal_write', 'elements_write'],
  'charges.list': ['charge_read'],
  'charges.retrieve': ['charge_read'],
  'customers.retrieve': ['customer_read'],
  'customers.retrieveSource': ['source_read'],
  'disputes.list': ['dispute_read'],
  'events.list': ['event_read'],
  'events.retrieve': ['event_read'],
  'invoicePayments.list': ['invoice_read'],
  'invoices.finalizeInvoice': ['invoice_write'],
  'invoices.list': ['invoice_read'],
  'invoices.markUncollectible': ['invoice_write'],
  'invoices.pay': ['invoice_write'],
  // With what it expands.
  'invoices.retrieve': [
    'invoice_read',
    'customer_read',
    'payment_intent_read',
    'payment_method_read',
    'subscription_read',
  ],
  'invoices.update': ['invoice_write'],
  // Which one it needs is not documented; where it is refused, such payments are left out (stripe-facts 3.15).
  'paymentAttemptRecords.list': [],
  'paymentAttemptRecords.retrieve': [],
  'paymentMethods.list': ['payment_method_read'],
  'paymentMethods.retrieve': ['payment_method_read'],
  'prices.retrieve': ['plan_read'],
  'products.retrieve': ['product_read'],
  // The object of a thin event, which has the permission of its kind; and Smart Retries Signal, whose permission is not documented: a key
  // without it is treated as an account without access (stripe-facts 4.6).
  'radar.earlyFraudWarnings.list': ['charge_read'],
  rawRequest: ['event_read'],
  'setupIntents.list': ['setup_intent_read'],
  'subscriptionItems.list': ['subscription_read', 'plan_read'],
  'subscriptionSchedules.retrieve': ['subscription_read'],
  'subscriptionSchedules.update': ['subscription_write'],
  'subscriptions.cancel': ['subscription_write'],
  'subscriptions.create': ['subscription_write'],
  'subscriptions.list': ['subscription_read'],
  'subscriptions.pause': ['subscription_write'],
  'subscriptions.resume': ['subscription_write'],
  'subscriptions.retrieve': ['subscription_read', 'plan_read'],
  'subscriptions.update': ['subscription_write'],
};

/** What the merchant reads before agreeing. */
const PURPOSES: Readonly<Record<string, string>> = {
  charge_read: 'Learn why a payment failed, and count the attempts that card networks limit.',
  connected_account_read: "Use your business's name and colour in emails to your customers.",
  customer_portal_write: 'Let a customer enter another card in the portal.',
  customer_read: 'Find the address, language and time zone of a customer whose payment failed.',
  dispute_read: 'Stop charging an invoice that is disputed.',
  elements_write: 'Let a customer manage payment methods in the portal.',
  event_read: 'Learn of failed payments and changed subscriptions.',
  invoice_read: 'Read the outstanding amount before anything is charged.',
  invoice_write: 'Retry a failed payment at the planned time.',
  payment_intent_read: 'Read the outcome of a payment.',
  payment_method_read: 'Know whether a card can be charged again, and when it changes.',
  mandate_read: 'Ask a customer whose mandate ended before the next payment fails.',
  plan_read: 'Report the price of a subscription to the retry service.',
  product_read: "Name the customer's plan in emails.",
  setup_intent_read: 'Know which saved cards the customer agreed to have charged.',
  source_read: 'Read cards that were saved before there were payment methods.',
  subscription_read: 'Know the state of a subscription whose payment failed.',
  subscription_write: 'Keep the card that paid, or end a subscription as you have chosen.',
};

/** Stripe's write permissions for these include the read ones (stripe-facts 7.3); both are named, as a merchant reads them. */
export function listPermissions(): { permission: string; purpose: string }[] {
  const needed = new Set(
    [...Object.values(CALL_PERMISSIONS), ...eventPermissions()].flat().concat('event_read'),
  );
  return [...needed].sort().map((permission) => {
    const purpose = PURPOSES[permission];
    if (purpose === undefined) throw new Error(`Say in PURPOSES what ${permission} is for.`);
    return { permission, purpose };
  });
}

/** Of every event that is handled; each needs `event_read`, too. */
function eventPermissions(): readonly (readonly string[])[] {
  return [...HANDLERS.values()].map(({ object }) => object.permissions);
}

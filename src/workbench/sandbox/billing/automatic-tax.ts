/** Taxes that Stripe computes from where the customer lives, on drafts and once more on finalizing (stripe-facts 3.17). */
import { buildAmounts } from '../objects/build-invoice.ts';
import type { Invoice } from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import type { World } from '../sandbox-world.ts';

/** False while the customer's location is unknown: taxed invoices cannot be finalized then. */
export function applyAutomaticTax(world: World, invoice: Invoice): boolean {
  if (!invoice.automatic_tax.enabled) return true;
  const percentage = findTax(world, invoice.customer);
  invoice.automatic_tax.status = percentage === undefined ? 'requires_location_inputs' : 'complete';
  if (percentage === undefined) return false;
  const { subtotal: taxable } = invoice;
  const tax = {
    amount: Math.round((taxable * percentage) / 100),
    tax_behavior: 'exclusive',
    tax_rate_details: null,
    taxability_reason: 'standard_rated',
    taxable_amount: taxable,
    type: 'tax_rate_details',
  } as const;
  Object.assign(invoice, buildAmounts(taxable, [tax]), { total_taxes: [tax] });
  return true;
}

export function failFinalization(world: World, invoice: Invoice): Invoice {
  invoice.last_finalization_error = {
    type: 'invalid_request_error',
    code: 'customer_tax_location_invalid',
    message: "The customer's location isn't recognized.",
  };
  publish(world, 'invoice.finalization_failed', invoice);
  return invoice;
}

/** The rate in percent; undefined where the customer's location is unknown. */
export function findTax(world: World, customer: string | null): number | undefined {
  const country = world.customers.get(customer ?? '')?.address?.country;
  return country == null ? undefined : (world.policy.taxes[country] ?? 0);
}

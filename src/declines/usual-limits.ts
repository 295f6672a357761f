/** How often an invoice or a card is tried: what the plugin's guards hold to, and what the embedded service plans within. */

/** Of one invoice with one card, the first payment included. */
export const MAX_ATTEMPTS_PER_INVOICE = 8;

/**
 * With one card, the first payment included, while its bank names no cause: fewer than otherwise (stripe-facts 5.4).
 * In the simulation four cost nine points of the way to the best times, six three (docs/5_timing.md).
 */
export const MAX_UNEXPLAINED_ATTEMPTS = 6;

/**
 * Between attempts of one amount with one card on different invoices: closer ones are taken for duplicates (stripe-facts 5.11).
 * What follows a payment only keeps clear of gateways' checks; a bank that refused is not asked the same at once.
 */
export function equalAmountHours({ isPaid }: { readonly isPaid: boolean }): number {
  return isPaid ? 0.5 : 8;
}

/** Refusals of one invoice after which no more attempt is made, where once more is all that is allowed (stripe-facts 5.9, 5.11). */
export const ONCE_MORE = 2;

/** Between two attempts on one invoice with one card. */
export const MIN_GAP_HOURS = 24;

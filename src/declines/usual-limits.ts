/** How often an invoice or a card is tried: what the plugin's guards hold to, and what the embedded service plans within. */

/** Of one invoice with one card, the first payment included. */
export const MAX_ATTEMPTS_PER_INVOICE = 8;

/**
 * With one card, the first payment included, while its bank names no cause: fewer than otherwise (stripe-facts 5.4).
 * In the simulation four cost nine points of the way to the best times, six three (docs/5_timing.md).
 */
export const MAX_UNEXPLAINED_ATTEMPTS = 6;

/** Between two attempts on one invoice with one card. */
export const MIN_GAP_HOURS = 24;

/** How often an invoice or a card is tried: what the plugin's guards hold to, and what the embedded service plans within. */

/** Of one invoice with one card, the first payment included. */
export const MAX_ATTEMPTS_PER_INVOICE = 8;

/** Nobody knows what helps after a decline without a reason: few attempts with one card (facts 5.4, class G). */
export const MAX_GENERIC_ATTEMPTS = 4;

/** Between two attempts on one invoice with one card. */
export const MIN_GAP_HOURS = 24;

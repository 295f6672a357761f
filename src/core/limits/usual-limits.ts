/** How often an invoice or a card is tried: what the plugin's guards hold to, and what the embedded service plans within. */

/** Retries of one invoice with one card, after the first payment: Stripe's advice. */
export const RETRIES_PER_INVOICE = 8;

/**
 * Attempts with one card, the first payment included, while its bank names no cause. As many as otherwise: in the simulation
 * the seventh and the eighth bring twice what an attempt must bring (docs/concepts/timing.md).
 */
export const MAX_UNEXPLAINED_ATTEMPTS = RETRIES_PER_INVOICE + 1;

/** Gateways compare within 20 minutes at most, by default (stripe-facts 5.11). */
const CLEAR_OF_GATEWAYS_MINUTES = 21;

/**
 * Hours between attempts of one amount with one card on different invoices: closer ones are taken for duplicates (stripe-facts 5.11).
 * After a payment for another subscription only the checks of gateways are kept clear of: each of the two gives its customer access,
 * which is worth being asked once more by a wary bank.
 */
export function equalAmountHours({ isPaid, isOfOther }: { isPaid: boolean; isOfOther: boolean }): number {
  return isPaid && isOfOther ? CLEAR_OF_GATEWAYS_MINUTES / 60 : 8;
}

/** Whether an attempt was for another subscription: of one that is not known nothing is assumed. */
export function isOfOther(own: string | null | undefined, attempts: string | null | undefined): boolean {
  return !!own && !!attempts && own !== attempts;
}

/** The gap between two attempts on one invoice with one card in the embedded service's plans. */
export const PLANNED_GAP_HOURS = 24;

/** The least that holds for every service's instruction: two answers of a bank within it are one. */
export const MIN_GAP_HOURS = 1;

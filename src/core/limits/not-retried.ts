/** Cards that are charged once an invoice: after any decline their holder confirms the next payment. */

/** Each charge needs a new notice to the holder; Stripe itself does not retry them either (stripe-facts 4.2, 5.13). */
const NOT_RETRIED: ReadonlySet<string | undefined> = new Set(['IN']);

export function isNeverRetried(cardCountry: string | undefined): boolean {
  return NOT_RETRIED.has(cardCountry);
}

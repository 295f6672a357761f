/** Obstacles of reading and forwarding: accounts, records, Stripe, listings. */
import { count, instant, reason, text } from './define-reason.ts';

export const READING_REASONS = {
  /** Text of a code that another version wrote. */
  unknown_code: reason({ text }, ({ text }) => text),
  /** An unexpected error. */
  failed: reason({ error: text }, ({ error }) => error),

  // States of an account.
  account_not_configured: reason(
    { account: text },
    ({ account }) => `account ${account} is not configured; add it, or "*", to CONNECTED_ACCOUNTS`,
  ),
  access_revoked: reason(
    { account: text },
    ({ account }) =>
      `access to account ${account} was revoked; it goes on when the account is connected again`,
  ),

  // Reasons not to forward a record: Stripe's data is not understood.
  /** `problem`: the first invalid field, and why. */
  unreadable_object: reason({ problem: text }, ({ problem }) => problem),
  unknown_status: reason(
    { object: text, status: text },
    ({ object, status }) => `the ${object} has the unknown status ${status}`,
  ),
  no_items: reason({}, () => 'the subscription has no items'),
  items_missing: reason({}, () => 'Stripe does not show all items of the subscription'),
  no_recurring_price: reason({}, () => 'no item has a recurring price'),
  amount_too_large: reason({}, () => 'the amount is too large for an exact integer'),
  price_not_in_currency: reason(
    { priceId: text, priceCurrency: text, currency: text },
    ({ priceId, priceCurrency, currency }) =>
      `price ${priceId} is in ${priceCurrency}, and Stripe shows no amount in ${currency} for it`,
  ),
  price_tiers_missing: reason(
    { priceId: text },
    ({ priceId }) => `Stripe does not show the tiers of price ${priceId}`,
  ),
  /** `part`: `rounding`, `billing_scheme` or `tiers_mode`. */
  price_unknown: reason(
    { priceId: text, part: text, value: text },
    ({ priceId, part, value }) => `price ${priceId} has the unknown ${part.replaceAll('_', ' ')} ${value}`,
  ),
  price_option_unreadable: reason(
    { priceId: text, problem: text },
    ({ priceId, problem }) => `price ${priceId} has an unreadable currency option: ${problem}`,
  ),
  price_without_amount: reason({ priceId: text }, ({ priceId }) => `price ${priceId} has no unit amount`),
  price_without_tier: reason(
    { priceId: text, units: text },
    ({ priceId, units }) => `price ${priceId} has no tier for ${units} units`,
  ),

  // Interruptions of reads from Stripe. `message` is Stripe's.
  stripe_refuses_key: reason(
    { status: count, message: text },
    ({ status, message }) =>
      `Stripe refuses the key (${status}): ${message} Allow it to read subscriptions, invoices and charges.`,
  ),
  stripe_answered: reason(
    { status: count, message: text },
    ({ status, message }) => `Stripe answered ${status}: ${message}`,
  ),
  stripe_gave_no_answer: reason({ message: text }, ({ message }) => `Stripe gave no answer: ${message}`),

  // Interruptions of the service's listing. `answer` is the service's.
  listing_throttled: reason(
    { answer: text },
    ({ answer }) => `the service asks for fewer requests: ${answer}`,
  ),
  listing_waits: reason(
    { until: text },
    ({ until }, { moment }) => `the service asked to wait until ${moment(instant(until))}`,
  ),
  listing_refused_parameters: reason({ answer: text.optional() }, ({ answer }) =>
    answer === undefined
      ? 'the service listed in another order than asked for'
      : `the service refuses the parameters: ${answer}`,
  ),
  listing_refused_token: reason(
    { answer: text },
    ({ answer }) => `the service refuses its own page token: ${answer}`,
  ),
  listing_repeats_page: reason({}, () => 'the service gives the same page again and again'),
};

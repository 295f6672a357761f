/** Results of emails, and reasons of endings. */
import { count, instant, ofCode, ofEmail, ofSubscription, reason, text } from './define-reason.ts';

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ['void', 'voided'],
  ['uncollectible', 'marked uncollectible'],
]);

/** Sentences of Stripe's retry signal: recommendations, refusals, ends. */
const SIGNALS: ReadonlyMap<string, string> = new Map([
  ['retry_now', "Stripe's retry signal says to retry now"],
  ['wait', "Stripe's retry signal says to wait"],
  ['give_up', "Stripe's retry signal says to give up"],
]);
const SIGNAL_REFUSALS: ReadonlyMap<string, string> = new Map([
  ['already_exists', 'Stripe watches this payment for somebody else'],
  ['cannot_proceed', 'Stripe does not watch this payment'],
]);
const SIGNAL_ENDS: ReadonlyMap<string, string> = new Map([
  ['completed', 'the payment succeeded'],
  ['expired', 'its time is over'],
  ['canceled', 'somebody ended it at Stripe'],
  ['gone', 'Stripe does not have it any more'],
  ['no_card', 'it is not to be paid with a card'],
]);

export const ENDING_REASONS = {
  // Results of emails.
  email_sent: ofEmail((email) => `the email ${email} was sent`),
  email_sent_before: reason({}, () => 'the email was sent before'),
  email_observed: ofEmail((email) => `observed only: the email ${email} would have been sent now`),
  email_not_taken: reason({ answer: text }, ({ answer }) => answer),
  /** The email names the invoice although another one caused it. */
  named_in_email: ofEmail(
    (email) => `the email ${email} about another invoice of the customer names it, too`,
  ),
  /** The payer is asked for all debts on certain days. */
  next_email_day: ofEmail(
    (email) =>
      `the customer is asked for everything that is open in one email ${email}, on the next of REMINDER_DAYS`,
  ),
  email_on_its_way: ofEmail((email) => `an email ${email} that names it is on its way`),
  recent_email: reason(
    { template: text, days: count },
    ({ template, days }, { email }) => `an email ${email(template)} went out less than ${days} days ago`,
  ),
  enough_emails: reason(
    { template: text, count },
    ({ template, count }, { email }) => `${count} emails ${email(template)} went out (REMINDER_DAYS)`,
  ),
  merchant_matter: ofCode(
    (because) => `the last attempt failed (${because}), which an email to the customer cannot fix`,
  ),
  outside_window: reason({}, () => "outside the customer's sending window"),
  no_address: reason(
    { customerId: text },
    ({ customerId }, { name }) => `${name('customer', customerId)} has no email address`,
  ),
  no_recipient: reason({}, () => 'there is nobody to send it to'),
  no_mail_server: reason({}, () => 'no mail server is configured (SMTP_URL)'),
  no_page: reason({}, () => 'there is no page to send the customer to'),

  // Ends of planned actions.
  replaced: reason(
    { requestId: text },
    ({ requestId }, { name }) => `replaced by ${name('instruction', requestId)}`,
  ),
  planned_before_release: reason({}, () => 'it was planned before a person released the invoice'),
  new_card: reason({}, () => 'the customer has a new card'),
  period_over: reason({}, () => 'its period is over: decide whether the customer owes it'),
  invoice_ended: reason({ status: text }, ({ status }) => `the invoice was ${ENDINGS.get(status) ?? status}`),
  subscription_canceled: reason(
    { subscriptionId: text.optional() },
    ({ subscriptionId }, { name }) =>
      `${subscriptionId === undefined ? 'its subscription' : name('subscription', subscriptionId)} was canceled`,
  ),
  dispute_opened: reason(
    { disputeId: text },
    ({ disputeId }, { name }) => `${name('dispute', disputeId)} was opened`,
  ),

  // Stripe's retry signal (RETRY_SIGNAL).
  signal_off: reason({}, () => 'RETRY_SIGNAL is off'),
  /** `action`: `retry_now`, `wait`, `give_up`; `because`: Stripe's sentence, empty without one. */
  signal_says: reason({ action: text, because: text }, ({ action, because }) => {
    const says = SIGNALS.get(action) ?? `Stripe's retry signal says ${action}`;
    return because === '' ? says : `${says}: ${because}`;
  }),
  /** `refusal`: `already_exists`, `cannot_proceed` or `invalid`; `why`: Stripe's text. */
  signal_refused: reason(
    { refusal: text, why: text },
    ({ refusal, why }) => `${SIGNAL_REFUSALS.get(refusal) ?? 'Stripe refused'} (${why})`,
  ),
  signal_unavailable: reason(
    { why: text },
    ({ why }) =>
      `Stripe's retry signal is not open to this account, and the retry service's own times go on: ${why}`,
  ),
  /** `status`: Stripe's, or `gone`, or `no_card`. */
  signal_ended: reason(
    { status: text },
    ({ status }) => SIGNAL_ENDS.get(status) ?? `Stripe's evaluation is ${status}`,
  ),

  // Invoices in `exclusive` mode, and cards.
  exclusive_mode: reason({}, () => 'RETRY_MODE is exclusive'),
  /** Exceeds the limits of a new card. Amounts in minor units. */
  invoice_too_old: reason(
    { issuedAt: text, days: count },
    ({ issuedAt, days }, { moment }) =>
      `the invoice is of ${moment(instant(issuedAt))}, more than ${days} days old`,
  ),
  card_change_total: reason(
    { total: count, max: count, currency: text },
    ({ total, max, currency }, { money }) =>
      `new cards of the customer would pay ${money(total, currency)} within a day, more than ${money(max, currency)} (CARD_CHANGE_MAX_TOTAL)`,
  ),
  outside_scope: reason({ setting: text }, ({ setting }) => `it is observed only (${setting})`),
  nothing_asked: reason({ days: count }, ({ days }) => `nothing was asked for it in ${days} days`),
  /** `by`: the person; `note`: their reason. */
  operator_asked: reason(
    { by: text.optional(), note: text.optional() },
    ({ by, note }) => `${by ?? 'an operator'} asked for it${note === undefined ? '' : `: ${note}`}`,
  ),

  /** It names that card, or none and follows its customer. */
  card_kept_already: ofSubscription((subscription) => `${subscription} is charged on it already`),
  /** `from`: the earlier method. */
  subscription_card_replaced: reason(
    { subscriptionId: text, from: text, to: text },
    ({ subscriptionId, from, to }, { name }) =>
      `${name('subscription', subscriptionId)} names ${to} from now on, not ${from}`,
  ),

  // Given-up invoices and their endings.
  dunning_completed: reason({}, () => 'the service asks for no more (complete_dunning)'),
  /** `why`: code of the embedded service. */
  service_gave_up: reason(
    { why: text },
    ({ why }) => `the service asks for no more: ${why.replaceAll('_', ' ')}`,
  ),
  only_merchant_can_mend: reason(
    { why: text },
    ({ why }) => `only you can fix it: ${why.replaceAll('_', ' ')}`,
  ),
  /** `limit`: code of the reached limit. */
  attempts_used: reason(
    { limit: text },
    ({ limit }) => `no attempt is left, and the service asks for nothing: ${limit.replaceAll('_', ' ')}`,
  ),
  subscription_canceled_after: ofSubscription((subscription) => `${subscription} was canceled`),
  collection_paused_after: ofSubscription(
    (subscription) => `collection of ${subscription} was paused: its next invoices stay drafts`,
  ),
  subscription_paused_after: ofSubscription(
    (subscription) => `${subscription} was paused: it makes no invoices until it is resumed in Stripe`,
  ),
  /** `because`: a code of Stripe's, or ours. */
  not_resumed: ofCode((because) => `it was not started again: ${because}`),
  written_off_after: reason({}, () => 'the invoice was marked uncollectible'),
  ended_as_chosen: reason({ choice: text }, ({ choice }) => `AFTER_GIVING_UP is ${choice}`),
  no_ending_chosen: reason(
    { mode: text, choice: text },
    ({ mode, choice }) => `RETRY_MODE is ${mode}, and AFTER_GIVING_UP is ${choice}`,
  ),
  given_up: reason({}, () => 'it was given up (AFTER_GIVING_UP)'),
  no_longer_given_up: reason({}, () => 'it is not given up any more'),
  newer_word: reason({}, () => 'a newer decision about the invoice replaced it'),
  stripe_collects: reason({}, () => 'Stripe collects it, and its own setting decides'),
  payment_under_way: reason({}, () => 'a payment of it is under way'),
  newer_invoice: reason(
    { invoiceId: text },
    ({ invoiceId }, { name }) =>
      `${name('invoice', invoiceId)} is newer and has until the next renewal to be paid`,
  ),
  no_subscription: reason({}, () => 'the invoice has no subscription'),
  paused_already: ofSubscription((subscription) => `${subscription} is paused already`),
};

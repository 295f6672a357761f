/** The sentence of every reason. */

import { DateTime } from 'luxon';
import { describeAction } from '../../actions/action-kinds.ts';
import type { Reason, ReasonCode } from '../../reasons/reason.ts';
import { describeCode, money } from './describe-code.ts';
import { describeMail, describeState, SIGNAL_ENDS, SIGNAL_REFUSALS, SIGNALS } from './describe-state.ts';
import { exactMoment } from './exact-moment.ts';

/** How what a reason names is written. */
export interface Wording {
  /** `invoice in_1`, for those who can look it up. */
  readonly name: (what: string, id: string) => string;
  readonly moment: (at: DateTime) => string;
}

const EXACT: Wording = {
  name: (what, id) => `${what} ${id}`,
  moment: exactMoment,
};

const NETWORKS: ReadonlyMap<string, string> = new Map([
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
]);

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ['void', 'voided'],
  ['uncollectible', 'marked uncollectible'],
]);

interface Cause {
  readonly declineCode?: string | undefined;
  readonly stripeCode?: string | undefined;
  readonly detail?: string | undefined;
}

function causeOf({ declineCode, stripeCode, detail }: Cause): string {
  const code = declineCode ?? stripeCode;
  const cause = code === undefined ? detail : describeCode(code);
  return cause === undefined ? '' : ` (${cause})`;
}

const quote = (template: string) => `“${describeMail(template)}”`;

type Texts = {
  readonly [Code in ReasonCode]: (reason: Extract<Reason, { code: Code }>, wording: Wording) => string;
};

const TEXTS: Texts = {
  unknown_code: ({ text }) => text,
  failed: ({ error }) => error,

  account_not_configured: ({ account }) =>
    `account ${account} is not configured; add it, or "*", to CONNECTED_ACCOUNTS`,
  access_revoked: ({ account }) =>
    `access to account ${account} was revoked; it goes on when the account is connected again`,

  unreadable_object: ({ problem }) => problem,
  unknown_status: ({ object, status }) => `the ${object} has the unknown status ${status}`,
  no_items: () => 'the subscription has no items',
  items_missing: () => 'Stripe does not show all items of the subscription',
  no_recurring_price: () => 'no item has a recurring price',
  amount_too_large: () => 'the amount is too large for an exact integer',
  price_not_in_currency: ({ priceId, priceCurrency, currency }) =>
    `price ${priceId} is in ${priceCurrency}, and Stripe shows no amount in ${currency} for it`,
  price_tiers_missing: ({ priceId }) => `Stripe does not show the tiers of price ${priceId}`,
  price_unknown: ({ priceId, part, value }) =>
    `price ${priceId} has the unknown ${part.replaceAll('_', ' ')} ${value}`,
  price_option_unreadable: ({ priceId, problem }) =>
    `price ${priceId} has an unreadable currency option: ${problem}`,
  price_without_amount: ({ priceId }) => `price ${priceId} has no unit amount`,
  price_without_tier: ({ priceId, units }) => `price ${priceId} has no tier for ${units} units`,

  stripe_refuses_key: ({ status, message }) =>
    `Stripe refuses the key (${status}): ${message} Allow it to read subscriptions, invoices and charges.`,
  stripe_answered: ({ status, message }) => `Stripe answered ${status}: ${message}`,
  stripe_gave_no_answer: ({ message }) => `Stripe gave no answer: ${message}`,

  listing_throttled: ({ answer }) => `the service asks for fewer requests: ${answer}`,
  listing_waits: ({ until }, { moment }) => `the service asked to wait until ${moment(instant(until))}`,
  listing_refused_parameters: ({ answer }) =>
    answer === undefined
      ? 'the service listed in another order than asked for'
      : `the service refuses the parameters: ${answer}`,
  listing_refused_token: ({ answer }) => `the service refuses its own page token: ${answer}`,
  listing_repeats_page: () => 'the service gives the same page again and again',

  planned: ({ action, dueAt, instead }, { moment }) =>
    `${describeAction(action)} planned at ${moment(instant(dueAt))}${instead === undefined ? '' : `, as a retry cannot succeed (${instead})`}`,
  message_not_understood: () => 'the type of message is not understood',
  suggestion_not_understood: ({ suggestion }) => `the suggestion ${suggestion} is not understood`,
  no_suggestion: () => 'the service made no suggestion',
  beyond_horizon: ({ idealRetryAt, days }, { moment }) =>
    `its time ${moment(instant(idealRetryAt))} is more than ${days} days away (RETRY_HORIZON_DAYS)`,
  past_horizon: ({ dueAt, days }, { moment }) =>
    `it was due at ${moment(instant(dueAt))}, more than ${days} days ago (RETRY_HORIZON_DAYS)`,
  newer_instruction: () => 'a newer instruction for the same invoice replaced it',
  actions_stopped: ({ count }) => `stopped ${count} scheduled action(s)`,
  invoice_settled: ({ invoiceId, status }, { name }) =>
    `${name('invoice', invoiceId)} is ${describeState(status)} already`,

  invoice_unknown: ({ invoiceId }, { name }) => `Stripe does not know ${name('invoice', invoiceId)}`,
  invoice_status: ({ status }) => `the invoice is ${describeState(status)}`,
  written_off: ({ stripeReason }) => `it was marked uncollectible (${describeState(stripeReason)})`,
  stopped_by_person: ({ note }) => `a person stopped it${note === undefined ? '' : `: ${note}`}`,
  service_takes_over: ({ requestId }) =>
    `the service takes this invoice over from Stripe's own retries (request ${requestId})`,
  stopped_by_service: ({ requestId }) =>
    requestId === undefined
      ? 'the service stopped collecting this invoice'
      : `the service stopped it (request ${requestId})`,
  disputed: () => 'the customer disputes a payment of this invoice',
  payer_disputes: ({ disputeId, because }) =>
    `the customer disputes a payment (${disputeId}, ${because.replaceAll('_', ' ')})`,
  subscribed_again: ({ subscriptionId }) =>
    `the customer subscribed again (${subscriptionId}) after this payment failed, and may not want to pay for both`,
  nothing_remaining: () => 'nothing remains to be paid',
  sent_to_customer: () => 'the invoice is sent to the customer, who pays it without a charge',
  customer_hidden: ({ account }) =>
    `Stripe shows no customer for account ${account}: it was closed, or may not be read`,
  customer_forgotten: () => 'the customer was forgotten (`forget`)',
  customer_deleted: ({ customerId }, { name }) =>
    `${customerId === undefined ? 'the customer' : name('customer', customerId)} was deleted`,
  subscription_status: ({ subscriptionId, status }, { name }) =>
    `${name('subscription', subscriptionId)} is ${describeState(status)}`,
  sign_up: ({ subscriptionId = '', status = 'incomplete' }, { name }) =>
    `it is the first invoice of ${name('subscription', subscriptionId)}, which is ${describeState(status)}: the customer pays it in the checkout (RECOVER_SIGN_UPS is off)`,
  cancel_requested: ({ subscriptionId, endsAt }, { name, moment }) =>
    `it was asked that ${name('subscription', subscriptionId)} ends on ${moment(instant(endsAt))} (AFTER_CANCEL_REQUEST)`,
  pause_requested: ({ subscriptionId }, { name }) =>
    `it was asked that ${name('subscription', subscriptionId)} is paused, which it is until somebody resumes it (AFTER_CANCEL_REQUEST)`,
  collection_paused: ({ subscriptionId, until }, { name, moment }) =>
    `collection of ${name('subscription', subscriptionId)} is paused${until === undefined ? '' : ` until ${moment(instant(until))}`}; what is asked after that is followed`,

  processing: () => 'a payment is still processing',
  no_payment_method: () => 'the customer has no payment method on file',
  method_not_chosen: ({ paymentMethod }) =>
    `${paymentMethod} is not, or no longer, the method chosen to pay with`,
  card_not_retried: ({ country }) =>
    `the card was issued in ${country}, where each payment needs a new notice to its holder: it is not retried`,
  stripe_tries: ({ at }, { moment }) => `Stripe tries by itself at ${moment(instant(at))}`,
  fraud_reported: ({ warningId, paymentMethod }) =>
    `${paymentMethod === undefined ? '' : `${paymentMethod} was chosen, but `}the holder of this card reported fraud to the bank (${warningId})`,
  hard_decline: ({ because, declinedAt }, { moment }) =>
    `this card was declined on ${moment(instant(declinedAt))} (${describeCode(because)}), which another attempt cannot fix`,
  decline_asks_to_wait: ({ because }) => `the last decline asks to wait (${describeCode(because)})`,
  few_attempts: ({ count, because }) =>
    `${count} attempts with this card failed, which is enough (the last: ${describeCode(because)})`,
  equal_amount: ({ invoiceId }) =>
    `the card was asked for the same amount for ${invoiceId}; too close, it is taken for a duplicate`,
  funds_lacked: ({ invoiceId }) => `the card lacked funds for ${invoiceId}, which is not larger`,
  chosen_card_declined: ({ paymentMethod, because }) =>
    `${paymentMethod} was chosen, but its last attempt was declined (${describeCode(because)})`,
  hours_between_attempts: ({ hours }) => `${hours} ${hours === 1 ? 'hour' : 'hours'} between attempts`,
  attempts_on_invoice: ({ max }) => `limit reached: ${max} attempts on one invoice with one card`,
  attempts_with_card: ({ network, max, hours, rule, isOneAmount }) =>
    [
      network === undefined ? '' : `${NETWORKS.get(network) ?? network}: `,
      `${max}${isOneAmount ? ' of one amount' : ''} in ${hours > 48 ? `${hours / 24} days` : `${hours} hours`}`,
      rule === undefined ? '' : ` (rule: ${rule})`,
    ].join(''),
  debit_presentments: ({ scheme, max }) => `limit reached: ${scheme}: ${max} presentments of one invoice`,
  debit_window_over: ({ scheme, days }) => `limit reached: ${scheme}: within ${days} days of the first`,

  access_refused: ({ message, permission }) =>
    `Stripe refused the key: ${permission === undefined ? message : `it lacks the permission ${permission}`}`,
  gave_up: ({ error }) => `gave up after repeated failures: ${error}`,
  postponed_by_person: ({ until, note }, { moment }) =>
    `a person postponed it to ${moment(instant(until))}${note === undefined ? '' : `: ${note}`}`,
  customer_busy: () => 'another action for the same customer is running',
  effects_paused: ({ note }) => `all effects are paused: ${note}`,
  claim_lost: () => 'it was stopped, or its run took too long; nothing was sent',
  card_in_use: () => 'another attempt with the same card began meanwhile; the limits are looked at again',
  stopped: () => 'it was stopped while it ran',

  no_renewal: ({ subscriptionId }, { name }) => `${name('subscription', subscriptionId)} does not renew`,
  no_card: ({ subscriptionId }, { name }) =>
    `${name('subscription', subscriptionId)} is not charged on a card`,
  part_remains: () => 'a part of the invoice was paid, and the rest is still owed',
  nothing_to_choose: () => 'what is charged next time is what has paid, or was chosen already',
  card_is_good: ({ expiry }) => `its card is good to the end of ${expiry}`,

  backup_comes_first: () => 'another saved card is tried first (BACKUP_METHODS)',
  backup_has_to_wait: () => 'this saved card would have to wait for more than half a day',

  attempt_ended: ({ outcome, ...cause }) => `${describeState(outcome)}${causeOf(cause)}`,
  attempt_refused: (cause) => `Stripe did not try${causeOf(cause)}; the invoice is read again and decides`,
  attempt_unknown: (cause) =>
    `the outcome is unknown (${describeUnknown(cause)}); the same attempt is repeated`,
  charge_not_known_yet: () => 'it is not known yet whether Stripe made a charge',
  earlier_attempt_unsettled: () => 'an earlier attempt on the invoice is not settled yet',
  no_charge_made: () => 'Stripe shows no charge for the attempt; it is made anew',
  payment_observed: () => 'observed only: the invoice would have been paid now',

  mail_sent: ({ template }) => `the mail ${quote(template)} was sent`,
  mail_sent_before: () => 'the mail was sent before',
  mail_observed: ({ template }) => `observed only: the mail ${quote(template)} would have been sent now`,
  mail_not_taken: ({ answer }) => answer,
  named_in_mail: ({ template }) =>
    `the mail ${quote(template)} about another invoice of the customer names it, too`,
  next_mail_day: ({ template }) =>
    `the customer is asked for everything that is open in one mail ${quote(template)}, on the next of REMINDER_DAYS`,
  mail_on_its_way: ({ template }) => `a mail ${quote(template)} that names it is on its way`,
  enough_mails: ({ template, count }) => `${count} mails ${quote(template)} went out (REMINDER_DAYS)`,
  recent_mail: ({ template, days }) => `a mail ${quote(template)} went out less than ${days} days ago`,
  merchant_matter: ({ because }) =>
    `the last attempt failed (${describeCode(because)}), which a mail to the customer cannot fix`,
  outside_window: () => "outside the customer's sending window",
  no_address: ({ customerId }, { name }) => `${name('customer', customerId)} has no e-mail address`,
  no_recipient: () => 'there is nobody to send it to',
  no_mail_server: () => 'no mail server is configured (SMTP_URL)',
  no_page: () => 'there is no page to send the customer to',

  replaced: ({ requestId }, { name }) => `replaced by ${name('instruction', requestId)}`,
  planned_before_release: () => 'it was planned before a person released the invoice',
  period_over: () => 'its period is over: decide whether the customer owes it',
  new_card: () => 'the customer has a new card',
  invoice_ended: ({ status }) => `the invoice was ${ENDINGS.get(status) ?? status}`,
  subscription_canceled: ({ subscriptionId }, { name }) =>
    `${subscriptionId === undefined ? 'its subscription' : name('subscription', subscriptionId)} was canceled`,
  dispute_opened: ({ disputeId }, { name }) => `${name('dispute', disputeId)} was opened`,

  signal_off: () => 'RETRY_SIGNAL is off',
  signal_says: ({ action, because }) => {
    const says = SIGNALS.get(action) ?? `Stripe's retry signal says ${action}`;
    return because === '' ? says : `${says}: ${because}`;
  },
  signal_refused: ({ refusal, why }) => `${SIGNAL_REFUSALS.get(refusal) ?? 'Stripe refused'} (${why})`,
  signal_unavailable: ({ why }) =>
    `Stripe's retry signal is not open to this account, and the retry service's own times go on: ${why}`,
  signal_ended: ({ status }) => SIGNAL_ENDS.get(status) ?? `Stripe's evaluation is ${status}`,

  exclusive_mode: () => 'RETRY_MODE is exclusive',
  invoice_too_old: ({ issuedAt, days }, { moment }) =>
    `the invoice is of ${moment(instant(issuedAt))}, more than ${days} days old (CARD_CHANGE_MAX_AGE_DAYS)`,
  card_change_total: ({ total, max, currency }) =>
    `new cards of the customer would pay ${money(total, currency)} within a day, more than ${money(max, currency)} (CARD_CHANGE_MAX_TOTAL)`,
  outside_scope: ({ setting }) => `it is observed only (${setting})`,
  nothing_asked: ({ days }) => `nothing was asked for it in ${days} days`,
  operator_asked: ({ by, note }) =>
    `${by ?? 'an operator'} asked for it${note === undefined ? '' : `: ${note}`}`,
  card_overridden: ({ paymentMethod, usedByStripe = 'another' }) =>
    `the customer's new card is ${paymentMethod}, but Stripe goes on with ${usedByStripe} for this subscription`,

  card_kept_already: ({ subscriptionId }, { name }) =>
    `${name('subscription', subscriptionId)} is charged on it already`,
  subscription_card_replaced: ({ subscriptionId, from, to }, { name }) =>
    `${name('subscription', subscriptionId)} names ${to} from now on, not ${from}`,

  dunning_completed: () => 'the service asks for no more (complete_dunning)',
  service_gave_up: ({ why }) => `the service asks for no more: ${why.replaceAll('_', ' ')}`,
  only_merchant_can_mend: ({ why }) => `only you can fix it: ${why.replaceAll('_', ' ')}`,
  attempts_used: ({ limit }) =>
    `no attempt is left, and the service asks for nothing: ${limit.replaceAll('_', ' ')}`,
  subscription_canceled_after: ({ subscriptionId }, { name }) =>
    `${name('subscription', subscriptionId)} was canceled`,
  collection_paused_after: ({ subscriptionId }, { name }) =>
    `collection of ${name('subscription', subscriptionId)} was paused: its next invoices stay drafts`,
  subscription_paused_after: ({ subscriptionId }, { name }) =>
    `${name('subscription', subscriptionId)} was paused: it makes no invoices until it is resumed in Stripe`,
  written_off_after: () => 'the invoice was marked uncollectible',
  ended_as_chosen: ({ choice }) => `AFTER_GIVING_UP is ${choice}`,
  no_ending_chosen: ({ mode, choice }) => `RETRY_MODE is ${mode}, and AFTER_GIVING_UP is ${choice}`,
  given_up: () => 'it was given up (AFTER_GIVING_UP)',
  no_longer_given_up: () => 'it is not given up any more',
  newer_word: () => 'a newer decision about the invoice replaced it',
  stripe_collects: () => 'Stripe collects it by itself, and its own setting decides',
  payment_under_way: () => 'a payment of it is under way',
  newer_invoice: ({ invoiceId }, { name }) =>
    `${name('invoice', invoiceId)} is newer and has until the next renewal to be paid`,
  no_subscription: () => 'the invoice has no subscription',
  paused_already: ({ subscriptionId }, { name }) =>
    `${name('subscription', subscriptionId)} is paused already`,
};

export function describeReason(reason: Reason, wording: Wording = EXACT): string {
  // Each text takes its own code's parameters, which the compiler cannot see through the table.
  const text = TEXTS[reason.code] as (reason: Reason, wording: Wording) => string;
  return text(reason, wording);
}

function describeUnknown({
  status,
  error,
}: {
  status?: number | undefined;
  error?: string | undefined;
}): string {
  if (error === undefined) return 'the answer is not an invoice';
  return status === undefined ? error : `Stripe answered ${status}: ${error}`;
}

function instant(iso: string): DateTime {
  return DateTime.fromISO(iso, { zone: 'utc' });
}

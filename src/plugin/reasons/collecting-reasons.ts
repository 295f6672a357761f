/** Results of instructions, and reasons not to collect an invoice. */
import { count, instant, ofSubscription, reason, text } from './define-reason.ts';

export const COLLECTING_REASONS = {
  // Results of instructions.
  /** `instead`: code of the objection to the requested payment. */
  planned: reason(
    { action: text, dueAt: text, instead: text.optional() },
    ({ action: kind, dueAt, instead }, { action, moment }) =>
      `${action(kind)} planned at ${moment(instant(dueAt))}${instead === undefined ? '' : `, as a retry cannot succeed (${instead})`}`,
  ),
  message_not_understood: reason({}, () => 'the type of message is not understood'),
  suggestion_not_understood: reason(
    { suggestion: text },
    ({ suggestion }) => `the suggestion ${suggestion} is not understood`,
  ),
  no_suggestion: reason({}, () => 'the service made no suggestion'),
  beyond_horizon: reason(
    { idealRetryAt: text, days: count },
    ({ idealRetryAt, days }, { moment }) =>
      `its time ${moment(instant(idealRetryAt))} is more than ${days} days away`,
  ),
  past_horizon: reason(
    { dueAt: text, days: count },
    ({ dueAt, days }, { moment }) => `it was due at ${moment(instant(dueAt))}, more than ${days} days ago`,
  ),
  newer_instruction: reason({}, () => 'a newer instruction for the same invoice replaced it'),
  actions_stopped: reason({ count }, ({ count }) => `stopped ${count} scheduled action(s)`),
  service_takes_over: reason(
    { requestId: text },
    ({ requestId }) => `the service takes this invoice over from Stripe's own retries (request ${requestId})`,
  ),
  invoice_settled: reason(
    { invoiceId: text, status: text },
    ({ invoiceId, status }, { name, state }) => `${name('invoice', invoiceId)} is ${state(status)} already`,
  ),

  // Reasons not to collect an invoice.
  invoice_unknown: reason(
    { invoiceId: text },
    ({ invoiceId }, { name }) => `Stripe does not know ${name('invoice', invoiceId)}`,
  ),
  invoice_status: reason({ status: text }, ({ status }, { state }) => `the invoice is ${state(status)}`),
  written_off: reason(
    { stripeReason: text },
    ({ stripeReason }, { state }) => `it was marked uncollectible (${state(stripeReason)})`,
  ),
  /** `note`: the person's; absent if not for this reader. */
  stopped_by_person: reason(
    { note: text.optional() },
    ({ note }) => `a person stopped it${note === undefined ? '' : `: ${note}`}`,
  ),
  /** `requestId`: of the instruction that ended the action. */
  stopped_by_service: reason({ requestId: text.optional() }, ({ requestId }) =>
    requestId === undefined
      ? 'the service stopped collecting this invoice'
      : `the service stopped it (request ${requestId})`,
  ),
  disputed: reason({}, () => 'the customer disputes a payment of this invoice'),
  /** `because`: the dispute's reason. */
  payer_disputes: reason(
    { disputeId: text, because: text },
    ({ disputeId, because }) =>
      `the customer disputes a payment (${disputeId}, ${because.replaceAll('_', ' ')})`,
  ),
  nothing_remaining: reason({}, () => 'nothing remains to be paid'),
  sent_to_customer: reason({}, () => 'the invoice is sent to the customer, who pays it without a charge'),
  /** `subscriptionId`: of the new subscription. */
  subscribed_again: reason(
    { subscriptionId: text },
    ({ subscriptionId }) =>
      `the customer subscribed again (${subscriptionId}) after this payment failed, and may not want to pay for both`,
  ),
  customer_hidden: reason(
    { account: text },
    ({ account }) => `Stripe shows no customer for account ${account}: it was closed, or may not be read`,
  ),
  customer_forgotten: reason({}, () => 'the customer was forgotten (`customers forget`)'),
  customer_deleted: reason(
    { customerId: text.optional() },
    ({ customerId }, { name }) =>
      `${customerId === undefined ? 'the customer' : name('customer', customerId)} was deleted`,
  ),
  subscription_status: reason(
    { subscriptionId: text, status: text },
    ({ subscriptionId, status }, { name, state }) =>
      `${name('subscription', subscriptionId)} is ${state(status)}`,
  ),
  sign_up: reason(
    { subscriptionId: text.optional(), status: text.optional() },
    ({ subscriptionId = '', status = 'incomplete' }, { name, state }) =>
      `it is the first invoice of ${name('subscription', subscriptionId)}, which is ${state(status)}: the customer pays it in the checkout (RECOVER does not name sign-ups)`,
  ),
  cancel_requested: reason(
    { subscriptionId: text, endsAt: text },
    ({ subscriptionId, endsAt }, { moment, name }) =>
      `it was asked that ${name('subscription', subscriptionId)} ends on ${moment(instant(endsAt))} (AFTER_CANCEL_REQUEST)`,
  ),
  pause_requested: ofSubscription(
    (subscription) =>
      `it was asked that ${subscription} is paused, which it is until somebody resumes it (AFTER_CANCEL_REQUEST)`,
  ),
  collection_paused: reason(
    { subscriptionId: text, until: text.optional() },
    ({ subscriptionId, until }, { moment, name }) =>
      `collection of ${name('subscription', subscriptionId)} is paused${until === undefined ? '' : ` until ${moment(instant(until))}`}; what is asked after that is followed`,
  ),
};

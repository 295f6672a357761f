/**
 * Why something was done, put off or left alone: a stable code with its parameters, as it is stored. Code acts on the
 * code; `plugin/operator/text` makes the sentence for people.
 */
import { z } from 'zod';

const text = z.string();
const count = z.number();

function reason<const Code extends string, const Shape extends z.ZodRawShape>(code: Code, parameters: Shape) {
  return z.object({ code: z.literal(code) }).extend(parameters);
}

/** Times are ISO in UTC. */
export const reasonSchema = z.discriminatedUnion('code', [
  /** What another version wrote, and this one does not know. */
  reason('unknown_code', { text }),
  /** An error that was not expected. */
  reason('failed', { error: text }),

  // What an account is.
  reason('account_not_configured', { account: text }),
  reason('access_revoked', { account: text }),

  // Why a record is not forwarded: what Stripe says of it is not understood.
  /** `problem`: the first field that does not fit, and why. */
  reason('unreadable_object', { problem: text }),
  reason('unknown_status', { object: text, status: text }),
  reason('no_items', {}),
  reason('items_missing', {}),
  reason('no_recurring_price', {}),
  reason('amount_too_large', {}),
  reason('price_not_in_currency', { priceId: text, priceCurrency: text, currency: text }),
  reason('price_tiers_missing', { priceId: text }),
  /** `part`: `rounding`, `billing_scheme` or `tiers_mode`. */
  reason('price_unknown', { priceId: text, part: text, value: text }),
  reason('price_option_unreadable', { priceId: text, problem: text }),
  reason('price_without_amount', { priceId: text }),
  reason('price_without_tier', { priceId: text, units: text }),

  // What interrupts reading from Stripe. `message` is Stripe's.
  reason('stripe_refuses_key', { status: count, message: text }),
  reason('stripe_answered', { status: count, message: text }),
  reason('stripe_gave_no_answer', { message: text }),

  // What interrupts reading the service's listing. `answer` is the service's.
  reason('listing_throttled', { answer: text }),
  reason('listing_waits', { until: text }),
  reason('listing_refused_parameters', { answer: text.optional() }),
  reason('listing_refused_token', { answer: text }),
  reason('listing_repeats_page', {}),

  // What became of an instruction.
  /** `instead`: the code of what stands against the payment that was asked. */
  reason('planned', { action: text, dueAt: text, instead: text.optional() }),
  reason('message_not_understood', {}),
  reason('suggestion_not_understood', { suggestion: text }),
  reason('no_suggestion', {}),
  reason('beyond_horizon', { idealRetryAt: text, days: count }),
  reason('past_horizon', { dueAt: text, days: count }),
  reason('newer_instruction', {}),
  reason('actions_stopped', { count }),
  reason('service_takes_over', { requestId: text }),
  reason('invoice_settled', { invoiceId: text, status: text }),

  // Why an invoice is not collected.
  reason('invoice_unknown', { invoiceId: text }),
  reason('invoice_status', { status: text }),
  reason('written_off', { stripeReason: text }),
  /** `note`: what the person said; absent where it is not for the reader. */
  reason('stopped_by_person', { note: text.optional() }),
  /** `requestId`: of the instruction, where it is the one that ended the action. */
  reason('stopped_by_service', { requestId: text.optional() }),
  reason('disputed', {}),
  /** `because`: the dispute's reason. */
  reason('payer_disputes', { disputeId: text, because: text }),
  reason('nothing_remaining', {}),
  reason('sent_to_customer', {}),
  /** `subscriptionId`: the one that began after the failure. */
  reason('subscribed_again', { subscriptionId: text }),
  reason('customer_hidden', { account: text }),
  reason('customer_forgotten', {}),
  reason('customer_deleted', { customerId: text.optional() }),
  reason('subscription_status', { subscriptionId: text, status: text }),
  reason('sign_up', { subscriptionId: text.optional(), status: text.optional() }),
  reason('cancel_requested', { subscriptionId: text, endsAt: text }),
  reason('pause_requested', { subscriptionId: text }),
  reason('collection_paused', { subscriptionId: text, until: text.optional() }),

  // Why a payment is not made now, or not with this method.
  reason('processing', {}),
  reason('no_payment_method', {}),
  reason('method_not_chosen', { paymentMethod: text }),
  reason('card_not_retried', { country: text }),
  reason('stripe_tries', { at: text }),
  /** `paymentMethod`: where the customer has just chosen it. */
  reason('fraud_reported', { warningId: text, paymentMethod: text.optional() }),
  /** `because`: the code that decided. */
  reason('hard_decline', { because: text, declinedAt: text }),
  reason('decline_asks_to_wait', { because: text }),
  reason('few_attempts', { count, because: text }),
  /** `invoiceId`: the other one. */
  reason('equal_amount', { invoiceId: text }),
  reason('funds_lacked', { invoiceId: text }),
  reason('chosen_card_declined', { paymentMethod: text, because: text }),
  reason('hours_between_attempts', { hours: count }),
  reason('attempts_on_invoice', { max: count }),
  /** `rule`: the network's own figure. */
  reason('attempts_with_card', {
    network: text.optional(),
    max: count,
    hours: count,
    rule: count.optional(),
    isOneAmount: z.literal(true).optional(),
  }),
  reason('debit_presentments', { scheme: text, max: count }),
  reason('debit_window_over', { scheme: text, days: count }),

  // What stood in the way of a run.
  /** `permission`: what the key lacks, where that is it. */
  reason('access_refused', { message: text, permission: text.optional() }),
  reason('gave_up', { error: text }),
  /** `note`: why it was paused. */
  reason('effects_paused', { note: text }),
  reason('customer_busy', {}),
  /** `note`: why. */
  reason('postponed_by_person', { until: text, note: text.optional() }),
  reason('claim_lost', {}),
  reason('card_in_use', {}),
  reason('stopped', {}),

  // A card that expires (CARD_EXPIRY_MAIL_DAYS).
  reason('no_renewal', { subscriptionId: text }),
  reason('no_card', { subscriptionId: text }),
  reason('card_is_good', { expiry: text }),
  /** After a payment on the invoice's page. */
  reason('nothing_to_choose', {}),
  reason('part_remains', {}),

  // Another saved card (BACKUP_METHODS).
  reason('backup_comes_first', {}),
  reason('backup_has_to_wait', {}),

  // What a payment came to.
  reason('attempt_ended', {
    outcome: text,
    declineCode: text.optional(),
    stripeCode: text.optional(),
    detail: text.optional(),
  }),
  reason('attempt_refused', {
    declineCode: text.optional(),
    stripeCode: text.optional(),
    detail: text.optional(),
  }),
  /** `error`: absent where Stripe's answer is no invoice. */
  reason('attempt_unknown', { status: count.optional(), error: text.optional() }),
  reason('charge_not_known_yet', {}),
  reason('earlier_attempt_unsettled', {}),
  reason('no_charge_made', {}),
  reason('payment_observed', {}),

  // What a mail came to.
  reason('mail_sent', { template: text }),
  reason('mail_sent_before', {}),
  reason('mail_observed', { template: text }),
  reason('mail_not_taken', { answer: text }),
  /** It names the invoice, though it was asked for another one. */
  reason('named_in_mail', { template: text }),
  /** The payer is asked for everything on certain days. */
  reason('next_mail_day', { template: text }),
  reason('mail_on_its_way', { template: text }),
  reason('recent_mail', { template: text, days: count }),
  reason('enough_mails', { template: text, count }),
  reason('merchant_matter', { because: text }),
  reason('outside_window', {}),
  reason('no_address', { customerId: text }),
  reason('no_recipient', {}),
  reason('no_mail_server', {}),
  reason('no_page', {}),

  // What ended something that was planned.
  reason('replaced', { requestId: text }),
  reason('planned_before_release', {}),
  reason('new_card', {}),
  reason('period_over', {}),
  reason('invoice_ended', { status: text }),
  reason('subscription_canceled', { subscriptionId: text.optional() }),
  reason('dispute_opened', { disputeId: text }),

  // Stripe's retry signal (RETRY_SIGNAL).
  reason('signal_off', {}),
  /** `action`: `retry_now`, `wait`, `give_up`; `because`: Stripe's sentence, empty before it said anything. */
  reason('signal_says', { action: text, because: text }),
  /** `refusal`: `already_exists`, `cannot_proceed` or `invalid`; `why`: Stripe's words. */
  reason('signal_refused', { refusal: text, why: text }),
  reason('signal_unavailable', { why: text }),
  /** `status`: Stripe's, or `gone`, or `no_card`. */
  reason('signal_ended', { status: text }),

  // What became of an invoice in `exclusive` mode, and of a card.
  reason('exclusive_mode', {}),
  /** `setting`: which of RECOVER_… leaves it out, or RETRY_MODE. */
  /** Beyond what a new card pays at once. Amounts in the currency's smallest unit. */
  reason('invoice_too_old', { issuedAt: text, days: count }),
  reason('card_change_total', { total: count, max: count, currency: text }),
  reason('outside_scope', { setting: text }),
  reason('nothing_asked', { days: count }),
  /** `by`, `note`: who, and why. */
  reason('operator_asked', { by: text.optional(), note: text.optional() }),
  reason('card_overridden', { paymentMethod: text, usedByStripe: text.optional() }),

  /** It names that card, or none and follows its customer. */
  reason('card_kept_already', { subscriptionId: text }),
  /** `from`: what the subscription named before. */
  reason('subscription_card_replaced', { subscriptionId: text, from: text, to: text }),

  // Why an invoice is given up, and what was done about it.
  reason('dunning_completed', {}),
  /** `why`: the code of the embedded service. */
  reason('service_gave_up', { why: text }),
  reason('only_merchant_can_mend', { why: text }),
  /** `limit`: the code of the limit that was reached. */
  reason('attempts_used', { limit: text }),
  reason('subscription_canceled_after', { subscriptionId: text }),
  reason('collection_paused_after', { subscriptionId: text }),
  reason('subscription_paused_after', { subscriptionId: text }),
  reason('written_off_after', {}),
  reason('ended_as_chosen', { choice: text }),
  reason('no_ending_chosen', { mode: text, choice: text }),
  reason('given_up', {}),
  reason('no_longer_given_up', {}),
  reason('newer_word', {}),
  reason('stripe_collects', {}),
  reason('payment_under_way', {}),
  reason('newer_invoice', { invoiceId: text }),
  reason('no_subscription', {}),
  reason('paused_already', { subscriptionId: text }),
]);

/** A code with its parameters. */
export type Reason = z.infer<typeof reasonSchema>;
export type ReasonCode = Reason['code'];

/** Of a row. What another version wrote, and this one does not know, is kept as text. */
export function readReason(stored: unknown): Reason {
  const { success, data } = reasonSchema.safeParse(stored);
  if (success) return data;
  return { code: 'unknown_code', text: typeof stored === 'string' ? stored : JSON.stringify(stored) };
}

/** The row with its reason read; null where it has none. */
export function withReason<Row extends object>(
  row: Row & { reason: unknown },
): Row & { reason: Reason | null } {
  return { ...row, reason: row.reason === null ? null : readReason(row.reason) };
}

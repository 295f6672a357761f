/**
 * Why a case was decided as it was: stable codes with their parameters, as they are stored. `describe-decision-reason.ts` makes
 * the sentences of the listings.
 */
import { z } from 'zod';

const text = z.string();
const count = z.number();

function reason<const Code extends string, const Shape extends z.ZodRawShape>(code: Code, parameters: Shape) {
  return z.object({ code: z.literal(code) }).extend(parameters);
}

/** A retry at this moment, in the customer's zone. */
const moment = { at: text, zone: text };

/** The explanation's share of all explanations of the refusals, in percent. */
const explained = { ...moment, percent: count };

/** Times are ISO in UTC; `…On` is a date. */
export const decisionReasonSchema = z.discriminatedUnion('code', [
  /** A sentence from before there were codes. */
  reason('unknown_code', { text }),

  // Why nothing more is asked for the invoice.
  reason('invoice_paid', {}),
  reason('invoice_not_unpaid', {}),
  reason('subscription_canceled', {}),
  reason('customer_forgotten', {}),
  reason('sent_to_customer', {}),
  reason('no_failed_payment', {}),
  reason('first_failure_before_window', { failedOn: text, days: count }),
  reason('final_decline', {}),

  // Why the customer is asked, or awaited.
  reason('bank_answered', {
    declineCode: text.optional(),
    remedy: z.enum(['another_card', 'new_details', 'confirmation']),
  }),
  reason('card_not_retried', { country: text }),
  reason('no_payment_method', {}),
  reason('retries_worth_less_than_card_change', {}),
  reason('card_change_is_last_chance', {}),
  reason('card_change_asked', { againOn: text.optional() }),
  reason('customer_asked', { againOn: text.optional() }),
  reason('customer_did_not_act', {}),
  reason('request_not_delivered', {}),
  reason('collection_paused', { until: text.optional() }),
  reason('window_closed', {}),

  // Why no attempt is left.
  reason('retries_used_up', { max: count }),
  reason('presentments_used_up', { max: count }),
  reason('unexplained_declines_used_up', { count, declineCode: text.optional() }),
  reason('static_schedule_over', {}),
  reason('no_attempt_worth_its_cost', {}),
  reason('no_bank_day_left', {}),
  reason('not_carried_out', { because: text }),

  // Why a retry has this time.
  reason('card_has_rested', moment),
  reason('card_has_paid', moment),
  reason('static_schedule', { ...moment, days: z.array(count) }),
  /** `days`: of the week from Monday, 1, or of the month, whose last is 0. */
  reason('pay_schedule', {
    ...explained,
    cycle: z.enum(['weekly', 'biweekly', 'semimonthly', 'monthly']),
    days: z.array(count),
  }),
  reason('pay_day_of_several', explained),
  reason('obstacle_passes', explained),
  reason('no_pay_day', explained),
  reason('bank_day', { ...moment, methodType: text }),

  // Retries used so far.
  reason('retries_used', { used: count, max: count }),
  reason('presentments_used', { used: count, max: count }),
  reason('unexplained_declines', { count, max: count }),
]);

export type DecisionReason = z.infer<typeof decisionReasonSchema>;

/** Reads a row's reasons. An unknown one, from another version, is kept as text. */
export function readDecisionReasons(stored: readonly unknown[]): DecisionReason[] {
  return stored.map((one) => {
    const { success, data } = decisionReasonSchema.safeParse(one);
    return success ? data : { code: 'unknown_code', text: JSON.stringify(one) };
  });
}

/** Reasons not to pay now or with this method, and results of payments. */
import { z } from 'zod';
import { count, instant, ofCode, ofSubscription, reason, text, type Wording } from './define-reason.ts';

const NETWORKS: ReadonlyMap<string, string> = new Map([
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
]);

interface Cause {
  readonly declineCode?: string | undefined;
  readonly stripeCode?: string | undefined;
  readonly detail?: string | undefined;
}

function causeOf({ declineCode, stripeCode, detail }: Cause, describe: Wording['code']): string {
  const code = declineCode ?? stripeCode;
  const cause = code === undefined ? detail : describe(code);
  return cause === undefined ? '' : ` (${cause})`;
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

export const PAYMENT_REASONS = {
  // Reasons not to pay now, or not with this method.
  processing: reason({}, () => 'a payment is still processing'),
  no_payment_method: reason({}, () => 'the customer has no payment method on file'),
  method_not_chosen: reason(
    { paymentMethod: text },
    ({ paymentMethod }) => `${paymentMethod} is not, or no longer, the method chosen to pay with`,
  ),
  card_not_retried: reason(
    { country: text },
    ({ country }) =>
      `the card was issued in ${country}, where each payment needs a new notice to its holder: it is not retried`,
  ),
  stripe_tries: reason(
    { at: text },
    ({ at }, { moment }) => `Stripe itself retries at ${moment(instant(at))}`,
  ),
  /** `paymentMethod`: set if the customer has just chosen it. */
  fraud_reported: reason(
    { warningId: text, paymentMethod: text.optional() },
    ({ warningId, paymentMethod }) =>
      `${paymentMethod === undefined ? '' : `${paymentMethod} was chosen, but `}the holder of this card reported fraud to the bank (${warningId})`,
  ),
  /** `because`: the deciding code. */
  hard_decline: reason(
    { because: text, declinedAt: text },
    ({ because, declinedAt }, { code, moment }) =>
      `this card was declined on ${moment(instant(declinedAt))} (${code(because)}), which another attempt will not fix`,
  ),
  decline_asks_to_wait: ofCode((because) => `the last decline asks to wait (${because})`),
  few_attempts: reason(
    { count, because: text },
    ({ count, because }, { code }) =>
      `${count} attempts with this card failed, which is enough (the last: ${code(because)})`,
  ),
  /** `invoiceId`: of the other invoice. */
  equal_amount: reason(
    { invoiceId: text },
    ({ invoiceId }) =>
      `the card was asked for the same amount for ${invoiceId}; too close, it is taken for a duplicate`,
  ),
  funds_lacked: reason(
    { invoiceId: text },
    ({ invoiceId }) => `the card lacked funds for ${invoiceId}, which is not larger`,
  ),
  chosen_card_declined: reason(
    { paymentMethod: text, because: text },
    ({ paymentMethod, because }, { code }) =>
      `${paymentMethod} was chosen, but its last attempt was declined (${code(because)})`,
  ),
  hours_between_attempts: reason(
    { hours: count },
    ({ hours }) => `${hours} ${hours === 1 ? 'hour' : 'hours'} between attempts`,
  ),
  attempts_on_invoice: reason(
    { max: count },
    ({ max }) => `limit reached: ${max} attempts on one invoice with one card`,
  ),
  /** `rule`: the network's own figure. */
  attempts_with_card: reason(
    {
      network: text.optional(),
      max: count,
      hours: count,
      rule: count.optional(),
      isOneAmount: z.literal(true).optional(),
    },
    ({ network, max, hours, rule, isOneAmount }) =>
      [
        network === undefined ? '' : `${NETWORKS.get(network) ?? network}: `,
        `${max}${isOneAmount ? ' of one amount' : ''} in ${hours > 48 ? `${hours / 24} days` : `${hours} hours`}`,
        rule === undefined ? '' : ` (rule: ${rule})`,
      ].join(''),
  ),
  debit_presentments: reason(
    { scheme: text, max: count },
    ({ scheme, max }) => `limit reached: ${scheme}: ${max} presentments of one invoice`,
  ),
  debit_window_over: reason(
    { scheme: text, days: count },
    ({ scheme, days }) => `limit reached: ${scheme}: within ${days} days of the first`,
  ),

  // Obstacles of a run.
  /** `permission`: the missing one, if that is the cause. */
  access_refused: reason(
    { message: text, permission: text.optional() },
    ({ message, permission }) =>
      `Stripe refused the key: ${permission === undefined ? message : `it lacks the permission ${permission}`}`,
  ),
  gave_up: reason({ error: text }, ({ error }) => `gave up after repeated failures: ${error}`),
  /** `note`: the reason of the pause. */
  effects_paused: reason({ note: text }, ({ note }) => `payments and emails are paused: ${note}`),
  customer_busy: reason({}, () => 'another action for the same customer is running'),
  /** `note`: the person's reason. */
  postponed_by_person: reason(
    { until: text, note: text.optional() },
    ({ until, note }, { moment }) =>
      `a person postponed it to ${moment(instant(until))}${note === undefined ? '' : `: ${note}`}`,
  ),
  claim_lost: reason({}, () => 'it was stopped, or its run took too long; nothing was sent'),
  card_in_use: reason(
    {},
    () => 'another attempt with the same card began meanwhile; the limits are looked at again',
  ),
  stopped: reason({}, () => 'it was stopped while it ran'),

  // Expiring cards (CARD_EXPIRY_MAIL_DAYS).
  no_renewal: ofSubscription((subscription) => `${subscription} does not renew`),
  no_card: ofSubscription((subscription) => `${subscription} is not charged on a card`),
  card_is_good: reason({ expiry: text }, ({ expiry }) => `its card is good to the end of ${expiry}`),
  /** Follows a payment on the invoice's page. */
  nothing_to_choose: reason({}, () => 'what is charged next time is what has paid, or was chosen already'),
  part_remains: reason({}, () => 'a part of the invoice was paid, and the rest is still owed'),

  // Backup methods (BACKUP_METHODS).
  backup_comes_first: reason({}, () => 'another saved card is tried first (BACKUP_METHODS)'),
  backup_has_to_wait: reason({}, () => 'this saved card would have to wait for more than half a day'),

  // Results of payments.
  attempt_ended: reason(
    {
      outcome: text,
      declineCode: text.optional(),
      stripeCode: text.optional(),
      detail: text.optional(),
    },
    ({ outcome, ...cause }, { code, state }) => `${state(outcome)}${causeOf(cause, code)}`,
  ),
  attempt_refused: reason(
    {
      declineCode: text.optional(),
      stripeCode: text.optional(),
      detail: text.optional(),
    },
    (cause, { code }) => `Stripe did not try${causeOf(cause, code)}; the invoice is read again and decides`,
  ),
  /** `error`: absent if Stripe's answer is no invoice. */
  attempt_unknown: reason(
    { status: count.optional(), error: text.optional() },
    (cause) => `the outcome is unknown (${describeUnknown(cause)}); the same attempt is repeated`,
  ),
  charge_not_known_yet: reason({}, () => 'it is not known yet whether Stripe made a charge'),
  earlier_attempt_unsettled: reason({}, () => 'an earlier attempt on the invoice is not settled yet'),
  no_charge_made: reason({}, () => 'Stripe shows no charge for the attempt; it is made again'),
  payment_observed: reason({}, () => 'observed only: the invoice would have been paid now'),
};

/** The sentences of every reason of a decision, as the listings show it. */
import { DateTime } from 'luxon';
import { zoneNamed } from '../policy/timing/own-mornings.ts';
import type { DecisionReason } from '../reasons/decision-reason.ts';

type Code = DecisionReason['code'];
type Of<Wanted extends Code> = Extract<DecisionReason, { code: Wanted }>;

const REMEDIES: Readonly<Record<Of<'bank_answered'>['remedy'], string>> = {
  another_card: 'this card must not be tried again',
  new_details: 'the details of the card must change',
  confirmation: 'the customer must confirm the payment',
};

const TEXTS: { readonly [Each in Code]: (reason: Of<Each>) => string | string[] } = {
  unknown_code: ({ text }) => text,

  invoice_paid: () => 'The invoice is paid.',
  invoice_not_unpaid: () => 'The invoice is not owed any more.',
  subscription_canceled: () => 'The subscription is canceled.',
  customer_forgotten: () => 'The customer was forgotten.',
  sent_to_customer: () => 'The customer pays this invoice by sending money; Stripe sends it and reminds.',
  no_failed_payment: () => 'No payment of this invoice has failed.',
  first_failure_before_window: ({ failedOn, days }) =>
    `The first payment failed on ${failedOn}, before the window of ${days} days.`,
  final_decline: () => 'The merchant blocked it, or nobody is left to pay: neither a retry nor an email.',

  bank_answered: ({ declineCode = 'without a code', remedy }) =>
    `The bank answered ${declineCode}: ${REMEDIES[remedy]}.`,
  card_not_retried: ({ country }) =>
    `The card was issued in ${country}, where each payment needs a new notice: the customer is asked to confirm it.`,
  no_payment_method: () => 'There is no payment method to charge: the customer is asked for one.',
  retries_worth_less_than_card_change: () =>
    'The attempts that are left are worth less than a request for another card.',
  card_change_is_last_chance: () => 'Another card is the last chance: the customer is asked.',
  card_change_asked: ({ againOn }) =>
    `An email asking for another card was requested.${describeReminder(againOn)}`,
  customer_asked: ({ againOn }) =>
    `An email to the customer was requested; a retry before they act would be refused again.${describeReminder(againOn)}`,
  customer_did_not_act: () =>
    'An email to the customer was requested, and the invoice was still unpaid when the window ended.',
  request_not_delivered: () =>
    'The request for the customer could not be handed over yet; it is tried again.',
  collection_paused: ({ until }) =>
    `The merchant has paused collection${until === undefined ? '' : ` until ${describeInstant(until)}`}; neither a retry nor an email goes out meanwhile.`,
  window_closed: () => 'The window has closed.',

  retries_used_up: ({ max }) => `All ${max} retries were made or requested.`,
  presentments_used_up: ({ max }) => `All ${max} presentments were made or requested.`,
  unexplained_declines_used_up: ({ count, declineCode = 'no code' }) =>
    `${count} attempts with this card failed, the last with ${declineCode}, which names no cause: more are not made.`,
  static_schedule_over: () => 'The static schedule of this case is over.',
  no_attempt_worth_its_cost: () => 'No attempt that is left is worth its cost.',
  no_bank_day_left: () => 'No bank day is left in the window.',

  not_carried_out: ({ because }) =>
    `The last retry was not carried out (${because}), and neither would the next with this card.`,

  card_has_rested: (reason) => [
    'As soon as the card has rested; the temporary problem should be resolved.',
    describeLocal(reason),
  ],
  card_has_paid: (reason) => ['The card has paid another invoice of the customer.', describeLocal(reason)],
  static_schedule: (reason) => [
    `Static schedule of ${reason.days.join(', ')} days, which a share of the cases keeps for comparison.`,
    describeLocal(reason),
  ],
  pay_schedule: (reason) => [`Likely payday: ${describeSchedule(reason)}.`, describeLocal(reason)],
  pay_day_of_several: (reason) => ['Likely payday, several patterns fit.', describeLocal(reason)],
  obstacle_passes: (reason) => ['The temporary problem should be resolved by then.', describeLocal(reason)],
  no_pay_day: (reason) => ['Spaced from the last attempt: no payday pattern yet.', describeLocal(reason)],
  bank_day: (reason) => [
    `A bank day with time for a ${reason.methodType} to come back.`,
    describeLocal(reason),
  ],

  retries_used: ({ used, max }) => `${used} of ${max} retries made or requested.`,
  presentments_used: ({ used, max }) => `${used} of ${max} presentments made or requested.`,
  unexplained_declines: ({ count, max }) =>
    `${count} of ${max} with this card, while its bank gives no reason.`,
};

/** The reason of a time begins with its cause. */
export function describeDecisionReason(reason: DecisionReason): string[] {
  // Each text takes its own code's parameters, which the compiler cannot see through the table.
  const text = TEXTS[reason.code] as (reason: DecisionReason) => string | string[];
  return [text(reason)].flat();
}

/** "Friday 2026-03-06 09:00 in the customer's zone, 62 % of what fits the answers so far." */
function describeLocal({ at, zone, percent }: { at: string; zone: string; percent?: number }): string {
  const local = DateTime.fromISO(at, { zone: zoneNamed(zone), locale: 'en' });
  const share = percent === undefined ? '' : `, ${percent} % of what fits the answers so far`;
  return `${local.toFormat('cccc yyyy-MM-dd HH:mm')} in the customer's zone${share}.`;
}

function describeInstant(iso: string): string {
  return DateTime.fromISO(iso, { zone: 'utc' }).toFormat("yyyy-MM-dd HH:mm 'UTC'");
}

function describeReminder(againOn: string | undefined): string {
  return againOn === undefined ? '' : ` The next one is due on ${againOn}.`;
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

function describeSchedule({ cycle, days }: Of<'pay_schedule'>): string {
  if (cycle === 'weekly' || cycle === 'biweekly') {
    const weekdays = days.map((day) => WEEKDAYS[day - 1] ?? day).join(' and ');
    return `${cycle === 'weekly' ? 'every' : 'every other'} ${weekdays}`;
  }
  const named = days.map((day) => (day === 0 ? 'the last day' : `day ${day}`));
  return `on ${named.join(' and ')} of the month`;
}

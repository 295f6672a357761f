/** The demo's plain words for the codes of the audit and of Stripe. */
import { DateTime } from 'luxon';
import type { ReaderWording } from '../../../plugin/operator/text/describe-reason.ts';

/** Day and hour in UTC; the time alone if it is the same day. */
export function moment(instant: DateTime, now?: DateTime): string {
  const time = instant.second === 0 ? 'HH:mm' : 'HH:mm:ss';
  return instant.toUTC().toFormat(now?.hasSame(instant, 'day') ? time : `ccc d LLL ${time}`);
}

export function instantOf(iso: unknown): DateTime | undefined {
  const instant = typeof iso === 'string' ? DateTime.fromISO(iso, { zone: 'utc' }) : undefined;
  return instant?.isValid ? instant : undefined;
}

const CASE_REASONS: ReadonlyMap<string, string> = new Map([
  ['hard_decline', 'another card was asked for'],
  ['payment_details_must_change', 'another card was asked for'],
  ['authentication_required', 'a confirmation was asked for'],
  ['soft_decline', 'the outcome of a retry is awaited'],
  ['generic_decline', 'the outcome of a retry is awaited'],
  ['bank_debit_returned', 'the outcome of a debit is awaited'],
  ['waiting_for_the_customer', 'another card was asked for'],
  ['the_customer_did_not_act', 'the invoice stayed unpaid'],
  ['the_customer_was_asked_often_enough', 'no more emails are asked for'],
  ['card_change_is_worth_more', 'another card was asked for'],
  ['attempts_used_up', 'all attempts are used up'],
  ['blocked_by_the_merchant_or_final', "blocked by Stripe's fraud protection or the merchant"],
  ['subscription_canceled', 'the subscription was canceled'],
]);

/** Why the service waits with a case, or gave it up. */
export function describeCaseReason(reason: string): string {
  return CASE_REASONS.get(reason) ?? reason.replaceAll('_', ' ');
}

/** Ids mean nothing to a reader of the story. */
export const IN_STORY: ReaderWording = { name: (what) => `the ${what}`, moment: (at) => moment(at) };

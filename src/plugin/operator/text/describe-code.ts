/** Sums and codes of Stripe for readers of English. */

import { uncapitalize } from '../../../core/base/sentence-case.ts';
import { findAdvice, findDecline } from '../../../core/declines/find-decline.ts';
import { MASTERCARD_ADVICE, VISA_CATEGORIES } from '../../../core/declines/network-codes.ts';
import { cleanName } from '../../mails/clean-name.ts';
import { formatMoney } from '../../mails/format-money.ts';

export function money(amount: number, currency: string, locale = 'en'): string {
  return formatMoney(amount, currency, locale);
}

const CODES: ReadonlyMap<string, string> = new Map([
  ['authentication_required', 'the bank wants the customer to confirm'],
  ['invoice_payment_intent_requires_action', 'the bank wants the customer to confirm'],
  ['card_reported_fraudulent', 'the holder of the card reported fraud to the bank'],
  ['card_velocity_exceeded', 'card used too often today'],
  ['do_not_honor', 'declined by the bank, without a reason'],
  ['expired_card', 'card expired'],
  ['generic_decline', 'declined without a reason'],
  ['highest_risk_level', "blocked by Stripe's fraud protection"],
  ['fraudulent', "blocked by Stripe's fraud protection"],
  ['incorrect_cvc', 'wrong security code'],
  ['insufficient_funds', 'insufficient funds'],
  ['invoice_unknown', 'Stripe does not know the invoice'],
  ['issuer_not_available', 'bank not reachable'],
  ['lost_card', 'card reported lost'],
  ['missing_payment_method', 'no payment method to charge'],
  ['no_charge_found', 'Stripe shows no charge for the attempt'],
  ['processing_error', 'processing error'],
  ['stolen_card', 'card reported stolen'],
  ['card_declined', 'declined'],
  ['do_not_try_again', 'the bank asks not to try this card again'],
]);

/** Names of networks as `classify` gives them. */
const NETWORKS: ReadonlyMap<string, string> = new Map([
  ...MASTERCARD_ADVICE.map(({ value, meaning }) => [`Mastercard advice ${value}`, meaning] as const),
  ...VISA_CATEGORIES.flatMap(({ codes, meaning }) =>
    codes.map((code) => [`Visa code ${code}`, meaning] as const),
  ),
]);

/** Brief words of its own, else the first part of its description in the tables of declines. An unknown code is shown unchanged. */
export function describeCode(code: string): string {
  const own = CODES.get(code);
  const meaning = NETWORKS.get(code) ?? (findDecline(code) ?? findAdvice(code))?.meaning;
  const [brief = ''] = meaning?.split(/[;:.(]/) ?? [];
  if (own !== undefined || brief === '') return own ?? code.replaceAll('_', ' ');
  return brief.startsWith('Stripe') ? brief.trim() : uncapitalize(brief.trim());
}

/** What customers choose themselves, as one line without what a terminal would obey. */
export function describePerson(parts: readonly (string | null)[]): string {
  return parts.flatMap((part) => cleanName(part ?? undefined) ?? []).join(', ');
}

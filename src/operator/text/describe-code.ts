/** Sums and codes of Stripe for readers of English. */
import { cleanName } from '../../email/clean-name.ts';
import { formatMoney } from '../../email/format-money.ts';

export function money(amount: number, currency: string): string {
  return formatMoney(amount, currency, 'en');
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
]);

/** A code that has no words here is shown as it is. */
export function describeCode(code: string): string {
  return CODES.get(code) ?? code.replaceAll('_', ' ');
}

/** What customers choose themselves, as one line without what a terminal would obey. */
export function describePerson(parts: readonly (string | null)[]): string {
  return parts.flatMap((part) => cleanName(part ?? undefined) ?? []).join(', ');
}

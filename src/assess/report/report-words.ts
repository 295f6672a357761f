import { findDecline } from '../../declines/find-decline.ts';
import { brandName } from '../../email/format-card.ts';
import type { Need } from '../figures/open-money.ts';
import type { Cause } from '../history/failed-renewals.ts';

export const CAUSES: Readonly<Record<Cause, string>> = {
  retry: 'Retry of the same card',
  other_card: 'Another card',
  confirmation: 'Confirmed by the customer',
  without_charge: 'Without a charge',
};

export const NEEDS: Readonly<Record<Need, string>> = {
  retry: 'another attempt may be made.',
  card: 'the customer has to give another card.',
  confirm: 'the customer has to confirm the payment with the bank.',
  merchant: 'only the merchant can help, for example by a rule of Radar.',
};

/** Guards of payments, by their names. */
export const GUARDS: Readonly<Record<string, string>> = {
  hard_decline: 'a card that was declined for good, or asked to rest longer',
  few_attempts: 'enough attempts after an unexplained decline',
  network_limits: 'limits of attempts per invoice, card and time, with our margin',
  equal_amount: 'one amount twice within hours, or one for which the card had just lacked funds',
};

export const LIMITS: Readonly<Record<string, string>> = {
  visa_720_hours: 'Visa: 20 attempts in 30 days',
  mastercard_24_hours: 'Mastercard: 10 attempts in 24 hours',
  mastercard_720_hours: 'Mastercard: 35 attempts of one amount in 30 days',
  debit_presentments: 'bank debits: presentments of one payment',
  debit_window_over: 'bank debits: days within which a payment may be presented again',
};

/** The name itself where there are no words for it. */
export function nameOf(names: Readonly<Record<string, string>>, name: string): string {
  return names[name] ?? name;
}

const READABLE = (code: string): string => code.replaceAll('_', ' ');
const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** What a row's key means, by what the table is about. */
export const KEY_WORDS = {
  month: (key: string) => key,
  reason: (code: string) =>
    code === 'no_payment_method'
      ? 'No payment method to charge'
      : (findDecline(code)?.meaning.replace(/\.$/, '') ?? READABLE(code)),
  network: (brand: string) => (brand === 'none' ? 'No charge was made' : READABLE(brandName(brand))),
  country: (code: string) => (/^[A-Z]{2}$/.test(code) ? (COUNTRIES.of(code) ?? code) : 'Not known'),
} as const;

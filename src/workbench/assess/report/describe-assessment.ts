/** An assessment in a few lines, for the terminal: one currency after the other, a verdict, and what to do next. Pure. */

import { findDecline } from '../../../core/declines/find-decline.ts';
import { brandName } from '../../../plugin/mails/format-card.ts';
import type { Assessment, Counted, FailedRow, Need } from '../figures/assessment.ts';
import type { Cause } from '../history/failed-renewals.ts';
import { count, money, share } from './report-table.tsx';

interface ReportOptions {
  readonly months: number;
  readonly isSimulated: boolean;
}

export function describeAssessment(assessment: Assessment, asked: ReportOptions): string {
  const { total } = assessment;
  if (total.length === 0) return `No renewal failed in ${asked.months} months: there is nothing to recover.`;
  return [
    ...total.map((row) => describeCurrency(row, assessment)),
    total.map(judge).join('\n'),
    asked.isSimulated ? NEXT_WITH_A_KEY : NEXT,
  ].join('\n\n');
}

function describeCurrency(row: FailedRow, { open }: Assessment): string {
  const { currency, failed, recovered, lost, young } = row;
  const sum = ({ amount, invoices }: Counted) => `${money(amount, currency)} (${renewals(invoices)})`;
  const lines: [string, string][] =
    failed.invoices === 0
      ? []
      : [
          ['Failed at first', sum(failed)],
          ['Recovered', `${sum(recovered)}, ${share(recovered.amount, failed.amount)}`],
          ['In recovery', sum(row.open)],
          ['Lost', sum(lost)],
        ];
  if (young.invoices > 0) lines.push(['In the last 30 days', `${sum(young)} failed, and may still be paid`]);
  const parts = open.filter((each) => each.currency === currency);
  if (parts.length > 1)
    lines.push(['In recovery now', `${sum(addUpOpen(parts))}, the last 30 days included`]);
  for (const one of parts)
    lines.push([parts.length > 1 ? '  of these' : 'In recovery now', `${sum(one)}; ${NEEDS[one.need]}`]);
  const width = Math.max(...lines.map(([name]) => name.length));
  return [currency.toUpperCase(), ...lines.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)].join(
    '\n',
  );
}

/** Sum of one currency's open invoices over all needs. */
export function addUpOpen(parts: readonly Counted[]): Counted {
  return {
    invoices: parts.reduce((all, { invoices }) => all + invoices, 0),
    amount: parts.reduce((all, { amount }) => all + amount, 0),
  };
}

/** Failures younger than 30 days are too young to judge. */
function judge({ currency, failed, recovered }: FailedRow): string {
  const name = currency.toUpperCase();
  if (failed.invoices === 0)
    return `Verdict for ${name}: no failure is 30 days old yet, so nothing can be said.`;
  const missing = failed.amount - recovered.amount;
  return missing <= 0
    ? `Verdict for ${name}: everything that failed was paid in the end.`
    : `Verdict for ${name}: ${money(missing, currency)} of ${money(failed.amount, currency)} that failed was not recovered (${share(missing, failed.amount)}).`;
}

const renewals = (invoices: number): string =>
  `${count(invoices)} ${invoices === 1 ? 'renewal' : 'renewals'}`;

const NEXT = 'Next: npx stripe-payment-retry init   (with RETRY_MODE=observe nothing is charged or emailed)';
const NEXT_WITH_A_KEY = 'Next, on your own account: STRIPE_SECRET_KEY=rk_… npx stripe-payment-retry assess';

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

/** The meaning of a row's key, by table. */
export const KEY_WORDS = {
  month: (key: string) => key,
  reason: (code: string) =>
    code === 'no_payment_method'
      ? 'No payment method to charge'
      : (findDecline(code)?.meaning.replace(/\.$/, '') ?? READABLE(code)),
  network: (brand: string) => (brand === 'none' ? 'No charge was made' : READABLE(brandName(brand))),
  country: (code: string) => (/^[A-Z]{2}$/.test(code) ? (COUNTRIES.of(code) ?? code) : 'Not known'),
} as const;

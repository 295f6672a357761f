/** The figures of the overview for `status` and the API. Pure. */
import { DateTime } from 'luxon';
import { formatMoney } from '../../mails/format-money.ts';
import { type CurrencyRow, inRow } from './exchange.ts';
import { percentOf } from './labels.ts';
import {
  type Counted,
  count,
  figuresOf,
  type MoneyFacts,
  type MonthFigures,
  unpaidOf,
} from './money-facts.ts';

/** Amounts of all the row's currencies, in the smallest unit of the first. */
export interface MoneyFigures extends MonthFigures {
  readonly currency: string;
  readonly currencies: readonly string[];
  /** All that is unpaid now. */
  readonly unpaid: Counted;
  readonly needsAttention: Counted;
}

export function sumFigures(facts: MoneyFacts, row: CurrencyRow): MoneyFigures {
  return {
    currency: row.currency,
    currencies: [...row.currencies].sort(),
    ...figuresOf(facts, row, facts.month),
    unpaid: unpaidOf(facts, row),
    needsAttention: count(inRow(row, facts.needs)),
  };
}

export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly text: string;
  readonly tone: 'good' | 'warn' | undefined;
}

export function listFigures(facts: MoneyFacts, row: CurrencyRow, locale: string): Figure[] {
  const { failed, recovered, lost, unpaid, needsAttention } = sumFigures(facts, row);
  const show = ({ amount }: Counted) => formatMoney(amount, row.currency, locale);
  const month = nameMonth(facts.month);
  return [
    {
      name: `Recovered, ${month}`,
      value: show(recovered),
      text: `${recovered.invoices.toLocaleString(locale)} of ${countInvoices(failed, locale, 'failed ')}, ${show(failed)}`,
      tone: 'good',
    },
    {
      name: `Recovery rate, ${month}`,
      value: percentOf(recovered.amount, failed.amount),
      text: `${percentOf(recovered.invoices, failed.invoices)} by count`,
      tone: undefined,
    },
    { name: `Lost, ${month}`, value: show(lost), text: countInvoices(lost, locale), tone: undefined },
    { name: 'In recovery', value: show(unpaid), text: countInvoices(unpaid, locale), tone: undefined },
    {
      name: 'Needs attention',
      value: show(needsAttention),
      text: countInvoices(needsAttention, locale),
      tone: needsAttention.invoices === 0 ? undefined : 'warn',
    },
  ];
}

/** `31 invoices`. */
export function countInvoices({ invoices }: Pick<Counted, 'invoices'>, locale: string, kind = ''): string {
  return `${invoices.toLocaleString(locale)} ${kind}${invoices === 1 ? 'invoice' : 'invoices'}`;
}

/** `March 2026`. */
export function nameMonth(month: string, format = 'LLLL yyyy'): string {
  return DateTime.fromISO(month, { zone: 'utc' }).setLocale('en').toFormat(format);
}

export function nameRow({ currency, currencies }: CurrencyRow): string {
  const others = [...currencies].filter((name) => name !== currency).map((name) => name.toUpperCase());
  return `${currency.toUpperCase()}${others.length === 0 ? '' : `, with ${others.sort().join(' and ')}`}`;
}

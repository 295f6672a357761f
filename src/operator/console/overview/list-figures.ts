/** The five figures of the overview, and of `status`: what came back, failed, became of it, is at risk, waits for you. Pure. */
import { formatMoney } from '../../../email/format-money.ts';
import { type CurrencyRow, inRow } from '../parts/exchange.ts';
import { counted, countInvoices, type MoneyFacts, ofAll, totalOf } from './money-facts.ts';

export interface Figure {
  readonly name: string;
  readonly value: string;
  /** What stands beside it. */
  readonly text: string;
  readonly tone: 'good' | 'warn' | undefined;
  /** Of the invoices behind it; undefined for what needs a person, which is a list of its own. */
  readonly filter: Readonly<Record<string, string>> | undefined;
}

export function listFigures(facts: MoneyFacts, row: CurrencyRow, locale: string): Figure[] {
  const shown = { facts, row, locale };
  return [back(shown), failed(shown), before(shown), atRisk(shown), needYou(shown)];
}

export function nameRow({ currency, currencies }: CurrencyRow): string {
  const others = [...currencies].filter((name) => name !== currency).map((name) => name.toUpperCase());
  return `${currency.toUpperCase()}${others.length === 0 ? '' : `, with ${others.sort().join(' and ')}`}`;
}

interface Shown {
  readonly facts: MoneyFacts;
  readonly row: CurrencyRow;
  readonly locale: string;
}

function back({ facts, row, locale }: Shown): Figure {
  const { range, sums, backBefore } = facts;
  const now = totalOf(facts, row, counted(facts, sums.back));
  const then = totalOf(facts, row, counted(facts, backBefore));
  const days = `the same days of last ${range}`;
  return {
    name: `Came back this ${range}`,
    value: formatMoney(now, row.currency, locale),
    text:
      then === 0
        ? `nothing on ${days}`
        : `${signed(now - then, then)} against ${days}, ${formatMoney(then, row.currency, locale)}`,
    tone: 'good',
    filter: { state: 'back' },
  };
}

function failed({ facts, row, locale }: Shown): Figure {
  const { range, sums, renewals, now } = facts;
  const all = inRow(row, ofAll(sums));
  const paid = countInvoices(inRow(row, renewals));
  const unpaid = countInvoices(all.filter(({ state }) => state !== 'recovered'));
  const amount = formatMoney(totalOf(facts, row, all), row.currency, locale);
  const invoices = countInvoices(all);
  const renewed = Math.max(invoices, paid + unpaid);
  return {
    name: `Failed this ${range}`,
    value: paid === 0 ? amount : percent(invoices, renewed),
    text:
      paid === 0
        ? invoicesOf(invoices, locale)
        : `${invoices.toLocaleString(locale)} of ${renewed.toLocaleString(locale)} renewals, ${amount}`,
    tone: undefined,
    filter: { from: now.from.toISODate() ?? '' },
  };
}

function before({ facts, row, locale }: Shown): Figure {
  const { range, sumsBefore, before: span } = facts;
  const sum = (...states: Parameters<typeof ofAll>[1][]) =>
    totalOf(facts, row, counted(facts, ofAll(sumsBefore, ...states)));
  const all = totalOf(facts, row, ofAll(sumsBefore));
  const [isBack, open, lost] = [sum('recovered'), sum('open', 'waiting'), sum('lost')];
  const show = (amount: number) => formatMoney(amount, row.currency, locale);
  return {
    name: `Failed last ${range}, since back`,
    value: percent(isBack, all),
    text: all === 0 ? 'nothing failed' : `${show(isBack)} back, ${show(open)} open, ${show(lost)} lost`,
    tone: undefined,
    filter: { from: span.from.toISODate() ?? '', to: span.to.toISODate() ?? '' },
  };
}

function atRisk({ facts, row, locale }: Shown): Figure {
  const unpaid = inRow(row, facts.unpaid);
  return {
    name: 'At risk now',
    value: formatMoney(totalOf(facts, row, unpaid), row.currency, locale),
    text: `${invoicesOf(countInvoices(unpaid), locale)} unpaid, whenever they failed`,
    tone: undefined,
    filter: { state: 'unpaid' },
  };
}

function needYou({ facts, row, locale }: Shown): Figure {
  const needs = inRow(row, facts.needs);
  const count = countInvoices(needs);
  const amount = formatMoney(totalOf(facts, row, needs), row.currency, locale);
  return {
    name: 'Need you',
    value: count.toLocaleString(locale),
    text: count === 0 ? 'nothing waits for a person' : `${amount} hangs on ${count === 1 ? 'it' : 'them'}`,
    tone: count === 0 ? undefined : 'warn',
    filter: undefined,
  };
}

function invoicesOf(count: number, locale: string): string {
  return `${count.toLocaleString(locale)} ${count === 1 ? 'invoice' : 'invoices'}`;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}

function signed(change: number, whole: number): string {
  const share = Math.round((100 * change) / whole);
  return `${share < 0 ? '−' : '+'}${Math.abs(share)} %`;
}

/** The five figures of the overview, and of `status`: what came back, failed, became of it, is at risk, waits for you. Pure. */
import { formatMoney } from '../../mails/format-money.ts';
import { type CurrencyRow, inRow, type Sum } from './exchange.ts';
import { describeDisputes, percentOf } from './labels.ts';
import { counted, countInvoices, disputesOf, type MoneyFacts, ofAll, totalOf } from './money-facts.ts';

export interface Figure {
  readonly name: string;
  readonly value: string;
  /** What stands beside it. */
  readonly text: string;
  readonly tone: 'good' | 'warn' | undefined;
  /** Of the invoices behind it; undefined for what needs a person, which is a list of its own. */
  readonly filter: Readonly<Record<string, string>> | undefined;
}

interface Counted {
  readonly invoices: number;
  readonly amount: number;
}

/** The figures as numbers: amounts of all the row's currencies, in the smallest unit of the first. */
export interface MoneyFigures {
  readonly currency: string;
  readonly currencies: readonly string[];
  readonly cameBack: number;
  /** On the same days of the span before. */
  readonly cameBackBefore: number;
  /** `renewals`: all that were due, null where none is counted yet. */
  readonly failed: Counted & { readonly renewals: number | null };
  /** What became of the failures of the span before. */
  readonly failedBefore: {
    readonly amount: number;
    readonly back: number;
    readonly open: number;
    readonly lost: number;
  };
  readonly atRisk: Counted;
  readonly needYou: Counted;
}

export function sumFigures(facts: MoneyFacts, row: CurrencyRow): MoneyFigures {
  const { sums, sumsBefore, renewals, backBefore, unpaid, needs } = facts;
  const all = inRow(row, ofAll(sums));
  const paid = countInvoices(inRow(row, renewals));
  const stillUnpaid = countInvoices(all.filter(({ state }) => state !== 'recovered'));
  const failed = countOf(facts, row, all);
  const before = (...states: Parameters<typeof ofAll>[1][]) =>
    totalOf(facts, row, counted(facts, ofAll(sumsBefore, ...states)));
  return {
    currency: row.currency,
    currencies: [...row.currencies].sort(),
    cameBack: totalOf(facts, row, counted(facts, sums.back)),
    cameBackBefore: totalOf(facts, row, counted(facts, backBefore)),
    failed: { ...failed, renewals: paid === 0 ? null : Math.max(failed.invoices, paid + stillUnpaid) },
    failedBefore: {
      amount: totalOf(facts, row, ofAll(sumsBefore)),
      back: before('recovered'),
      open: before('open', 'waiting'),
      lost: before('lost'),
    },
    atRisk: countOf(facts, row, inRow(row, unpaid)),
    needYou: countOf(facts, row, inRow(row, needs)),
  };
}

function countOf(
  facts: MoneyFacts,
  row: CurrencyRow,
  sums: readonly (Sum & { readonly invoices: number })[],
): Counted {
  return { invoices: countInvoices(sums), amount: totalOf(facts, row, sums) };
}

export function listFigures(facts: MoneyFacts, row: CurrencyRow, locale: string): Figure[] {
  const { cameBack, cameBackBefore, failed, failedBefore, atRisk, needYou } = sumFigures(facts, row);
  const { range, now, before, sums, sumsBefore, unpaid } = facts;
  const held = (some: Parameters<typeof disputesOf>[2]) => {
    const words = describeDisputes(disputesOf(facts, row, some), row.currency, locale);
    return words === undefined ? '' : `; ${words}`;
  };
  const { zone } = facts;
  const span = { from: now.from.toISODate() ?? '', to: now.to.toISODate() ?? '', zone };
  const show = (amount: number) => formatMoney(amount, row.currency, locale);
  const days = `the same days of last ${range}`;
  return [
    {
      name: `Came back this ${range}`,
      value: show(cameBack),
      text:
        (cameBackBefore === 0
          ? `nothing on ${days}`
          : `${signed(cameBack - cameBackBefore, cameBackBefore)} against ${days}, ${show(cameBackBefore)}`) +
        held(sums.back),
      tone: 'good',
      filter: { state: 'back', ended_from: span.from, ended_to: span.to, zone },
    },
    {
      name: `Failed this ${range}`,
      value: failed.renewals === null ? show(failed.amount) : percentOf(failed.invoices, failed.renewals),
      text:
        (failed.renewals === null
          ? invoicesOf(failed.invoices, locale)
          : `${failed.invoices.toLocaleString(locale)} of ${failed.renewals.toLocaleString(locale)} renewals, ${show(failed.amount)}`) +
        held(ofAll(sums)),
      tone: undefined,
      filter: span,
    },
    {
      name: `Failed last ${range}, since back`,
      value: percentOf(failedBefore.back, failedBefore.amount),
      text:
        failedBefore.amount === 0
          ? 'nothing failed'
          : `${show(failedBefore.back)} back, ${show(failedBefore.open)} open, ${show(failedBefore.lost)} lost${held(ofAll(sumsBefore))}`,
      tone: undefined,
      filter: { from: before.from.toISODate() ?? '', to: before.to.toISODate() ?? '', zone },
    },
    {
      name: 'At risk now',
      value: show(atRisk.amount),
      text: `${invoicesOf(atRisk.invoices, locale)} unpaid, whenever they failed${held(unpaid)}`,
      tone: undefined,
      filter: { state: 'unpaid' },
    },
    {
      name: 'Need you',
      value: needYou.invoices.toLocaleString(locale),
      text:
        needYou.invoices === 0
          ? 'nothing waits for a person'
          : `${show(needYou.amount)} hangs on ${needYou.invoices === 1 ? 'it' : 'them'}`,
      tone: needYou.invoices === 0 ? undefined : 'warn',
      // The page has them all, whatever their currency.
      filter: facts.rows.length === 1 ? undefined : { state: 'needs_you' },
    },
  ];
}

export function nameRow({ currency, currencies }: CurrencyRow): string {
  const others = [...currencies].filter((name) => name !== currency).map((name) => name.toUpperCase());
  return `${currency.toUpperCase()}${others.length === 0 ? '' : `, with ${others.sort().join(' and ')}`}`;
}

function invoicesOf(count: number, locale: string): string {
  return `${count.toLocaleString(locale)} ${count === 1 ? 'invoice' : 'invoices'}`;
}

function signed(change: number, whole: number): string {
  const share = Math.round((100 * change) / whole);
  return `${share < 0 ? '−' : '+'}${Math.abs(share)} %`;
}

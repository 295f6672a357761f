/** Five figures, a row for each currency that cannot be added to another: what came back, failed, became of it, is at risk, waits for you. */
import type { ComponentChildren } from 'preact';
import { formatMoney } from '../../../email/format-money.ts';
import type { Reader } from '../page-reader.ts';
import { type CurrencyRow, inRow } from '../parts/exchange.ts';
import { counted, countInvoices, type MoneyFacts, ofAll, type Range, totalOf } from './money-facts.ts';

interface Shown {
  readonly facts: MoneyFacts;
  readonly reader: Reader;
}

interface ShownRow extends Shown {
  readonly row: CurrencyRow;
}

export function Figures({ facts, reader }: Shown) {
  const { rows, row: chosen, isGross, zone } = facts;
  if (rows.length === 0) return <p class="soft">No payment has failed yet.</p>;
  const isOne = rows.length === 1;
  return (
    <>
      {rows.map((row) => (
        <section aria-label={`Figures in ${nameRow(row)}`}>
          {!isOne && (
            <h2>
              <a
                href={addressOf(facts, reader, { currency: row.currency })}
                aria-current={row === chosen ? 'true' : undefined}
              >
                {nameRow(row)}
              </a>
            </h2>
          )}
          <dl class="figures">
            <Back {...{ facts, reader, row }} />
            <Failed {...{ facts, reader, row }} />
            <Before {...{ facts, reader, row }} />
            <AtRisk {...{ facts, reader, row }} />
            <NeedsYou {...{ facts, reader, row }} />
          </dl>
        </section>
      ))}
      <p class="soft">
        {isGross ? 'Before refunds and lost disputes. ' : 'Without what was refunded or lost in disputes. '}
        <a href={addressOf(facts, reader, { isGross: !isGross })}>
          {isGross ? 'Take them off' : 'Show the sums before them'}
        </a>
        . Days and months are those of {zone}.{!isOne && ` Charts and tables below: ${nameRow(chosen)}.`}
      </p>
    </>
  );
}

function nameRow({ currency, currencies }: CurrencyRow): string {
  const others = [...currencies].filter((name) => name !== currency).map((name) => name.toUpperCase());
  return `${currency.toUpperCase()}${others.length === 0 ? '' : `, with ${others.sort().join(' and ')}`}`;
}

function Back({ facts, reader, row }: ShownRow) {
  const { range, sums, backBefore } = facts;
  const now = totalOf(facts, row, counted(facts, sums.back));
  const then = totalOf(facts, row, counted(facts, backBefore));
  const days = range === 'week' ? 'the same days of last week' : `the same days of last ${range}`;
  const change =
    then === 0
      ? `nothing on ${days}`
      : `${signed(now - then, then)} against ${days}, ${show(then, row, reader)}`;
  return (
    <Figure
      name={`Came back this ${range}`}
      to={linkTo(reader, row, { state: 'back' })}
      tone="good"
      value={show(now, row, reader)}
    >
      {change}
    </Figure>
  );
}

function Failed({ facts, reader, row }: ShownRow) {
  const { range, sums, renewals, now } = facts;
  const failed = inRow(row, ofAll(sums));
  const paid = countInvoices(inRow(row, renewals));
  const unpaid = countInvoices(failed.filter(({ state }) => state !== 'recovered'));
  const amount = show(totalOf(facts, row, failed), row, reader);
  const invoices = countInvoices(failed);
  return (
    <Figure
      name={`Failed this ${range}`}
      to={linkTo(reader, row, { from: now.from.toISODate() ?? '' })}
      value={paid === 0 ? amount : percent(invoices, Math.max(invoices, paid + unpaid))}
    >
      {paid === 0
        ? invoicesOf(invoices, reader)
        : `${number(invoices, reader)} of ${number(Math.max(invoices, paid + unpaid), reader)} renewals, ${amount}`}
    </Figure>
  );
}

function Before({ facts, reader, row }: ShownRow) {
  const { range, sumsBefore, before } = facts;
  const sum = (...states: Parameters<typeof ofAll>[1][]) =>
    totalOf(facts, row, counted(facts, ofAll(sumsBefore, ...states)));
  const failed = totalOf(facts, row, ofAll(sumsBefore));
  const [back, open, lost] = [sum('recovered'), sum('open', 'waiting'), sum('lost')];
  const span = { from: before.from.toISODate() ?? '', to: before.to.toISODate() ?? '' };
  return (
    <Figure
      name={`Failed last ${range}, since back`}
      to={linkTo(reader, row, span)}
      value={percent(back, failed)}
    >
      {failed === 0
        ? 'nothing failed'
        : `${show(back, row, reader)} back, ${show(open, row, reader)} open, ${show(lost, row, reader)} lost`}
    </Figure>
  );
}

function AtRisk({ facts, reader, row }: ShownRow) {
  const unpaid = inRow(row, facts.unpaid);
  return (
    <Figure
      name="At risk now"
      to={linkTo(reader, row, { state: 'unpaid' })}
      value={show(totalOf(facts, row, unpaid), row, reader)}
    >
      {invoicesOf(countInvoices(unpaid), reader)} unpaid, whenever they failed
    </Figure>
  );
}

function NeedsYou({ facts, reader, row }: ShownRow) {
  const needs = inRow(row, facts.needs);
  const count = countInvoices(needs);
  return (
    <Figure
      name="Need you"
      to={`${reader.root}needs`}
      tone={count === 0 ? '' : 'warn'}
      value={number(count, reader)}
    >
      {count === 0
        ? 'nothing waits for a person'
        : `${show(totalOf(facts, row, needs), row, reader)} hangs on ${count === 1 ? 'it' : 'them'}`}
    </Figure>
  );
}

interface FigureProps {
  readonly name: string;
  readonly to: string;
  readonly value: string;
  readonly tone?: string;
  readonly children: ComponentChildren;
}

function Figure({ name, to, value, tone = '', children }: FigureProps) {
  return (
    <div class={tone}>
      <dt>
        <a href={to}>{name}</a>
      </dt>
      <dd>
        <strong>{value}</strong> <span class="soft">{children}</span>
      </dd>
    </div>
  );
}

/** The overview with something else chosen. */
export function addressOf(
  { range, isGross, currency }: Pick<MoneyFacts, 'range' | 'isGross' | 'currency'>,
  { root }: Reader,
  changes: { readonly range?: Range; readonly isGross?: boolean; readonly currency?: string },
): string {
  const chosen = { range, isGross, currency, ...changes };
  const parts = new URLSearchParams({ range: chosen.range });
  if (chosen.isGross) parts.set('money', 'gross');
  if (chosen.currency !== undefined) parts.set('currency', chosen.currency);
  return `${root}?${parts}`;
}

/** The invoices behind a figure. */
function linkTo(
  { root }: Reader,
  { currency, currencies }: CurrencyRow,
  filter: Record<string, string>,
): string {
  const of = currencies.size === 1 ? { currency: [...currencies][0] ?? currency } : {};
  return `${root}invoices?${new URLSearchParams({ ...filter, ...of })}`;
}

function show(amount: number, { currency }: CurrencyRow, { locale }: Reader): string {
  return formatMoney(amount, currency, locale);
}

function number(count: number, { locale }: Reader): string {
  return count.toLocaleString(locale);
}

function invoicesOf(count: number, reader: Reader): string {
  return `${number(count, reader)} ${count === 1 ? 'invoice' : 'invoices'}`;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}

function signed(change: number, whole: number): string {
  const share = Math.round((100 * change) / whole);
  return `${share < 0 ? '−' : '+'}${Math.abs(share)} %`;
}

/** What became of the invoices that failed first in one month, and in each month. */
import { Key, Segments } from '../../../../core/web/segments.tsx';
import { formatMoney } from '../../../mails/format-money.ts';
import { MOST_COUNTED } from '../../../store/reports/money/month-cost.ts';
import { inRow } from '../../figures/exchange.ts';
import { describeDisputes, describeMethod, percentOf } from '../../figures/labels.ts';
import { countInvoices, nameMonth } from '../../figures/list-figures.ts';
import { type Counted, figuresOf, METHODS, type Method } from '../../figures/money-facts.ts';
import { datesOf, linkTo, overviewOf, type ShownOverview } from './overview-parts.tsx';
import { Sparkline } from './sparkline.tsx';

const METHOD_TONES: Readonly<Record<Method, string>> = {
  retry: 'good',
  new_card: 'second',
  confirmation: 'third',
  without_us: 'none',
};
const METHOD_LIST = Object.keys(METHODS) as Method[];

export function MonthCards(shown: ShownOverview) {
  const { facts, reader, subscriptions } = shown;
  const { row } = facts;
  const figures = figuresOf(facts, row, facts.month);
  const { failed, recovered, inRecovery, lost } = figures;
  const show = ({ amount }: Counted) => formatMoney(amount, row.currency, reader.locale);
  const tiles = [
    { name: 'Failed', tone: undefined, state: undefined, value: show(failed), of: failed },
    { name: 'In recovery', tone: 'open', state: 'unpaid', value: show(inRecovery), of: inRecovery },
    { name: 'Lost', tone: 'lost', state: 'lost', value: show(lost), of: lost },
  ];
  const [all, ...rest] = tiles.map(({ name, tone, state, value, of }) => (
    <div>
      <dt>{tone === undefined ? name : <Key tone={tone}>{name}</Key>}</dt>
      <dd>
        <a href={linkTo(reader, row, { ...datesOf(facts.month), ...(state === undefined ? {} : { state }) })}>
          {value}
        </a>
        <small>{countInvoices(of, reader.locale)}</small>
      </dd>
    </div>
  ));
  return (
    <>
      {facts.rows.length === 0 ? (
        <section class="card blank">
          <h3>No failed payments yet</h3>
          <p class="soft">
            We’re watching {subscriptions.toLocaleString(reader.locale)}{' '}
            {subscriptions === 1 ? 'subscription' : 'subscriptions'}. When a renewal fails, this page shows
            its amount, its next step and the recovered total.
          </p>
        </section>
      ) : (
        <Recovered {...shown} />
      )}
      <dl class="card tiles">
        {all}
        <div>
          <dt>Recovery rate</dt>
          <dd>
            <a href={linkTo(reader, row, datesOf(facts.month))}>
              {percentOf(recovered.amount, failed.amount)}
            </a>
            <small>
              {failed.invoices === 0
                ? 'no failures yet'
                : `${percentOf(recovered.invoices, failed.invoices)} by count`}
            </small>
          </dd>
        </div>
        {rest}
      </dl>
    </>
  );
}

function Recovered(shown: ShownOverview) {
  const { facts, cost, reader } = shown;
  const { row, month } = facts;
  const { failed, recovered, paid, methods } = figuresOf(facts, row, month);
  const show = (amount: number) => formatMoney(amount, row.currency, reader.locale);
  const held = describeDisputes(recovered, row.currency, reader.locale);
  const span = datesOf(facts.month);
  const counted = (count: number, noun: string) =>
    `${count.toLocaleString(reader.locale)}${count === MOST_COUNTED ? '+' : ''} ${noun}${count === 1 ? '' : 's'}`;
  return (
    <section class="card recovered">
      <div class="hero">
        <div>
          <h3>Recovered</h3>
          <a class="sum" href={linkTo(reader, row, { ...span, state: 'recovered' })}>
            {show(recovered.amount)}
          </a>
          <p>
            <b>{recovered.invoices.toLocaleString(reader.locale)}</b> of{' '}
            {countInvoices(failed, reader.locale, 'failed ')}
          </p>
          <p class="soft">{describeChange(shown, recovered.amount)}</p>
        </div>
        <Sparkline facts={facts} reader={reader} />
      </div>
      <Segments
        parts={METHOD_LIST.map((method) => [METHOD_TONES[method], methods[method].amount] as const)}
      />
      <dl class="methods">
        {METHOD_LIST.map((method) => {
          const [tone, name] = [METHOD_TONES[method], describeMethod(method)];
          const { invoices, amount } = methods[method];
          return (
            <div>
              <dt>
                <Key tone={tone}>{name}</Key>
              </dt>
              <dd>
                {invoices === 0 ? (
                  '–'
                ) : (
                  <a href={linkTo(reader, row, { ...span, state: 'recovered', method })}>{show(amount)}</a>
                )}{' '}
                {invoices > 0 && <span class="soft">{invoices.toLocaleString(reader.locale)}</span>}
              </dd>
            </div>
          );
        })}
      </dl>
      <p class="foot">
        <span>
          Cost:{' '}
          <a href={`${reader.root}attempts?${new URLSearchParams(span)}`}>
            {counted(cost.attempts, 'attempt')}
          </a>
          ,{' '}
          <a href={`${reader.root}emails?${new URLSearchParams({ ...span, state: 'sent' })}`}>
            {counted(cost.emails, 'email')}
          </a>
        </span>
        <span>
          Paid in {nameMonth(month, 'LLLL')}:{' '}
          <a href={linkTo(reader, row, { ...datesOf(month, 'ended_'), state: 'recovered' })}>
            {show(paid.amount)}
          </a>
        </span>
        {held && (
          <a href={linkTo(reader, row, { ...span, state: 'recovered', disputed: 'open' })}>
            {held.replace('includes', 'Includes')}
          </a>
        )}
      </p>
    </section>
  );
}

function describeChange({ facts, compared }: ShownOverview, amount: number): string {
  if (facts.month === facts.months.at(-1)) return 'Month in progress, no comparison yet';
  if (compared === undefined) return '';
  const then = figuresOf(facts, facts.row, compared).recovered.amount;
  if (then === 0) return `No data for ${nameMonth(compared)}`;
  const change = (100 * (amount - then)) / then;
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)}% vs ${nameMonth(compared)}`;
}

/** More are shown on demand. */
const SHOWN = 6;
/** Amounts from here on leave out the cents; in the currency's unit. */
const LARGE = 100_000;

export function OutcomeByMonth(shown: ShownOverview) {
  const { facts, reader, isWhole } = shown;
  const { row, months } = facts;
  const own = inRow(row, facts.sums);
  const known = months.filter((month) => own.some((sum) => sum.month === month && sum.dimension === 'all'));
  const listed = [...known].reverse().slice(0, isWhole ? undefined : SHOWN);
  const rows = listed.map((month) => ({ month, figures: figuresOf(facts, row, month) }));
  const most = Math.max(1, ...rows.map(({ figures }) => figures.failed.amount));
  const all = figuresOf(facts, row);
  const isLarge = all.failed.amount >= LARGE * 100;
  const show = ({ amount }: Counted) =>
    isLarge
      ? formatMoney(amount, row.currency, reader.locale).replace(/[.,]\d\d(?=\D*$)/, '')
      : formatMoney(amount, row.currency, reader.locale);
  return (
    <section class="card flush outcomes">
      <div class="head">
        <h3>
          Outcome by month <span class="soft">of first failure</span>
        </h3>
        <span>
          <a class="go" href={`${reader.root}reports?month=${facts.month}`}>
            Reports
          </a>
          {known.length > listed.length ? (
            <a class="go" href={overviewOf(shown, { months: 'all' })}>
              All {known.length} months
            </a>
          ) : (
            <a class="go" href={`${reader.root}invoices.csv`} download="invoices.csv">
              Export CSV
            </a>
          )}
        </span>
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">Month</th>
            <td class="bar-cell" />
            <th scope="col" class="number failed">
              Failed
            </th>
            {OUTCOMES.map(({ name, tone }) => (
              <th scope="col" class="number">
                <Key tone={tone}>{name}</Key>
              </th>
            ))}
            <th scope="col" class="number">
              Rate
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ month, figures }) => (
            <tr>
              <th scope="row">
                {nameMonth(month, month === months.at(-1) ? 'LLL' : 'LLL yyyy')}
                {month === months.at(-1) && <span class="far">, so far</span>}
              </th>
              <td class="bar-cell">
                <Segments
                  parts={OUTCOMES.map(({ of, tone }) => [tone, figures[of].amount] as const)}
                  width={(100 * figures.failed.amount) / most}
                  height={12}
                />
              </td>
              <td class="number failed">
                <a href={linkTo(reader, row, datesOf(month))}>{show(figures.failed)}</a>
              </td>
              {OUTCOMES.map(({ of, state }) => (
                <td class="number">
                  <a href={linkTo(reader, row, { ...datesOf(month), state })}>{show(figures[of])}</a>
                </td>
              ))}
              <td class="number">{percentOf(figures.recovered.amount, figures.failed.amount)}</td>
            </tr>
          ))}
        </tbody>
        {known.length === listed.length && (
          <tfoot>
            <tr>
              <th scope="row">Total</th>
              <td class="bar-cell" />
              <td class="number failed">{show(all.failed)}</td>
              {OUTCOMES.map(({ of }) => (
                <td class="number">{show(all[of])}</td>
              ))}
              <td class="number">{percentOf(all.recovered.amount, all.failed.amount)}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}

const OUTCOMES = [
  { of: 'recovered', name: 'Recovered', tone: 'good', state: 'recovered' },
  { of: 'inRecovery', name: 'In recovery', tone: 'open', state: 'unpaid' },
  { of: 'lost', name: 'Lost', tone: 'lost', state: 'lost' },
] as const;

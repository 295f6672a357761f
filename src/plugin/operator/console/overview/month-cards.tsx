/** What became of the invoices that failed first in one month, and in each month. */
import { Key, Segments } from '../../../../core/web/segments.tsx';
import { formatMoney } from '../../../mails/format-money.ts';
import { MOST_COUNTED } from '../../../store/reports/money/sum-failures.ts';
import { inRow } from '../../figures/exchange.ts';
import { describeDisputes, describeMethod, percentOf } from '../../figures/labels.ts';
import { countInvoices, nameMonth } from '../../figures/list-figures.ts';
import { type Counted, figuresOf, METHODS, type Method } from '../../figures/money-facts.ts';
import { useReader } from '../page-reader.ts';
import { Count, Link } from '../parts/cells.tsx';
import { Amount, datesOf, invoicesOf, overviewOf, type ShownOverview } from './overview-parts.tsx';
import { Sparkline } from './sparkline.tsx';

const METHOD_TONES: Readonly<Record<Method, string>> = {
  retry: 'good',
  new_card: 'second',
  confirmation: 'third',
  without_us: 'none',
};
const METHOD_LIST = Object.keys(METHODS) as Method[];

const FAILED = { of: 'failed', name: 'Failed', tone: undefined, filter: {}, class: 'number failed' } as const;
/** What becomes of them. */
const OUTCOMES = [
  { of: 'recovered', name: 'Recovered', tone: 'good', filter: { state: 'recovered' }, class: 'number' },
  { of: 'inRecovery', name: 'In recovery', tone: 'open', filter: { state: 'unpaid' }, class: 'number' },
  { of: 'lost', name: 'Lost', tone: 'lost', filter: { state: 'lost' }, class: 'number' },
] as const;
const SUMS = [FAILED, ...OUTCOMES];

function Name({ name, tone }: (typeof SUMS)[number]) {
  return tone === undefined ? name : <Key tone={tone}>{name}</Key>;
}

export function MonthCards(shown: ShownOverview) {
  const { facts, subscriptions } = shown;
  const { row, month } = facts;
  const { locale } = useReader();
  const figures = figuresOf(facts, row, month);
  const { failed, recovered } = figures;
  const [all, , ...rest] = SUMS.map((sum) => (
    <div>
      <dt>
        <Name {...sum} />
      </dt>
      <dd>
        <Amount row={row} amount={figures[sum.of].amount} filter={{ ...datesOf(month), ...sum.filter }} />
        <small>{countInvoices(figures[sum.of], locale)}</small>
      </dd>
    </div>
  ));
  return (
    <>
      {facts.rows.length === 0 ? (
        <section class="card blank">
          <h3>No failed payments yet</h3>
          <p class="soft">
            We’re watching <Count of={subscriptions} />{' '}
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
            <Link to={invoicesOf(row, datesOf(month))}>{percentOf(recovered.amount, failed.amount)}</Link>
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
  const { facts, cost } = shown;
  const { row, month } = facts;
  const { locale } = useReader();
  const { failed, recovered, paid, methods } = figuresOf(facts, row, month);
  const held = describeDisputes(recovered, row.currency, locale);
  const span = datesOf(month);
  const filter = { ...span, state: 'recovered' };
  const counted = (count: number, noun: string) =>
    `${count.toLocaleString(locale)}${count === MOST_COUNTED ? '+' : ''} ${noun}${count === 1 ? '' : 's'}`;
  return (
    <section class="card recovered">
      <div class="hero">
        <div>
          <h3>Recovered</h3>
          <Amount class="sum" row={row} amount={recovered.amount} filter={filter} />
          <p>
            <b>
              <Count of={recovered.invoices} />
            </b>{' '}
            of {countInvoices(failed, locale, 'failed ')}
          </p>
          <p class="soft">{describeChange(shown, recovered.amount)}</p>
        </div>
        <Sparkline {...facts} />
      </div>
      <Segments
        parts={METHOD_LIST.map((method) => [METHOD_TONES[method], methods[method].amount] as const)}
      />
      <dl class="methods">
        {METHOD_LIST.map((method) => {
          const { invoices, amount } = methods[method];
          return (
            <div>
              <dt>
                <Key tone={METHOD_TONES[method]}>{describeMethod(method)}</Key>
              </dt>
              <dd>
                {invoices === 0 ? '–' : <Amount {...{ row, amount }} filter={{ ...filter, method }} />}{' '}
                {invoices > 0 && (
                  <span class="soft">
                    <Count of={invoices} />
                  </span>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      <p class="foot">
        <span>
          Cost: <Link to={`attempts?${new URLSearchParams(span)}`}>{counted(cost.attempts, 'attempt')}</Link>,{' '}
          <Link to={`emails?${new URLSearchParams({ ...span, state: 'sent' })}`}>
            {counted(cost.emails, 'email')}
          </Link>
        </span>
        <span>
          Paid in {nameMonth(month, 'LLLL')}:{' '}
          <Amount
            row={row}
            amount={paid.amount}
            filter={{ ...datesOf(month, 'ended_'), state: 'recovered' }}
          />
        </span>
        {held && (
          <Link to={invoicesOf(row, { ...filter, disputed: 'open' })}>
            {held.replace('includes', 'Includes')}
          </Link>
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
  const { facts, isWhole } = shown;
  const { row, months } = facts;
  const { locale, root } = useReader();
  const own = inRow(row, facts.sums);
  const known = months.filter((month) => own.some((sum) => sum.month === month && sum.dimension === 'all'));
  const listed = [...known].reverse().slice(0, isWhole ? undefined : SHOWN);
  const rows = listed.map((month) => ({ month, figures: figuresOf(facts, row, month) }));
  const most = Math.max(1, ...rows.map(({ figures }) => figures.failed.amount));
  const all = figuresOf(facts, row);
  const cents = all.failed.amount >= LARGE * 100 ? /[.,]\d\d(?=\D*$)/ : '';
  const show = ({ amount }: Counted) => formatMoney(amount, row.currency, locale).replace(cents, '');
  return (
    <section class="card flush outcomes">
      <div class="head">
        <h3>
          Outcome by month <span class="soft">of first failure</span>
        </h3>
        <span>
          <Link class="go" to={`reports?month=${facts.month}`}>
            Reports
          </Link>
          {known.length > listed.length ? (
            <Link class="go" to={overviewOf(shown, { months: 'all' })}>
              All {known.length} months
            </Link>
          ) : (
            <a class="go" href={`${root}invoices.csv`} download="invoices.csv">
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
            {SUMS.map((sum) => (
              <th scope="col" class={sum.class}>
                <Name {...sum} />
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
              {SUMS.map(({ of, filter, ...cell }) => (
                <td class={cell.class}>
                  <Link to={invoicesOf(row, { ...datesOf(month), ...filter })}>{show(figures[of])}</Link>
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
              {SUMS.map(({ of, ...cell }) => (
                <td class={cell.class}>{show(all[of])}</td>
              ))}
              <td class="number">{percentOf(all.recovered.amount, all.failed.amount)}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}

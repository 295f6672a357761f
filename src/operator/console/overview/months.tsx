/** Is it getting better? What became of each month's failures, and how soon this month's are paid. */
import type { DateTime } from 'luxon';
import { formatMoney, minorDigits } from '../../../email/format-money.ts';
import { BarKey, CurveKey, FATES, ShareCurves, StackedBars } from '../../../http/chart.tsx';
import type { PaidAfter } from '../../../store/reports/money/failure-months.ts';
import type { MoneyState } from '../../../store/reports/money/sum-failures.ts';
import type { Reader } from '../page-reader.ts';
import { WideTable } from '../parts/cells.tsx';
import { ColumnHeads, numbers } from '../parts/column-heads.tsx';
import { inRow } from '../parts/exchange.ts';
import { counted, countInvoices, type MoneyFacts, totalOf } from './money-facts.ts';

const NAMES = ['Back', 'Still open', 'Lost'];
const STATES: readonly (readonly MoneyState[])[] = [['recovered'], ['open', 'waiting'], ['lost']];

interface Shown {
  readonly facts: MoneyFacts;
  readonly reader: Reader;
}

export function MonthsOfFailure({ facts, reader }: Shown) {
  const { row, span12 } = facts;
  const sums = counted(facts, inRow(row, facts.months));
  if (sums.length === 0) return null;
  const { currency } = row;
  const compact = new Intl.NumberFormat(reader.locale, {
    ...{ style: 'currency', currency, notation: 'compact', maximumSignificantDigits: 3 },
  } as const);
  const months = Array.from({ length: 12 }, (_, index) => {
    const month = span12.from.plus({ months: index });
    const own = sums.filter((sum) => sum.month === month.toFormat('yyyy-MM'));
    const amounts = STATES.map((states) =>
      totalOf(
        facts,
        row,
        own.filter(({ state }) => states.includes(state)),
      ),
    );
    return { month, amounts, invoices: countInvoices(own) };
  });
  const unit = 10 ** minorDigits(currency);
  return (
    <section class="card">
      <h2>What became of each month’s failures</h2>
      <figure class="chart">
        <StackedBars
          id="fate"
          label="Failed money by month of the first failure: back, still open, lost; the table beneath has the numbers"
          classes={FATES}
          bars={months.map(({ month, amounts }) => ({
            name: month.setLocale('en').toFormat('LLL'),
            values: amounts.map((amount) => amount / unit),
          }))}
          format={(value) => compact.format(value)}
        />
      </figure>
      <ul class="legend">
        {NAMES.map((name, place) => (
          <li>
            <BarKey id="fate" place={place} classes={FATES} /> {name}
          </li>
        ))}
      </ul>
      <details>
        <summary>The numbers</summary>
        <WideTable label="Failures by month" isStacked>
          <ColumnHeads columns={['Failed in', ...numbers('Invoices', ...NAMES, 'Share back')]} />
          <tbody>
            {months
              .filter(({ invoices }) => invoices > 0)
              .map(({ month, amounts, invoices }) => (
                <tr>
                  <th scope="row">{month.setLocale('en').toFormat('LLLL yyyy')}</th>
                  <td class="number" data-name="Invoices">
                    {invoices.toLocaleString(reader.locale)}
                  </td>
                  {amounts.map((amount, place) => (
                    <td class="number" data-name={NAMES[place]}>
                      {formatMoney(amount, currency, reader.locale)}
                    </td>
                  ))}
                  <td class="number" data-name="Share back">
                    {shareOf(amounts)}
                  </td>
                </tr>
              ))}
          </tbody>
        </WideTable>
      </details>
    </section>
  );
}

function shareOf(amounts: readonly number[]): string {
  const all = amounts.reduce((sum, amount) => sum + amount, 0);
  return all === 0 ? '–' : `${((100 * (amounts[0] ?? 0)) / all).toFixed(1)} %`;
}

const DAYS = 30;
const DAY_MS = 86_400_000;
const NAMED_DAYS = [1, 3, 7, 14, 21, 30];

/**
 * In percent of the failed invoices, how many were paid by each day. A young failure counts for the days that it is old
 * (Kaplan and Meier's estimate), up to the last day of which any failure tells.
 */
export function sharePaidBy(counts: readonly PaidAfter[], today: DateTime): number[] {
  const date = Date.parse(today.toISODate() ?? '');
  const aged = counts.map(({ day, days, invoices }) => ({
    ...{ days: days ?? Number.POSITIVE_INFINITY, invoices },
    age: (date - Date.parse(day)) / DAY_MS,
  }));
  const shares: number[] = [];
  let unpaid = 1;
  for (let day = 0; day <= DAYS && aged.some(({ age }) => age >= day); day += 1) {
    const watched = aged.filter(({ age, days }) => age >= day && days >= day);
    const all = countInvoices(watched);
    if (all > 0) unpaid *= 1 - countInvoices(watched.filter(({ days }) => days === day)) / all;
    shares.push(100 * (1 - unpaid));
  }
  return shares;
}

export function PaidByDay({ facts, reader }: Shown) {
  const today = reader.now.setZone(facts.zone).startOf('day');
  const lines = [facts.paidAfter, facts.paidAfterBefore].map((counts) => sharePaidBy(counts, today));
  const [now = [], before = []] = lines;
  if (now.length === 0 && before.length === 0) return null;
  return (
    <section class="card">
      <h2>Paid by day after the failure</h2>
      <p class="soft">
        Share of the failed invoices, in every currency. A young failure counts for the days that it is old.
      </p>
      <figure class="chart">
        <ShareCurves
          label="Share of the failed invoices that was paid by each day after the failure, this month's and last month's; the table beneath has the numbers"
          lines={lines}
          days={DAYS}
        />
      </figure>
      <ul class="legend">
        {['This month’s failures', 'Last month’s failures'].map((name, place) => (
          <li>
            <CurveKey place={place} /> {name}
          </li>
        ))}
      </ul>
      <details>
        <summary>The numbers</summary>
        <table>
          <ColumnHeads columns={['By day', ...numbers('This month', 'Last month')]} />
          <tbody>
            {NAMED_DAYS.map((day) => (
              <tr>
                <th scope="row">{day}</th>
                {[now[day], before[day]].map((share) => (
                  <td class="number">{share === undefined ? '–' : `${share.toFixed(1)} %`}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

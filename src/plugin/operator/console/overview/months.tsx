/** Is it getting better? What became of each month's failures, and how soon this month's are paid. */
import type { DateTime } from 'luxon';
import { BarKey, CurveKey, FATES, ShareCurves, StackedBars } from '../../../../core/web/chart.tsx';
import { formatMoney, minorDigits } from '../../../mails/format-money.ts';
import type { PaidAfter } from '../../../store/reports/money/failure-months.ts';
import type { MoneyState } from '../../../store/reports/money/sum-failures.ts';
import { inRow } from '../../figures/exchange.ts';
import { describeDisputes, percentOf } from '../../figures/labels.ts';
import { counted, countInvoices, disputesOf, type MoneyFacts, totalOf } from '../../figures/money-facts.ts';
import type { Reader } from '../page-reader.ts';
import { type Column, figures, Rows, WideTable } from '../parts/wide-table.tsx';

const NAMES = ['Back', 'Still open', 'Lost'];
const STATES: readonly (readonly MoneyState[])[] = [['recovered'], ['open', 'waiting'], ['lost']];

interface Shown {
  readonly facts: MoneyFacts;
  readonly reader: Reader;
}

interface Month {
  readonly month: DateTime;
  readonly amounts: readonly number[];
  readonly invoices: number;
  /** What of it is in open disputes, in words. */
  readonly held: string | undefined;
}

export function MonthsOfFailure({ facts, reader }: Shown) {
  const { row, span12 } = facts;
  const sums = counted(facts, inRow(row, facts.months));
  if (sums.length === 0) return null;
  const { currency } = row;
  const compact = new Intl.NumberFormat(reader.locale, {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumSignificantDigits: 3,
  } as const);
  const months = Array.from({ length: 12 }, (_, index): Month => {
    const month = span12.from.plus({ months: index });
    const own = sums.filter((sum) => sum.month === month.toFormat('yyyy-MM'));
    const amounts = STATES.map((states) =>
      totalOf(
        facts,
        row,
        own.filter(({ state }) => states.includes(state)),
      ),
    );
    return {
      month,
      amounts,
      invoices: countInvoices(own),
      held: describeDisputes(disputesOf(facts, row, own), currency, reader.locale),
    };
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
        <WideTable
          label="Failures by month"
          isStacked
          rows={months.filter(({ invoices }) => invoices > 0)}
          columns={monthColumns(currency, reader)}
        />
      </details>
    </section>
  );
}

function monthColumns(currency: string, reader: Reader): Column<Month>[] {
  return [
    {
      name: 'Failed in',
      cell: ({ month, held }) => (
        <>
          {month.setLocale('en').toFormat('LLLL yyyy')}
          {held && <small>{held}</small>}
        </>
      ),
    },
    {
      name: 'Invoices',
      isNumber: true,
      isNamed: true,
      cell: ({ invoices }) => invoices.toLocaleString(reader.locale),
    },
    ...NAMES.map(
      (name, place): Column<Month> => ({
        name,
        isNumber: true,
        isNamed: true,
        cell: ({ amounts }) => formatMoney(amounts[place] ?? 0, currency, reader.locale),
      }),
    ),
    {
      name: 'Share back',
      isNumber: true,
      isNamed: true,
      cell: ({ amounts }) =>
        percentOf(
          amounts[0] ?? 0,
          amounts.reduce((all, amount) => all + amount, 0),
        ),
    },
  ];
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
    days: days ?? Number.POSITIVE_INFINITY,
    invoices,
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
  const columns: Column<number>[] = [
    { name: 'By day', cell: (day) => day },
    figures('This month', (day) => sharePaid(now[day])),
    figures('Last month', (day) => sharePaid(before[day])),
  ];
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
          <Rows rows={NAMED_DAYS} columns={columns} />
        </table>
      </details>
    </section>
  );
}

function sharePaid(share: number | undefined): string {
  return share === undefined ? '–' : `${share.toFixed(1)} %`;
}

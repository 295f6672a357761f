/** Money that came back, day by day, by what brought it back; the numbers stand beneath. */

import { type Bar, BarKey, StackedBars } from '../../../../core/web/chart.tsx';
import { formatMoney, minorDigits } from '../../../mails/format-money.ts';
import type { BackSum } from '../../../store/reports/money/failure-months.ts';
import type { Cause } from '../../../store/reports/money/sum-failures.ts';
import { inRow } from '../../figures/exchange.ts';
import { CAUSE_WORDS, describeDisputes } from '../../figures/labels.ts';
import { counted, disputesOf, type MoneyFacts, totalOf } from '../../figures/money-facts.ts';
import type { Reader } from '../page-reader.ts';
import { type Column, WideTable } from '../parts/wide-table.tsx';

const CAUSES = Object.keys(CAUSE_WORDS) as Cause[];
const NAMES = Object.values(CAUSE_WORDS);

export function RecoveredChart({ facts, reader }: { facts: MoneyFacts; reader: Reader }) {
  const { currency } = facts.row;
  const back = counted(facts, inRow(facts.row, facts.sums.back));
  if (back.length === 0) return null;
  const unit = 10 ** minorDigits(currency);
  const by = facts.range === 'year' ? 'month' : 'day';
  const bars = listBars(facts, back, by);
  const compact = new Intl.NumberFormat(reader.locale, {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumSignificantDigits: 3,
  } as const);
  const held = describeDisputes(disputesOf(facts, facts.row, back), currency, reader.locale);
  const amounts = (name: string, place: number): Column<Bar> => ({
    name,
    isNumber: true,
    isNamed: true,
    isNone: ({ values }) => !values[place],
    cell: ({ values }) => formatMoney(Math.round((values[place] ?? 0) * unit), currency, reader.locale),
  });
  return (
    <section class="card">
      <h2>What brought it back, by {by}</h2>
      <p class="soft">
        When it came back, whenever its payment had failed
        {facts.isGross ? '' : '; refunds and lost disputes excluded'}
        {held === undefined ? '.' : `; ${held}.`}
      </p>
      <figure class="chart">
        <StackedBars
          id="cause"
          label={`Money recovered by ${by} and cause; the table beneath has the numbers`}
          bars={bars}
          format={(value) => compact.format(value)}
        />
      </figure>
      <ul class="legend">
        {CAUSES.map((cause, index) => {
          const amount = totalOf(
            facts,
            facts.row,
            back.filter((sum) => sum.cause === cause),
          );
          return (
            <li>
              <BarKey id="cause" place={index} /> {CAUSE_WORDS[cause]}{' '}
              <b>{formatMoney(amount, currency, reader.locale)}</b>
            </li>
          );
        })}
      </ul>
      <details>
        <summary>The numbers</summary>
        <WideTable
          label="Recovered money by cause"
          isStacked
          rows={bars.filter(({ values }) => values.some((value) => value > 0))}
          columns={[{ name: 'When', cell: ({ name }) => name }, ...NAMES.map(amounts)]}
        />
      </details>
    </section>
  );
}

function listBars(facts: MoneyFacts, back: readonly BackSum[], by: 'day' | 'month'): Bar[] {
  const unit = 10 ** minorDigits(facts.row.currency);
  const { from, to } = facts.now;
  const form = by === 'day' ? 'yyyy-MM-dd' : 'yyyy-MM';
  return Array.from({ length: Math.round(to.diff(from, by).as(by)) }, (_, index) => {
    const start = from.plus({ [by]: index });
    const place = start.toFormat(form);
    const own = back.filter(({ day }) => day.startsWith(place));
    return {
      name: start.setLocale('en').toFormat(by === 'day' ? 'd LLL' : 'LLL'),
      values: CAUSES.map(
        (cause) =>
          totalOf(
            facts,
            facts.row,
            own.filter((sum) => sum.cause === cause),
          ) / unit,
      ),
    };
  });
}

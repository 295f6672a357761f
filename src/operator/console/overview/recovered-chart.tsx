/** Money that came back, day by day, by what brought it back; the numbers stand beneath. */
import { DateTime } from 'luxon';
import { formatMoney, minorDigits } from '../../../email/format-money.ts';
import { type Bar, StackedBars } from '../../../http/chart.tsx';
import type { Cause } from '../../../store/reports/money/sum-failures.ts';
import type { Reader } from '../page-reader.ts';
import { ColumnHeads, numbers } from '../parts/column-heads.tsx';
import { addUp } from '../parts/exchange.ts';
import { CAUSE_WORDS } from '../parts/labels.ts';
import { WideTable } from '../parts/wide-table.tsx';
import type { MoneyFacts } from './money-facts.ts';

const CAUSES = Object.keys(CAUSE_WORDS) as Cause[];
const NAMES = Object.values(CAUSE_WORDS);

export function RecoveredChart({ facts, reader }: { facts: MoneyFacts; reader: Reader }) {
  if (facts.recovered.length === 0) return null;
  const bars = listBars(facts, reader);
  const { currency } = facts;
  const compact = new Intl.NumberFormat(reader.locale, {
    ...{ style: 'currency', currency, notation: 'compact', maximumSignificantDigits: 3 },
  } as const);
  return (
    <section class="card">
      <h2>Recovered money by day and cause</h2>
      <p class="soft">
        On the day when it came back, whenever its payment had failed; without what was refunded or disputed
        since.
      </p>
      <figure class="chart">
        <StackedBars
          label={`Money recovered on each of the last ${facts.days} days; the table beneath has the numbers`}
          bars={bars}
          format={(value) => compact.format(value)}
        />
      </figure>
      <ul class="legend">
        {CAUSES.map((cause, index) => {
          const sums = facts.recovered.filter((sum) => sum.cause === cause);
          const { amount } = addUp(sums, currency, facts.rates);
          return (
            <li>
              <span class={`key c${index}`} /> {CAUSE_WORDS[cause]}{' '}
              <b>{formatMoney(amount, currency, reader.locale)}</b>
            </li>
          );
        })}
      </ul>
      <details>
        <summary>The numbers, day by day</summary>
        <Numbers bars={bars} currency={currency} reader={reader} />
      </details>
    </section>
  );
}

function listBars(facts: MoneyFacts, { zone }: Reader): Bar[] {
  const unit = 10 ** minorDigits(facts.currency);
  return Array.from({ length: facts.days }, (_, index) => {
    const day = facts.since.plus({ days: index });
    const own = facts.recovered.filter((sum) => sum.day === day.toISODate());
    return {
      name: DateTime.fromISO(day.toISODate() ?? '', { zone })
        .setLocale('en')
        .toFormat('d LLL'),
      values: CAUSES.map(
        (cause) =>
          addUp(
            own.filter((sum) => sum.cause === cause),
            facts.currency,
            facts.rates,
          ).amount / unit,
      ),
    };
  });
}

function Numbers({ bars, currency, reader }: { bars: readonly Bar[]; currency: string; reader: Reader }) {
  const unit = 10 ** minorDigits(currency);
  return (
    <WideTable label="Recovered money by day" isStacked>
      <ColumnHeads columns={['Day', ...numbers(...NAMES)]} />
      <tbody>
        {bars
          .filter(({ values }) => values.some((value) => value > 0))
          .map(({ name, values }) => (
            <tr>
              <th scope="row">{name}</th>
              {values.map((value, index) => (
                <td class={value > 0 ? 'number' : 'number none'} data-name={NAMES[index]}>
                  {formatMoney(Math.round(value * unit), currency, reader.locale)}
                </td>
              ))}
            </tr>
          ))}
      </tbody>
    </WideTable>
  );
}

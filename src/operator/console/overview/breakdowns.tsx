/** What came back of what failed in the period, by what the failures had in common. */
import { formatMoney } from '../../../email/format-money.ts';
import { DIMENSIONS, type Dimension, netOf } from '../../../store/reports/money/sum-failures.ts';
import type { Reader } from '../page-reader.ts';
import { ColumnHeads, numbers } from '../parts/column-heads.tsx';
import { DIMENSION_WORDS, describeValue } from '../parts/labels.ts';
import { type MoneyFacts, totalOf } from './money-facts.ts';

const SHOWN = 8;

export function Breakdowns({ facts, reader }: { facts: MoneyFacts; reader: Reader }) {
  if (facts.failed.length === 0) return null;
  return (
    <div class="columns">
      {DIMENSIONS.map((dimension) => (
        <Breakdown dimension={dimension} facts={facts} reader={reader} />
      ))}
    </div>
  );
}

interface Row {
  readonly value: string | null;
  readonly failed: number;
  readonly recovered: number;
}

function Breakdown({
  dimension,
  facts,
  reader,
}: {
  dimension: Dimension;
  facts: MoneyFacts;
  reader: Reader;
}) {
  const sums = facts.failed.filter((sum) => sum.dimension === dimension);
  const rows = [...new Set(sums.map(({ value }) => value))]
    .map((value): Row => {
      const own = sums.filter((sum) => sum.value === value);
      return {
        value,
        failed: totalOf(facts, own).amount,
        recovered: totalOf(facts, own.map(netOf), 'recovered').amount,
      };
    })
    .sort((one, other) => other.failed - one.failed);
  const rest = rows.slice(SHOWN);
  const show = (amount: number) => formatMoney(amount, facts.currency, reader.locale);
  return (
    <section class="card">
      <h2>{DIMENSION_WORDS[dimension]}</h2>
      <table class="shares">
        <ColumnHeads columns={[DIMENSION_WORDS[dimension], ...numbers('Failed', 'Recovered')]} />
        <tbody>
          {rows.slice(0, SHOWN).map(({ value, failed, recovered }) => (
            <tr>
              <th scope="row">
                <a href={`${reader.root}invoices?${new URLSearchParams({ [dimension]: value ?? '' })}`}>
                  {nameValue(dimension, value, facts)}
                </a>
              </th>
              <td class="number">{show(failed)}</td>
              <td class="number">
                <Share part={recovered} whole={failed} />
              </td>
            </tr>
          ))}
          {rest.length > 0 && (
            <tr>
              <th scope="row">{rest.length} others</th>
              <td class="number">{show(rest.reduce((sum, { failed }) => sum + failed, 0))}</td>
              <td class="number">
                <Share
                  part={rest.reduce((sum, { recovered }) => sum + recovered, 0)}
                  whole={rest.reduce((sum, { failed }) => sum + failed, 0)}
                />
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}

/** Prices of one product have one name; most are of one currency. */
function nameValue(dimension: Dimension, value: string | null, { plans, failed }: MoneyFacts): string {
  const name = describeValue(dimension, value, plans);
  const isShared = [...plans].some(([id, other]) => other === name && id !== value);
  if (dimension !== 'plan' || !isShared) return name;
  const own = failed.filter((sum) => sum.dimension === dimension && sum.value === value);
  const currencies = [...new Set(own.map(({ currency }) => currency.toUpperCase()))];
  return `${name}, ${currencies.sort().join(' and ')}`;
}

function Share({ part, whole }: { part: number; whole: number }) {
  const percent = whole === 0 ? 0 : Math.round((100 * part) / whole);
  return (
    <span class="share">
      <svg width="48" height="8" aria-hidden="true">
        <rect class="rail" width="48" height="8" rx="4" />
        <rect class="fill" width={(48 * percent) / 100} height="8" rx="4" />
      </svg>
      {percent} %
    </span>
  );
}

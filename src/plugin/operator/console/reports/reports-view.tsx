/** A month's failed invoices by what they have in common. */
import { formatMoney } from '../../../mails/format-money.ts';
import { DIMENSIONS, type Dimension } from '../../../store/reports/money/sum-failures.ts';
import { inRow } from '../../figures/exchange.ts';
import { DIMENSION_WORDS, describeValue, percentOf } from '../../figures/labels.ts';
import { nameMonth } from '../../figures/list-figures.ts';
import { type Counted, count, figuresOf, type MoneyFacts } from '../../figures/money-facts.ts';
import { datesOf, linkTo } from '../overview/overview-parts.tsx';
import type { Reader } from '../page-reader.ts';
import { type Column, figures, Rows } from '../parts/wide-table.tsx';

const SHOWN = 8;
/** Shares of fewer invoices say little. */
const FEW = 20;

export interface ShownReports {
  readonly facts: MoneyFacts;
  readonly plans: ReadonlyMap<string, string>;
  readonly reader: Reader;
}

export function ReportsView(shown: ShownReports) {
  const { facts, reader } = shown;
  const { invoices } = figuresOf(facts, facts.row, facts.month).failed;
  return (
    <>
      <div class="head">
        <h1>
          Reports, <a href={`${reader.root}?month=${facts.month}`}>{nameMonth(facts.month)}</a>
        </h1>
        <a href={`${reader.root}email-outcomes`}>Results of emails</a>
      </div>
      {invoices < FEW ? (
        <p class="soft">
          {nameMonth(facts.month)} has fewer than {FEW} failed invoices: too few for a breakdown.
        </p>
      ) : (
        <div class="columns">
          {DIMENSIONS.map((dimension) => (
            <Breakdown dimension={dimension} {...shown} />
          ))}
        </div>
      )}
    </>
  );
}

interface Row {
  readonly value: string | null;
  readonly failed: Counted;
  readonly recovered: Counted;
}

function Breakdown({ dimension, facts, plans, reader }: ShownReports & { readonly dimension: Dimension }) {
  const { row, month } = facts;
  const sums = inRow(row, facts.sums).filter((sum) => sum.dimension === dimension && sum.month === month);
  const toRow = (value: string | null, own: typeof sums): Row => ({
    value,
    failed: count(own),
    recovered: count(own.filter(({ state }) => state === 'recovered')),
  });
  const rows = [...new Set(sums.map(({ value }) => value))]
    .map((value) =>
      toRow(
        value,
        sums.filter((sum) => sum.value === value),
      ),
    )
    .sort((one, other) => other.failed.amount - one.failed.amount);
  /** Prices of one product have one name; most are of one currency. */
  const nameValue = (value: string | null) => {
    const name = describeValue(dimension, value, plans);
    if (![...plans].some(([id, other]) => other === name && id !== value)) return name;
    const currencies = new Set(
      sums.filter((sum) => sum.value === value).map(({ currency }) => currency.toUpperCase()),
    );
    return `${name}, ${[...currencies].sort().join(' and ')}`;
  };
  const columns: Column<Row>[] = [
    {
      name: DIMENSION_WORDS[dimension],
      cell: ({ value }) => (
        <a href={linkTo(reader, row, { [dimension]: value ?? '', ...datesOf(month) })}>{nameValue(value)}</a>
      ),
    },
    figures('Invoices', ({ failed }) => failed.invoices.toLocaleString(reader.locale)),
    figures('Failed', ({ failed }) => formatMoney(failed.amount, row.currency, reader.locale)),
    figures('Recovery rate', ({ failed, recovered }) => percentOf(recovered.amount, failed.amount)),
  ];
  return (
    <section class="card flush">
      <h2>{DIMENSION_WORDS[dimension]}</h2>
      <table>
        <Rows
          columns={columns}
          rows={rows.slice(0, SHOWN)}
          classOf={({ failed }) => (failed.invoices < FEW ? 'soft' : undefined)}
        />
      </table>
      {rows.length > SHOWN && <p class="soft empty">{rows.length - SHOWN} more values</p>}
    </section>
  );
}

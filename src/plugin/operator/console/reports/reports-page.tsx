/** A month's failed invoices by what they have in common. */
import { DIMENSIONS, type Dimension } from '../../../store/reports/money/sum-failures.ts';
import { listPlanNames } from '../../../store/tables/sync/payers.ts';
import { inRow } from '../../figures/exchange.ts';
import { DIMENSION_WORDS, describeValue, percentOf } from '../../figures/labels.ts';
import { nameMonth } from '../../figures/list-figures.ts';
import {
  type Counted,
  count,
  figuresOf,
  type MoneyFacts,
  readMoneyFacts,
} from '../../figures/money-facts.ts';
import { datesOf, invoicesOf, moneyQuery } from '../overview/overview-parts.tsx';
import type { Page } from '../page-answer.ts';
import { Count, Link, Money } from '../parts/cells.tsx';
import { type Column, figures, Rows } from '../parts/wide-table.tsx';

const SHOWN = 8;
/** Shares of fewer invoices say little. */
const FEW = 20;

export const reportsPage: Page = async ({ database, config }, { request, reader }) => {
  const asked = moneyQuery(config, request);
  const facts = await readMoneyFacts(database, asked, reader.now, ['all', ...DIMENSIONS]);
  const known = facts.sums.flatMap(({ dimension, value }) => (dimension === 'plan' && value ? [value] : []));
  const plans = await listPlanNames(database, [...new Set(known)]);
  const month = nameMonth(facts.month);
  const { invoices } = figuresOf(facts, facts.row, facts.month).failed;
  const main = (
    <>
      <div class="head">
        <h1>
          Reports, <Link to={`?month=${facts.month}`}>{month}</Link>
        </h1>
        <Link to="email-outcomes">Results of emails</Link>
      </div>
      {invoices < FEW ? (
        <p class="soft">
          {month} has fewer than {FEW} failed invoices: too few for a breakdown.
        </p>
      ) : (
        <div class="columns">
          {DIMENSIONS.map((dimension) => (
            <Breakdown {...{ dimension, facts, plans }} />
          ))}
        </div>
      )}
    </>
  );
  return { title: 'Reports', here: 'reports', main };
};

interface ShownReports {
  readonly facts: MoneyFacts;
  readonly plans: ReadonlyMap<string, string>;
}

interface Row {
  readonly value: string | null;
  readonly failed: Counted;
  readonly recovered: Counted;
}

function Breakdown({ dimension, facts, plans }: ShownReports & { readonly dimension: Dimension }) {
  const { row, month } = facts;
  const sums = inRow(row, facts.sums).filter((sum) => sum.dimension === dimension && sum.month === month);
  const rows = [...new Set(sums.map(({ value }) => value))]
    .map((value): Row => {
      const own = sums.filter((sum) => sum.value === value);
      const recovered = own.filter(({ state }) => state === 'recovered');
      return { value, failed: count(own), recovered: count(recovered) };
    })
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
        <Link to={invoicesOf(row, { [dimension]: value ?? '', ...datesOf(month) })}>{nameValue(value)}</Link>
      ),
    },
    figures('Invoices', ({ failed }) => <Count of={failed.invoices} />),
    figures('Failed', ({ failed }) => <Money amount={failed.amount} currency={row.currency} />),
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

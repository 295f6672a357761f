/** What came back of what failed in the period, by what the failures had in common. */
import { formatMoney } from '../../../mails/format-money.ts';
import { DIMENSIONS, type Dimension } from '../../../store/reports/money/sum-failures.ts';
import { inRow } from '../../figures/exchange.ts';
import { DIMENSION_WORDS, describeDisputes, describeValue } from '../../figures/labels.ts';
import { counted, countInvoices, disputesOf, type MoneyFacts, totalOf } from '../../figures/money-facts.ts';
import type { Reader } from '../page-reader.ts';
import { type Column, figures, Rows } from '../parts/wide-table.tsx';

const SHOWN = 8;
/** Of fewer invoices a share says little. */
const FEW = 20;

export function Breakdowns({ facts, reader }: { facts: MoneyFacts; reader: Reader }) {
  if (inRow(facts.row, facts.sums.failed).length === 0) return null;
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
  /** So many values together. */
  readonly others?: number;
  readonly invoices: number;
  readonly failed: number;
  readonly recovered: number;
  readonly disputes: number;
  readonly disputed: number;
}

const toneOf = ({ invoices }: Row) => (invoices < FEW ? 'few' : undefined);

const addRows = (rows: readonly Row[]): Row => ({
  value: null,
  others: rows.length,
  invoices: rows.reduce((sum, { invoices }) => sum + invoices, 0),
  failed: rows.reduce((sum, { failed }) => sum + failed, 0),
  recovered: rows.reduce((sum, { recovered }) => sum + recovered, 0),
  disputes: rows.reduce((sum, { disputes }) => sum + disputes, 0),
  disputed: rows.reduce((sum, { disputed }) => sum + disputed, 0),
});

function Breakdown({
  dimension,
  facts,
  reader,
}: {
  dimension: Dimension;
  facts: MoneyFacts;
  reader: Reader;
}) {
  const sums = inRow(facts.row, facts.sums.failed).filter((sum) => sum.dimension === dimension);
  const rows = [...new Set(sums.map(({ value }) => value))]
    .map((value): Row => {
      const own = sums.filter((sum) => sum.value === value);
      const back = own.filter(({ state }) => state === 'recovered');
      return {
        value,
        invoices: countInvoices(own),
        failed: totalOf(facts, facts.row, own),
        recovered: totalOf(facts, facts.row, counted(facts, back)),
        ...disputesOf(facts, facts.row, own),
      };
    })
    .sort((one, other) => other.failed - one.failed);
  const rest = rows.slice(SHOWN);
  const shown = [...rows.slice(0, SHOWN), ...(rest.length === 0 ? [] : [addRows(rest)])];
  const { root, locale } = reader;
  const { from, to } = facts.now;
  const span = { from: from.toISODate() ?? '', to: to.toISODate() ?? '', zone: facts.zone };
  const { currencies } = facts.row;
  const currency = facts.rows.length === 1 ? {} : { currency: [...currencies].join(',') };
  const columns: Column<Row>[] = [
    {
      name: DIMENSION_WORDS[dimension],
      cell: ({ value, others }) =>
        others === undefined ? (
          <a
            href={`${root}invoices?${new URLSearchParams({ [dimension]: value ?? '', ...span, ...currency })}`}
          >
            {nameValue(dimension, value, facts)}
          </a>
        ) : (
          `${others} others`
        ),
    },
    figures('Invoices', ({ invoices }) => invoices.toLocaleString(locale)),
    figures('Failed', ({ failed, ...row }) => {
      const held = describeDisputes(row, facts.row.currency, locale);
      return (
        <>
          {formatMoney(failed, facts.row.currency, locale)}
          {held && <small>{held}</small>}
        </>
      );
    }),
    figures('Back', ({ failed, recovered }) => <Share part={recovered} whole={failed} />),
  ];
  return (
    <section class="card">
      <h2>{DIMENSION_WORDS[dimension]}</h2>
      <table class="shares">
        <Rows columns={columns} rows={shown} classOf={toneOf} />
      </table>
    </section>
  );
}

/** Prices of one product have one name; most are of one currency. */
function nameValue(dimension: Dimension, value: string | null, { plans, sums }: MoneyFacts): string {
  const name = describeValue(dimension, value, plans);
  const isShared = [...plans].some(([id, other]) => other === name && id !== value);
  if (dimension !== 'plan' || !isShared) return name;
  const own = sums.failed.filter((sum) => sum.dimension === dimension && sum.value === value);
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

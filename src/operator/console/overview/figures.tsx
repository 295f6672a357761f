/** Five figures, a row for each currency that cannot be added to another: what came back, failed, became of it, is at risk, waits for you. */
import type { Reader } from '../page-reader.ts';
import type { CurrencyRow } from '../parts/exchange.ts';
import { type Figure as FigureFacts, listFigures, nameRow } from './list-figures.ts';
import type { MoneyFacts, Range } from './money-facts.ts';

interface Shown {
  readonly facts: MoneyFacts;
  readonly reader: Reader;
}

export function Figures({ facts, reader }: Shown) {
  const { rows, row: chosen, isGross, zone } = facts;
  if (rows.length === 0) return <p class="soft">No payment has failed yet.</p>;
  const isOne = rows.length === 1;
  return (
    <>
      {rows.map((row) => (
        <section aria-label={`Figures in ${nameRow(row)}`}>
          {!isOne && (
            <h2>
              <a
                href={addressOf(facts, reader, { currency: row.currency })}
                aria-current={row === chosen ? 'true' : undefined}
              >
                {nameRow(row)}
              </a>
            </h2>
          )}
          <dl class="figures">
            {listFigures(facts, row, reader.locale).map((figure) => (
              <Figure figure={figure} row={row} reader={reader} />
            ))}
          </dl>
        </section>
      ))}
      <p class="soft">
        {isGross ? 'Before refunds and lost disputes. ' : 'Without what was refunded or lost in disputes. '}
        <a href={addressOf(facts, reader, { isGross: !isGross })}>
          {isGross ? 'Take them off' : 'Show the sums before them'}
        </a>
        . Days and months are those of {zone}.{!isOne && ` Charts and tables below: ${nameRow(chosen)}.`}
      </p>
    </>
  );
}

interface FigureProps extends Pick<Shown, 'reader'> {
  readonly figure: FigureFacts;
  readonly row: CurrencyRow;
}

function Figure({ figure: { name, value, text, tone, filter }, row, reader }: FigureProps) {
  return (
    <div class={tone}>
      <dt>
        <a href={filter === undefined ? `${reader.root}needs` : linkTo(reader, row, filter)}>{name}</a>
      </dt>
      <dd>
        <strong>{value}</strong> <span class="soft">{text}</span>
      </dd>
    </div>
  );
}

/** The overview with something else chosen. */
export function addressOf(
  { range, isGross, currency }: Pick<MoneyFacts, 'range' | 'isGross' | 'currency'>,
  { root }: Reader,
  changes: { readonly range?: Range; readonly isGross?: boolean; readonly currency?: string },
): string {
  const chosen = { range, isGross, currency, ...changes };
  const parts = new URLSearchParams({ range: chosen.range });
  if (chosen.isGross) parts.set('money', 'gross');
  if (chosen.currency !== undefined) parts.set('currency', chosen.currency);
  return `${root}?${parts}`;
}

/** The invoices behind a figure. */
function linkTo(
  { root }: Reader,
  { currency, currencies }: CurrencyRow,
  filter: Record<string, string>,
): string {
  const of = currencies.size === 1 ? { currency: [...currencies][0] ?? currency } : {};
  return `${root}invoices?${new URLSearchParams({ ...filter, ...of })}`;
}

/** What stands above the list of failed invoices: what it is narrowed to, and what all that fit come to. */
import { formatMoney } from '../../../email/format-money.ts';
import { COMMON } from '../../../store/reports/money/failure-search.ts';
import type { ListedSum } from '../../../store/reports/money/list-failures.ts';
import { NEED_ROWS } from '../../text/describe-need.ts';
import type { Reader } from '../page-reader.ts';
import { describeValue } from '../parts/labels.ts';
import type { InvoiceQuery } from './invoice-query.ts';

/** What a link of a breakdown narrows the list to. */
const NAMED = [
  ['reason', 'Decline reason'],
  ['brand', 'Network'],
  ['country', 'Country'],
  ['plan', 'Plan'],
  ['customer', 'Customer'],
] as const;

interface ChosenProps {
  readonly query: InvoiceQuery;
  readonly link: (changes: Partial<InvoiceQuery>) => string;
}

/** What the list is narrowed to, in words, each with a way to take it off. */
export function Chosen({ query, link }: ChosenProps) {
  const { need, currency, from, to, q } = query;
  const chips: readonly (readonly [name: keyof InvoiceQuery, words: string | undefined])[] = [
    ['q', q && `“${q}”`],
    ['need', need && NEED_ROWS[need].words],
    ...NAMED.map(([name, text]) => [name, describeChoice(name, text, query[name])] as const),
    ['currency', currency?.toUpperCase()],
    ['from', from && `Failed from ${from} on`],
    ['to', to && `Failed before ${to}`],
  ];
  const shown = chips.filter((chip): chip is [keyof InvoiceQuery, string] => chip[1] !== undefined);
  if (shown.length === 0) return null;
  return (
    <ul class="chosen" aria-label="The list is narrowed to">
      {shown.map(([name, words]) => (
        <li>
          <a href={link({ [name]: undefined })} aria-label={`Take off: ${words}`}>
            {words} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

const NO_PLANS: ReadonlyMap<string, string> = new Map();

function describeChoice(name: (typeof NAMED)[number][0], text: string, value: string | undefined) {
  if (value === undefined) return undefined;
  if (name === 'customer') return `${text}: ${value}`;
  return `${text}: ${describeValue(name, value === '' ? null : value, NO_PLANS)}`;
}

/** Above the rows: all that fit, not only this page. */
export function Sums({
  sums,
  reader: { locale },
}: {
  sums: readonly ListedSum[] | undefined;
  reader: Reader;
}) {
  if (sums === undefined)
    return (
      <p class="soft">
        More than {COMMON.toLocaleString(locale)} have these words: narrow the search for their sum.
      </p>
    );
  if (sums.length === 0) return null;
  const count = (invoices: number) =>
    `${invoices.toLocaleString(locale)} ${invoices === 1 ? 'invoice' : 'invoices'}`;
  return (
    <ul class="sums" aria-label="All that fit">
      {sums.map(({ currency, invoices, amount }) => (
        <li>
          <b>{formatMoney(amount, currency, locale)}</b> <span class="soft">{count(invoices)}</span>
        </li>
      ))}
    </ul>
  );
}

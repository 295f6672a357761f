/** Failed invoices. */

import { capitalize } from '../../../../core/base/sentence-case.ts';
import { describeAction } from '../../../actions/action-kinds.ts';
import { formatMoney } from '../../../mails/format-money.ts';
import type { ExchangeRates } from '../../../settings/schema/operator-settings.ts';
import { COMMON } from '../../../store/reports/money/failure-search.ts';
import type { Failure, ListedSum } from '../../../store/reports/money/list-failures.ts';
import { inRow, listCurrencyRows } from '../../figures/exchange.ts';
import { describeDisputes, describeMethod, describeValue } from '../../figures/labels.ts';
import { countInvoices } from '../../figures/list-figures.ts';
import { count } from '../../figures/money-facts.ts';
import { describeCode } from '../../text/describe-code.ts';
import { NEED_ROWS } from '../../text/describe-need.ts';
import { STANDING_WORDS } from '../../text/describe-standing.ts';
import type { Reader } from '../page-reader.ts';
import { CardName, CustomerLink, NextStep, StateChip } from '../parts/cells.tsx';
import { Moment } from '../parts/moment.tsx';
import { addressOf, SearchedList } from '../parts/searched-list.tsx';
import type { Column } from '../parts/wide-table.tsx';
import type { InvoiceQuery } from './invoice-query.ts';

export interface ShownInvoices {
  readonly query: InvoiceQuery;
  readonly failures: readonly Failure[];
  /** All that fit, by currency. */
  readonly sums: readonly ListedSum[] | undefined;
  /** The place after the last row, if there may be more. */
  readonly next: string | undefined;
  readonly rates: ExchangeRates;
  readonly reader: Reader;
}

const VIEWS = [
  'unpaid',
  'retry',
  'asked',
  'needs_attention',
  'stopped',
  'waiting',
  'recovered',
  'lost',
] as const;

export function InvoiceListView({ query, failures, sums, next, rates, reader }: ShownInvoices) {
  return (
    <SearchedList
      title="Invoices"
      path="invoices"
      hasFile
      views={['state', Object.fromEntries(VIEWS.map((view) => [view, STANDING_WORDS[view]]))]}
      search={{ placeholder: 'Name, email, number, ID or last four digits', maxLength: 200 }}
      filters={[
        {
          label: 'Currency',
          name: 'currency',
          value: query.currency?.toUpperCase(),
          placeholder: 'any',
          size: 5,
          maxLength: 39,
        },
        { label: 'Failed from', name: 'from', type: 'date', value: query.from },
        { label: 'before', name: 'to', type: 'date', value: query.to },
        { label: 'Paid or lost from', name: 'ended_from', type: 'date', value: query.ended_from },
        { label: 'before', name: 'ended_to', type: 'date', value: query.ended_to },
      ]}
      columns={invoiceColumns(reader)}
      rows={failures}
      empty={['No payment has failed yet.', 'No failed invoice matches.']}
      next={next === undefined ? undefined : { after: next }}
      {...{ query, reader }}
    >
      <Chosen query={query} link={(changes) => `${reader.root}invoices${addressOf(query, changes)}`} />
      <Sums sums={sums} rates={rates} reader={reader} />
    </SearchedList>
  );
}

function invoiceColumns(reader: Reader): Column<Failure, InvoiceQuery['sort']>[] {
  return [
    {
      name: 'Amount',
      sort: 'amount',
      isNumber: true,
      cell: ({ invoiceId, amount, currency }) => (
        <a href={`${reader.root}invoices/${encodeURIComponent(invoiceId)}`}>
          {formatMoney(amount, currency, reader.locale)}
        </a>
      ),
    },
    { name: 'Invoice', isNone: ({ number }) => number === null, cell: ({ number }) => number ?? '–' },
    {
      name: 'Status',
      cell: (failure) => <StateChip failure={failure} reader={reader} />,
    },
    {
      name: 'Customer',
      cell: (failure) => (
        <>
          <CustomerLink {...failure} reader={reader} />
          {failure.planName !== null && <small>{failure.planName}</small>}
        </>
      ),
    },
    {
      name: 'Reason',
      cell: ({ reason, attempts }) => (
        <>
          {reason === null ? '–' : capitalize(describeCode(reason))}
          <small>{attempts === 1 ? 'once' : `${attempts} times`}</small>
        </>
      ),
    },
    { name: 'Card', cell: (failure) => <CardName failure={failure} /> },
    {
      name: 'Failed',
      sort: 'failed',
      isNamed: true,
      cell: ({ failedAt }) => <Moment at={failedAt} reader={reader} as="day" />,
    },
    { name: 'Next', sort: 'next', cell: (failure) => <NextStep failure={failure} reader={reader} /> },
  ];
}

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

/** The active filters in words, each with a way to remove it. */
function Chosen({ query, link }: ChosenProps) {
  const { need, currency, from, to, q } = query;
  const chips: readonly (readonly [name: keyof InvoiceQuery, words: string | undefined])[] = [
    ['q', q && `“${q}”`],
    ['need', need && NEED_ROWS[need].words],
    ...NAMED.map(([name, text]) => [name, describeChoice(name, text, query[name])] as const),
    ['currency', currency?.toUpperCase().replaceAll(',', ', ')],
    ['from', from && `Failed from ${from} on`],
    ['to', to && `Failed before ${to}`],
    ['ended_from', query.ended_from && `Paid or lost from ${query.ended_from} on`],
    ['ended_to', query.ended_to && `Paid or lost before ${query.ended_to}`],
    ['method', query.method && `Method: ${describeMethod(query.method)}`],
    ['disputed', query.disputed && 'Open dispute'],
    ['due', query.due && `Scheduled before ${query.due}`],
    ['next', query.next && describeAction(query.next, 'label')],
  ];
  const shown = chips.filter((chip): chip is [keyof InvoiceQuery, string] => chip[1] !== undefined);
  if (shown.length === 0) return null;
  return (
    <ul class="chosen" aria-label="The list is narrowed to">
      {shown.map(([name, words]) => (
        <li>
          <a href={link({ [name]: undefined })} aria-label={`Remove filter: ${words}`}>
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

interface SumsProps {
  readonly sums: readonly ListedSum[] | undefined;
  readonly rates: ExchangeRates;
  readonly reader: Reader;
}

/** The count and sum of every page, as the overview adds up. */
function Sums({ sums, rates, reader: { locale } }: SumsProps) {
  if (sums === undefined)
    return (
      <p class="soft">
        More than {COMMON.toLocaleString(locale)} have these words: narrow the search for their total.
      </p>
    );
  if (sums.length === 0) return null;
  return (
    <ul class="sums" aria-label="Total">
      {listCurrencyRows(rates, sums).map((row) => {
        const total = count(inRow(row, sums));
        const notes = [
          countInvoices(total, locale),
          describeDisputes(total, row.currency, locale) ?? [],
        ].flat();
        return (
          <li>
            <b>{formatMoney(total.amount, row.currency, locale)}</b>{' '}
            <span class="soft">{notes.join('; ')}</span>
          </li>
        );
      })}
    </ul>
  );
}

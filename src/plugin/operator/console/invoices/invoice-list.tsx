/** Failed invoices. */

import { capitalize, uncapitalize } from '../../../../core/base/sentence-case.ts';
import { describeAction } from '../../../actions/action-kinds.ts';
import { sumAllListed } from '../../../store/reports/money/failure-months.ts';
import { placeOf } from '../../../store/reports/money/failure-order.ts';
import { COMMON, findWords } from '../../../store/reports/money/failure-search.ts';
import { type Failure, type ListedSum, listFailures } from '../../../store/reports/money/list-failures.ts';
import { type CurrencyRow, inRow, listCurrencyRows, toFactors } from '../../figures/exchange.ts';
import { CAUSE_WORDS, describeDisputes, describeMethod, describeValue } from '../../figures/labels.ts';
import { countInvoices } from '../../figures/list-figures.ts';
import { count } from '../../figures/money-facts.ts';
import { describeCode } from '../../text/describe-code.ts';
import { NEED_ROWS } from '../../text/describe-need.ts';
import { STANDING_WORDS } from '../../text/describe-standing.ts';
import { addressOf, after, listPage, readKey, span } from '../list-page.tsx';
import { useReader } from '../page-reader.ts';
import {
  CardName,
  Count,
  CustomerLink,
  InvoiceLink,
  Link,
  Moment,
  Money,
  StateChip,
} from '../parts/cells.tsx';
import { findWorth, type InvoiceQuery, invoiceAddress, toFilter } from './invoice-query.ts';

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

export const invoicesPage = listPage({
  title: 'Invoices',
  here: 'invoices',
  address: invoiceAddress,
  hasFile: true,
  views: ['state', Object.fromEntries(VIEWS.map((view) => [view, STANDING_WORDS[view]]))],
  search: { placeholder: 'Name, email, number, ID or last four digits', maxLength: 200 },
  filters: [
    { label: 'Currency', name: 'currency', isUpper: true, placeholder: 'any', size: 5, maxLength: 39 },
    ...span('Failed', ''),
    ...span('Paid or lost', 'ended_'),
  ],
  empty: ['No payment has failed yet.', 'No failed invoice matches.'],
  read: async ({ database, config }, { query, reader, limit }) => {
    const { zone, now } = reader;
    const { sort } = query;
    const filter = { ...toFilter(query, zone), search: await findWords(database, query.q) };
    const worth = await findWorth(database, config, query);
    const page = { sort, worth, limit, after: readKey(sort, query.after) };
    const rows = await listFailures(database, filter, page);
    const factors = toFactors(config.exchangeRates);
    const sums = await sumAllListed(database, filter, { zone, now, factors });
    const above = (
      <>
        <Chosen query={query} />
        <Totals sums={sums} rows={listCurrencyRows(config.exchangeRates, sums ?? [])} />
      </>
    );
    return { rows, above };
  },
  next: (last, { sort }) => after(placeOf(last, sort)),
  columns: [
    {
      name: 'Amount',
      sort: 'amount',
      isNumber: true,
      cell: (failure) => (
        <InvoiceLink id={failure.invoiceId}>
          <Money {...failure} />
        </InvoiceLink>
      ),
    },
    { name: 'Invoice', isNone: ({ number }) => number === null, cell: ({ number }) => number ?? '–' },
    { name: 'Status', cell: StateChip },
    {
      name: 'Customer',
      cell: (failure) => (
        <>
          <CustomerLink {...failure} />
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
    { name: 'Card', cell: CardName },
    {
      name: 'Failed',
      sort: 'failed',
      isNamed: true,
      cell: ({ failedAt }) => <Moment at={failedAt} as="day" />,
    },
    { name: 'Next', sort: 'next', cell: NextStep },
  ],
});

/** The next step, or the end. */
function NextStep(failure: Failure) {
  const [words, at] = nextOf(failure);
  return (
    <>
      {words} {at && <Moment at={at} as="short" />}
    </>
  );
}

function nextOf(failure: Failure): [words: string, at?: Failure['nextAt']] {
  const { nextAt, nextKind, state, cause, endedAt, need, askedAt, stripeAt } = failure;
  if (state === 'recovered' && cause !== null) return [`Paid: ${uncapitalize(CAUSE_WORDS[cause])}`];
  if (state === 'lost' && endedAt !== null) return ['Lost', endedAt];
  if (need !== null) return [NEED_ROWS[need].words];
  if (nextKind !== 'pay' && stripeAt !== null) return ['Stripe’s retry', stripeAt];
  if (nextAt !== null && nextKind !== null) return [describeAction(nextKind, 'label'), nextAt];
  return askedAt === null ? ['No action scheduled'] : ['Asked', askedAt];
}

/** What a link of a breakdown narrows the list to. */
const NAMED = [
  ['reason', 'Decline reason'],
  ['brand', 'Network'],
  ['country', 'Country'],
  ['plan', 'Plan'],
  ['customer', 'Customer'],
] as const;

/** The active filters in words, each with a way to remove it. */
function Chosen({ query }: { query: InvoiceQuery }) {
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
          <Link
            to={`invoices${addressOf(query, { [name]: undefined })}`}
            aria-label={`Remove filter: ${words}`}
          >
            {words} <span aria-hidden="true">×</span>
          </Link>
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

/** The count and sum of every page, as the overview adds up. Without sums they are too many to add up. */
function Totals({ sums, rows }: { sums: readonly ListedSum[] | undefined; rows: readonly CurrencyRow[] }) {
  const { locale } = useReader();
  if (sums === undefined)
    return (
      <p class="soft">
        More than <Count of={COMMON} /> have these words: narrow the search for their total.
      </p>
    );
  if (rows.length === 0) return null;
  return (
    <ul class="sums" aria-label="Total">
      {rows.map((row) => {
        const total = count(inRow(row, sums));
        const held = describeDisputes(total, row.currency, locale);
        return (
          <li>
            <b>
              <Money amount={total.amount} currency={row.currency} />
            </b>{' '}
            <span class="soft">
              {countInvoices(total, locale)}
              {held && `; ${held}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

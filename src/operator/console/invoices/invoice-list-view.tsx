/** Failed invoices. Every choice is a link or a form, so that the address is a saved view. */
import { formatMoney } from '../../../email/format-money.ts';
import { capitalize } from '../../../kit/sentence-case.ts';
import type { Failure, ListedSum } from '../../../store/reports/money/list-failures.ts';
import { describeCode } from '../../text/describe-code.ts';
import { STANDING_WORDS } from '../../text/describe-standing.ts';
import type { Reader } from '../page-reader.ts';
import { CardName, CustomerLink, NextStep, StateChip } from '../parts/cells.tsx';
import { Moment } from '../parts/moment.tsx';
import { SavedViews } from '../parts/saved-views.tsx';
import { ListPages } from '../parts/searched-list.tsx';
import { type Column, type Sorting, WideTable } from '../parts/wide-table.tsx';
import { Chosen, NAMED, Sums } from './invoice-list-head.tsx';
import { addressOf, type InvoiceQuery } from './invoice-query.ts';

export interface ShownInvoices {
  readonly query: InvoiceQuery;
  readonly failures: readonly Failure[];
  /** All that fit, by currency. */
  readonly sums: readonly ListedSum[] | undefined;
  /** The place before the first row, if there are more. */
  readonly previous: string | undefined;
  /** The place after the last row, if there may be more. */
  readonly next: string | undefined;
  readonly reader: Reader;
}

const TABS = [
  undefined,
  'unpaid',
  'retry',
  'asked',
  'needs_you',
  'stopped',
  'waiting',
  'back',
  'lost',
] as const;

export function InvoiceListView({ query, failures, sums, previous, next, reader }: ShownInvoices) {
  const link = (changes: Partial<InvoiceQuery>) => `${reader.root}invoices${addressOf(query, changes)}`;
  return (
    <>
      <div class="head">
        <h1>Invoices</h1>
        <a href={`${reader.root}invoices.csv${addressOf(query)}`} download="invoices.csv">
          Export as CSV
        </a>
      </div>
      <nav aria-label="Views" class="tabs">
        {TABS.map((state) => (
          <a href={link({ state })} aria-current={state === query.state ? 'page' : undefined}>
            {state === undefined ? 'All' : STANDING_WORDS[state]}
          </a>
        ))}
      </nav>
      <SavedViews root={reader.root} />
      <Filters query={query} reader={reader} />
      <Chosen query={query} link={link} />
      <Sums sums={sums} reader={reader} />
      <section class="card flush">
        {failures.length === 0 ? (
          <p class="soft empty">
            {addressOf(query, { sort: 'failed' }) === ''
              ? 'No payment has failed yet.'
              : 'No failed invoice matches.'}
          </p>
        ) : (
          <InvoiceTable
            failures={failures}
            reader={reader}
            sorting={{ sort: query.sort, isReversed: query.order === 'reversed', link }}
          />
        )}
      </section>
      <ListPages
        first={query.after === undefined && query.before === undefined ? undefined : link({})}
        previous={previous && link({ before: previous })}
        next={next && link({ after: next })}
      />
    </>
  );
}

function Filters({ query, reader }: Pick<ShownInvoices, 'query' | 'reader'>) {
  const active = NAMED.filter(([name]) => query[name] !== undefined);
  return (
    <search>
      <form class="filters" method="get" action={`${reader.root}invoices`}>
        {query.state !== undefined && <input type="hidden" name="state" value={query.state} />}
        {query.need !== undefined && <input type="hidden" name="need" value={query.need} />}
        <label class="grow">
          Search
          <input
            name="q"
            type="search"
            value={query.q}
            placeholder="Name, e-mail, id or last four digits"
            maxLength={200}
          />
        </label>
        <label>
          Currency
          <input
            name="currency"
            value={query.currency?.toUpperCase()}
            placeholder="any"
            size={5}
            maxLength={3}
          />
        </label>
        <label>
          Failed from
          <input name="from" type="date" value={query.from} />
        </label>
        <label>
          before
          <input name="to" type="date" value={query.to} />
        </label>
        {query.sort !== 'failed' && <input type="hidden" name="sort" value={query.sort} />}
        {active.map(([name]) => (
          <input type="hidden" name={name} value={query[name]} />
        ))}
        {query.order !== undefined && <input type="hidden" name="order" value={query.order} />}
        <button type="submit">Apply</button>
        <a href={`${reader.root}invoices`}>Clear</a>
      </form>
    </search>
  );
}

interface InvoiceTableProps {
  readonly failures: readonly Failure[];
  readonly reader: Reader;
  readonly sorting?: Sorting<InvoiceQuery['sort']>;
  /** Whether all are of one customer, whom the page is about. */
  readonly isOfOne?: boolean;
}

export function InvoiceTable({ failures, reader, sorting, isOfOne = false }: InvoiceTableProps) {
  const columns = columnsFor(reader, isOfOne);
  return <WideTable label="Invoices" isStacked rows={failures} {...{ columns, sorting }} />;
}

function columnsFor(reader: Reader, isOfOne: boolean): Column<Failure, InvoiceQuery['sort']>[] {
  return [
    {
      ...{ name: 'Amount', sort: 'amount', isNumber: true, isDescending: true },
      cell: ({ invoiceId, amount, currency }) => (
        <a href={`${reader.root}invoices/${encodeURIComponent(invoiceId)}`}>
          {formatMoney(amount, currency, reader.locale)}
        </a>
      ),
    },
    {
      ...{ name: 'State', sort: 'standing' },
      cell: (failure) => <StateChip failure={failure} reader={reader} />,
    },
    isOfOne
      ? { name: 'Plan', cell: ({ planName, plan }) => planName ?? plan ?? '–' }
      : {
          ...{ name: 'Customer', sort: 'customer' },
          cell: (failure) => (
            <>
              <CustomerLink {...failure} reader={reader} />
              {failure.planName !== null && <small>{failure.planName}</small>}
            </>
          ),
        },
    {
      ...{ name: 'Reason', sort: 'reason' },
      cell: ({ reason, attempts }) => (
        <>
          {reason === null ? '–' : capitalize(describeCode(reason))}
          <small>{attempts === 1 ? 'once' : `${attempts} times`}</small>
        </>
      ),
    },
    { name: 'Card', sort: 'card', cell: (failure) => <CardName failure={failure} /> },
    {
      ...{ name: 'Failed', sort: 'failed', isDescending: true, isNamed: true },
      cell: ({ failedAt }) => <Moment at={failedAt} reader={reader} as="near" />,
    },
    { name: 'Next', sort: 'next', cell: (failure) => <NextStep failure={failure} reader={reader} /> },
  ];
}

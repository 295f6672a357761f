/** Customers of whom a payment failed, with what they owe and what came back. */
import { formatMoney } from '../../../email/format-money.ts';
import type { ListedCustomer } from '../../../store/reports/money/list-customers.ts';
import type { MoneyState, MoneySum } from '../../../store/reports/money/sum-failures.ts';
import type { Reader } from '../page-reader.ts';
import { CustomerLink } from '../parts/cells.tsx';
import { ListPages } from '../parts/list-pages.tsx';
import { Moment } from '../parts/moment.tsx';
import { WideTable } from '../parts/wide-table.tsx';
import type { CustomerQuery } from './customer-pages.ts';

export interface ShownCustomers {
  readonly query: CustomerQuery;
  readonly customers: readonly ListedCustomer[];
  readonly next: string | undefined;
  readonly reader: Reader;
}

export function CustomerListView({ query, customers, next, reader }: ShownCustomers) {
  const link = (changes: Partial<CustomerQuery>) => {
    const parts = Object.entries({ ...query, after: undefined, ...changes }).filter(
      (part): part is [string, string] => part[1] !== undefined,
    );
    return `${reader.root}customers${parts.length === 0 ? '' : `?${new URLSearchParams(parts)}`}`;
  };
  return (
    <>
      <h1>Customers</h1>
      <nav aria-label="Views" class="tabs">
        <a href={link({ state: undefined })} aria-current={query.state === undefined ? 'page' : undefined}>
          All
        </a>
        <a href={link({ state: 'open' })} aria-current={query.state === 'open' ? 'page' : undefined}>
          With unpaid invoices
        </a>
      </nav>
      <search>
        <form class="filters" method="get" action={`${reader.root}customers`}>
          {query.state !== undefined && <input type="hidden" name="state" value={query.state} />}
          <label class="grow">
            Search
            <input name="q" type="search" value={query.q} placeholder="Name, e-mail or id" maxLength={200} />
          </label>
          <button type="submit">Apply</button>
          <a href={`${reader.root}customers`}>Clear</a>
        </form>
      </search>
      <section class="card flush">
        {customers.length === 0 ? (
          <p class="soft empty">
            {query.q === undefined ? 'No customer with a failed payment.' : 'No customer fits this.'}
          </p>
        ) : (
          <CustomerTable customers={customers} reader={reader} />
        )}
      </section>
      <ListPages
        first={query.after === undefined ? undefined : link({})}
        next={next && link({ after: next })}
      />
    </>
  );
}

function CustomerTable({ customers, reader }: Pick<ShownCustomers, 'customers' | 'reader'>) {
  return (
    <WideTable label="Customers">
      <thead>
        <tr>
          <th scope="col">Customer</th>
          <th scope="col" class="number">
            Unpaid invoices
          </th>
          <th scope="col" class="number">
            Unpaid
          </th>
          <th scope="col" class="number">
            Recovered
          </th>
          <th scope="col" class="number">
            Lost
          </th>
          <th scope="col" class="number">
            Mails
          </th>
          <th scope="col">Failed last</th>
        </tr>
      </thead>
      <tbody>
        {customers.map((customer) => (
          <tr>
            <th scope="row">
              <CustomerLink {...customer} reader={reader} />
            </th>
            <td class="number">{countOf(customer.sums, 'open', 'waiting').toLocaleString(reader.locale)}</td>
            <Amounts sums={customer.sums} states={['open', 'waiting']} reader={reader} />
            <Amounts sums={customer.sums} states={['recovered']} reader={reader} />
            <Amounts sums={customer.sums} states={['lost']} reader={reader} />
            <td class="number">{customer.mails.toLocaleString(reader.locale)}</td>
            <td>
              <Moment at={customer.failedAt} reader={reader} as="near" />
            </td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}

interface AmountProps {
  readonly sums: readonly MoneySum[];
  readonly states: readonly MoneyState[];
  readonly reader: Reader;
}

/** A line for each currency. */
function Amounts({ sums, states, reader }: AmountProps) {
  const lines = amountsOf(sums, states, reader.locale);
  return (
    <td class="number">
      {lines.length === 0 ? '–' : lines.map((line, index) => (index === 0 ? line : [<br />, line]))}
    </td>
  );
}

export function countOf(sums: readonly MoneySum[], ...states: readonly MoneyState[]): number {
  return sums.filter(({ state }) => states.includes(state)).reduce((all, { invoices }) => all + invoices, 0);
}

/** In each currency in which there is any. */
export function amountsOf(
  sums: readonly MoneySum[],
  states: readonly MoneyState[],
  locale: string,
): string[] {
  const totals = new Map<string, number>();
  for (const { state, currency, amount } of sums)
    if (states.includes(state)) totals.set(currency, (totals.get(currency) ?? 0) + amount);
  return [...totals].map(([currency, amount]) => formatMoney(amount, currency, locale));
}

/** Customers with failed invoices, with what they owe and what came back. */
import { formatMoney } from '../../../email/format-money.ts';
import {
  type CustomerSort,
  type CustomerSums,
  type ListedCustomer,
  MOST_COUNTED,
} from '../../../store/reports/money/list-customers.ts';
import type { MoneyState, MoneySum } from '../../../store/reports/money/sum-failures.ts';
import type { Reader } from '../page-reader.ts';
import { CustomerLink, WideTable } from '../parts/cells.tsx';
import { type SortHead, SortHeads } from '../parts/column-heads.tsx';
import { Moment } from '../parts/moment.tsx';
import { queryOf, SearchedList } from '../parts/searched-list.tsx';

export interface CustomerQuery {
  readonly q?: string | undefined;
  readonly state?: 'open' | undefined;
  readonly after?: string | undefined;
  readonly sort: CustomerSort;
  readonly order?: 'reversed' | undefined;
}

export interface ShownCustomers {
  readonly query: CustomerQuery;
  readonly customers: readonly ListedCustomer[];
  readonly next: string | undefined;
  readonly sums: CustomerSums | undefined;
  readonly reader: Reader;
}

export function CustomerListView({ query, customers, next, sums, reader }: ShownCustomers) {
  return (
    <SearchedList
      title="Customers"
      path="customers"
      view={{ state: 'open', name: 'With unpaid invoices' }}
      search={{ placeholder: 'Name, e-mail or id', maxLength: 200 }}
      sums={
        sums && {
          ...{ count: sums.customers, most: MOST_COUNTED, one: 'customer', many: 'customers' },
          ...{ what: 'unpaid', amounts: sums.unpaid },
        }
      }
      {...{ query, next, reader }}
    >
      {customers.length === 0 ? (
        <p class="soft empty">
          {query.q === undefined && query.state === undefined
            ? 'No customer with a failed payment.'
            : 'No customer matches.'}
        </p>
      ) : (
        <CustomerTable customers={customers} query={query} reader={reader} />
      )}
    </SearchedList>
  );
}

const large = { isNumber: true, isDescending: true };
const HEADS: readonly SortHead<CustomerSort>[] = [
  { sort: 'customer', text: 'Customer' },
  { sort: 'invoices', text: 'Unpaid invoices', ...large },
  { sort: 'unpaid', text: 'Unpaid', ...large },
  { sort: 'recovered', text: 'Recovered', ...large },
  { sort: 'lost', text: 'Lost', ...large },
  { sort: 'mails', text: 'Mails', ...large },
  { sort: 'failed', text: 'Failed last', isDescending: true },
];

function CustomerTable({ customers, query, reader }: Pick<ShownCustomers, 'customers' | 'query' | 'reader'>) {
  const link = (changes: Pick<CustomerQuery, 'sort' | 'order'>) =>
    `${reader.root}customers${queryOf({ ...query, after: undefined, ...changes })}`;
  return (
    <WideTable label="Customers" isStacked>
      <SortHeads heads={HEADS} sort={query.sort} isReversed={query.order === 'reversed'} link={link} />
      <tbody>
        {customers.map((customer) => (
          <tr>
            <th scope="row">
              <CustomerLink {...customer} reader={reader} />
            </th>
            <td class="number" data-name="Unpaid invoices">
              {countOf(customer.sums, 'open', 'waiting').toLocaleString(reader.locale)}
            </td>
            <Amounts name="Unpaid" sums={customer.sums} states={['open', 'waiting']} reader={reader} />
            <Amounts name="Recovered" sums={customer.sums} states={['recovered']} reader={reader} />
            <Amounts name="Lost" sums={customer.sums} states={['lost']} reader={reader} />
            <td class="number" data-name="Mails">
              {customer.mails.toLocaleString(reader.locale)}
            </td>
            <td data-name="Failed last">
              <Moment at={customer.failedAt} reader={reader} as="near" />
            </td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}

interface AmountProps {
  readonly name: string;
  readonly sums: readonly MoneySum[];
  readonly states: readonly MoneyState[];
  readonly reader: Reader;
}

/** A line for each currency. */
function Amounts({ name, sums, states, reader }: AmountProps) {
  const lines = amountsOf(sums, states, reader.locale);
  return (
    <td class={lines.length === 0 ? 'number none' : 'number'} data-name={name}>
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
  const totals = new Map<string, { amount: number; returned: number }>();
  for (const { state, currency, amount, returned } of sums) {
    const total = totals.get(currency) ?? { amount: 0, returned: 0 };
    if (states.includes(state))
      totals.set(currency, { amount: total.amount + amount, returned: total.returned + returned });
  }
  return [...totals].map(([currency, { amount, returned }]) => {
    const net = formatMoney(amount - returned, currency, locale);
    return returned === 0
      ? net
      : `${net} (${formatMoney(amount, currency, locale)} before refunds and disputes)`;
  });
}

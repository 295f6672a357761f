/** Customers with failed invoices, with what they owe and what came back. */
import { z } from 'zod';
import { formatMoney } from '../../../mails/format-money.ts';
import { addUpListed } from '../../../store/reports/money/failure-months.ts';
import {
  CUSTOMER_SORTS,
  type CustomerSort,
  type CustomerSums,
  type ListedCustomer,
  MOST_COUNTED,
} from '../../../store/reports/money/list-customers.ts';
import type { MoneyState, MoneySum } from '../../../store/reports/money/sum-failures.ts';
import { describeDisputes } from '../../figures/labels.ts';
import { placeParameter } from '../list-place.ts';
import type { Reader } from '../page-reader.ts';
import { CustomerLink } from '../parts/cells.tsx';
import { Moment } from '../parts/moment.tsx';
import { SearchedList, Sums } from '../parts/searched-list.tsx';
import type { Column } from '../parts/wide-table.tsx';

export const customerAddress = z.object({
  q: z
    .string()
    .trim()
    .regex(/^\P{Cc}{1,200}$/u)
    .optional()
    .catch(undefined),
  state: z.literal('open').optional().catch(undefined),
  after: placeParameter,
  sort: z.enum(CUSTOMER_SORTS).catch('failed'),
});
export type CustomerQuery = z.output<typeof customerAddress>;

export interface ShownCustomers {
  readonly query: CustomerQuery;
  readonly customers: readonly ListedCustomer[];
  readonly next: string | undefined;
  readonly sums: CustomerSums | undefined;
  readonly reader: Reader;
}

export function CustomerListView({ query, customers, next, sums, reader }: ShownCustomers) {
  const shown = sums && {
    count: sums.customers,
    most: MOST_COUNTED,
    one: 'customer',
    many: 'customers',
    what: 'unpaid',
    amounts: sums.unpaid,
  };
  return (
    <SearchedList
      title="Customers"
      path="customers"
      views={['state', { open: 'With unpaid invoices' }]}
      search={{ placeholder: 'Name, email or id', maxLength: 200 }}
      columns={columnsFor(reader)}
      rows={customers}
      empty={['No customer with a failed payment.', 'No customer matches.']}
      next={next === undefined ? undefined : { after: next }}
      {...{ query, reader }}
    >
      <Sums sums={shown} locale={reader.locale} />
    </SearchedList>
  );
}

const large = { isNumber: true, isNamed: true };

function columnsFor(reader: Reader): Column<ListedCustomer, CustomerSort>[] {
  const amounts = (name: string, ...states: readonly MoneyState[]) => {
    const linesOf = ({ sums }: ListedCustomer) => amountsOf(sums, states, reader.locale);
    return {
      name,
      ...large,
      isNone: (one: ListedCustomer) => linesOf(one).length === 0,
      /** A line for each currency. */
      cell: (one: ListedCustomer) => {
        const lines = linesOf(one);
        if (lines.length === 0) return '–';
        return lines.map(({ net, notes }) => (
          <div>
            {net}
            {notes.map((note) => (
              <small>{note}</small>
            ))}
          </div>
        ));
      },
    };
  };
  return [
    { name: 'Customer', cell: (one) => <CustomerLink {...one} reader={reader} /> },
    {
      name: 'Unpaid invoices',
      ...large,
      cell: ({ sums }) => countOf(sums, 'open', 'waiting').toLocaleString(reader.locale),
    },
    { sort: 'unpaid', ...amounts('Unpaid', 'open', 'waiting') },
    { sort: 'recovered', ...amounts('Recovered', 'recovered') },
    amounts('Lost', 'lost'),
    { name: 'Emails', ...large, cell: ({ emails }) => emails.toLocaleString(reader.locale) },
    {
      name: 'Failed last',
      sort: 'failed',
      isNamed: true,
      cell: ({ failedAt }) => <Moment at={failedAt} reader={reader} as="day" />,
    },
  ];
}

export function countOf(sums: readonly MoneySum[], ...states: readonly MoneyState[]): number {
  return sums.filter(({ state }) => states.includes(state)).reduce((all, { invoices }) => all + invoices, 0);
}

/** Amounts in each currency, net of refunds and lost disputes. */
export function amountsOf(
  sums: readonly MoneySum[],
  states: readonly MoneyState[],
  locale: string,
): { readonly net: string; readonly notes: readonly string[] }[] {
  const own = sums
    .filter(({ state }) => states.includes(state))
    .map(({ returned, ...sum }) => ({ ...sum, amount: sum.amount - returned }));
  return addUpListed(own).map(({ currency, amount, ...held }) => ({
    net: formatMoney(amount, currency, locale),
    notes: [describeDisputes(held, currency, locale) ?? []].flat(),
  }));
}

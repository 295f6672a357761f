/** Customers with failed invoices, with what they owe and what came back. */
import { z } from 'zod';
import { addUpListed } from '../../../store/reports/money/failure-months.ts';
import { placeOf } from '../../../store/reports/money/failure-order.ts';
import { findWords } from '../../../store/reports/money/failure-search.ts';
import {
  CUSTOMER_SORTS,
  type ListedCustomer,
  listCustomers,
  MOST_COUNTED,
  sortOfCustomers,
  sumCustomers,
} from '../../../store/reports/money/list-customers.ts';
import type { MoneyState, MoneySum } from '../../../store/reports/money/sum-failures.ts';
import { findWorth } from '../invoices/invoice-query.ts';
import { after, lenient, listPage, placeParameter, readKey, Sums } from '../list-page.tsx';
import { Count, CustomerLink, Disputed, Moment, Money } from '../parts/cells.tsx';

/** The states of unpaid invoices. */
export const UNPAID: readonly MoneyState[] = ['open', 'waiting'];

const address = z.object({
  q: lenient(
    z
      .string()
      .trim()
      .regex(/^\P{Cc}{1,200}$/u),
  ),
  state: lenient(z.literal('open')),
  after: placeParameter,
  sort: z.enum(CUSTOMER_SORTS).catch('failed'),
});

export const customersPage = listPage({
  title: 'Customers',
  here: 'customers',
  address,
  views: ['state', { open: 'With unpaid invoices' }],
  search: { placeholder: 'Name, email or id', maxLength: 200 },
  empty: ['No customer with a failed payment.', 'No customer matches.'],
  read: async ({ database, config }, { query, limit }) => {
    const filter = { search: await findWords(database, query.q), isOpen: query.state === 'open' };
    const sums = await sumCustomers(database, filter);
    const { sort } = sortOfCustomers(query.sort);
    const worth = await findWorth(database, config, { sort, currency: undefined });
    const page = { sort: query.sort, worth, limit, after: readKey(sort, query.after) };
    const rows = await listCustomers(database, filter, page);
    const { customers, unpaid } = sums ?? {};
    const above = (
      <Sums count={customers} most={MOST_COUNTED} noun="customer" what="unpaid" amounts={unpaid} />
    );
    return { rows, above };
  },
  next: (last, { sort }) => after(placeOf(last, sortOfCustomers(sort).sort)),
  columns: [
    { name: 'Customer', cell: CustomerLink },
    {
      name: 'Unpaid invoices',
      isNumber: true,
      isNamed: true,
      cell: ({ sums }) => <Count of={netOf(sums, UNPAID).reduce((all, { invoices }) => all + invoices, 0)} />,
    },
    { sort: 'unpaid', ...amounts('Unpaid', UNPAID) },
    { sort: 'recovered', ...amounts('Recovered', ['recovered']) },
    amounts('Lost', ['lost']),
    { name: 'Emails', isNumber: true, isNamed: true, cell: ({ emails }) => <Count of={emails} /> },
    {
      name: 'Failed last',
      sort: 'failed',
      isNamed: true,
      cell: ({ failedAt }) => <Moment at={failedAt} as="day" />,
    },
  ],
});

function amounts(name: string, states: readonly MoneyState[]) {
  return {
    name,
    isNumber: true,
    isNamed: true,
    isNone: ({ sums }: ListedCustomer) => netOf(sums, states).length === 0,
    /** A line for each currency. */
    cell: ({ sums }: ListedCustomer) => {
      const lines = netOf(sums, states).map((sum) => (
        <div>
          <Money {...sum} />
          <Disputed {...sum} />
        </div>
      ));
      return lines.length === 0 ? '–' : lines;
    },
  };
}

/** Sums by currency, net of refunds and lost disputes. */
export function netOf(sums: readonly MoneySum[], states: readonly MoneyState[]): MoneySum[] {
  const own = sums.filter(({ state }) => states.includes(state));
  return addUpListed(own.map((sum) => ({ ...sum, amount: sum.amount - sum.returned })));
}

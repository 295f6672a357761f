/** Customers with failed invoices, and one of them. */

import { orUnavailable } from '../../../../core/base/errors.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import { listCustomerCards } from '../../../store/reports/card-health.ts';
import { listMails } from '../../../store/reports/mails.ts';
import { findCustomerRecord } from '../../../store/reports/money/customer-record.ts';
import { placeOf } from '../../../store/reports/money/failure-order.ts';
import { findWords } from '../../../store/reports/money/failure-search.ts';
import {
  type CustomerPage,
  type ListedCustomer,
  listCustomers,
  sortOfCustomers,
  sumCustomers,
} from '../../../store/reports/money/list-customers.ts';
import { listFailures } from '../../../store/reports/money/list-failures.ts';
import { refreshFailures } from '../../../store/reports/money/refresh-failures.ts';
import { type MoneyState, type MoneySum, netOf } from '../../../store/reports/money/sum-failures.ts';
import { findForgotten } from '../../../store/tables/forgotten.ts';
import { foretellForms } from '../../text/foretell.ts';
import { stripeUrlOf } from '../invoices/invoice-page.ts';
import { findWorth } from '../invoices/invoice-query.ts';
import { cutPage, readKey } from '../list-place.ts';
import { ID, notFound, type Page, type PageDeps, ROWS, type SendFile } from '../page-answer.ts';
import { type CsvColumn, inUnits, sendCsv } from '../send-csv.ts';
import { CustomerListView, type CustomerQuery, countOf, customerAddress } from './customer-list-view.tsx';
import { CustomerView } from './customer-view.tsx';

const CARD_DAYS = 30;

export const customersPage: Page = async ({ database, config }, { request, reader }) => {
  const query = customerAddress.parse(request.query);
  await orUnavailable(refreshFailures(database));
  const search = await orUnavailable(findWords(database, query.q));
  const filter = { search, isOpen: query.state === 'open' };
  const sums = await orUnavailable(sumCustomers(database, filter));
  const { sort: by } = sortOfCustomers(query.sort);
  const page = await toPage({ database, config }, query);
  const place = { ...page, limit: ROWS + 1, after: readKey(by, query.after) };
  const found = await orUnavailable(listCustomers(database, filter, place));
  const { rows: customers, next } = cutPage(found, (last) => Object.values(placeOf(last, by)).join('~'));
  const main = CustomerListView({ query, customers, next, sums, reader });
  return { title: 'Customers', here: 'customers', isLive: true, main };
};

async function toPage(
  { database, config }: Pick<PageDeps, 'database' | 'config'>,
  { sort, order }: Pick<CustomerQuery, 'sort' | 'order'>,
): Promise<Pick<CustomerPage, 'sort' | 'isReversed' | 'worth'>> {
  const { sort: by, isMoney } = sortOfCustomers(sort);
  const worth = isMoney ? await findWorth(database, config, { sort: by, currency: undefined }) : undefined;
  return { sort, isReversed: order === 'reversed', worth };
}

const CSV_COLUMNS: readonly CsvColumn<CurrencyOfCustomer>[] = [
  ['customer', ({ customer }) => customer.customerId],
  ['account', ({ customer }) => customer.account],
  ['customer_name', ({ customer }) => customer.customerName],
  ['customer_email', ({ customer }) => customer.customerEmail],
  ['currency', ({ currency }) => currency.toUpperCase()],
  ['unpaid_invoices', ({ sums }) => countOf(sums, 'open', 'waiting')],
  ...(['unpaid', 'recovered', 'lost'] as const).map(
    (name): CsvColumn<CurrencyOfCustomer> => [
      name,
      ({ sums, currency }) =>
        inUnits(sumNet(sums, name === 'unpaid' ? ['open', 'waiting'] : [name]), currency),
    ],
  ),
  [
    'disputed',
    ({ sums, currency }) =>
      inUnits(
        sums.reduce((all, { disputed }) => all + disputed, 0),
        currency,
      ),
  ],
  ['mails', ({ customer }) => customer.mails],
  ['failed_last_at', ({ customer }) => customer.failedAt],
];

/** A line each. */
interface CurrencyOfCustomer {
  readonly customer: ListedCustomer;
  readonly currency: string;
  readonly sums: readonly MoneySum[];
}

function byCurrency(customer: ListedCustomer): CurrencyOfCustomer[] {
  const currencies = [...new Set(customer.sums.map(({ currency }) => currency))];
  return currencies.map((currency) => ({
    customer,
    currency,
    sums: customer.sums.filter((sum) => sum.currency === currency),
  }));
}

function sumNet(sums: readonly MoneySum[], states: readonly MoneyState[]): number {
  return sums.filter(({ state }) => states.includes(state)).reduce((all, sum) => all + netOf(sum).amount, 0);
}

export const sendCustomerCsv: SendFile = async ({ database, config }, { request, reader }, response) => {
  await orUnavailable(refreshFailures(database));
  const query = customerAddress.parse(request.query);
  const filter = { search: query.q, isOpen: query.state === 'open' };
  const { sort } = sortOfCustomers(query.sort);
  const page = await toPage({ database, config }, query);
  await sendCsv(response, {
    name: 'customers',
    columns: CSV_COLUMNS,
    zone: reader.zone,
    list: async (last, limit) => {
      const after = last && placeOf(last.customer, sort);
      const found = await listCustomers(database, filter, { ...page, limit, after });
      return found.flatMap(byCurrency);
    },
  });
};

export const customerPage: Page = async (deps, { request, reader, token }) => {
  const { database } = deps;
  const id = String(request.params.id);
  const account = typeof request.query.account === 'string' ? request.query.account : OWN_ACCOUNT;
  const key = { account, customerId: id };
  await orUnavailable(refreshFailures(database));
  const record =
    ID.test(id) && ID.test(account) ? await orUnavailable(findCustomerRecord(database, key)) : undefined;
  if (!record)
    return notFound(
      'Unknown customer',
      `Nothing is known about ${id}.`,
      'A customer is known here from the first event about a subscription or a failed payment on.',
    );
  const since = reader.now.minus({ days: CARD_DAYS });
  const ofCustomer = { account, customer: id };
  const shown = {
    id,
    account,
    record,
    token,
    reader,
    failures: await orUnavailable(listFailures(database, ofCustomer, { sort: 'failed', limit: ROWS })),
    cards: await orUnavailable(listCustomerCards(database, { ...key, since })),
    mails: await orUnavailable(listMails(database, { customer: { account, id } }, { limit: ROWS })),
    forgotten: await orUnavailable(findForgotten(database, key)),
    stripeUrl: stripeUrlOf(deps, 'customers', { id, account }),
    foretold: await foretellForms(deps.operations, 'customer', { fields: { customer: id, account } }),
  };
  const title = record.name ?? record.email ?? id;
  return { title, here: 'customers', isLive: true, main: CustomerView(shown) };
};

/** Customers with failed invoices, and one of them. */

import { orUnavailable } from '../../../../core/base/errors.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import { findInvoiceHistory } from '../../../store/reports/invoice-history.ts';
import { findCustomerRecord } from '../../../store/reports/money/customer-record.ts';
import { placeOf } from '../../../store/reports/money/failure-order.ts';
import { findWords } from '../../../store/reports/money/failure-search.ts';
import {
  type CustomerPage,
  listCustomers,
  sortOfCustomers,
  sumCustomers,
} from '../../../store/reports/money/list-customers.ts';
import { listFailures } from '../../../store/reports/money/list-failures.ts';
import { refreshForReader } from '../../../store/reports/money/refresh-failures.ts';
import { findForgotten } from '../../../store/tables/forgotten.ts';
import { readCustomerState } from '../../lists/customer-state.ts';
import { describeNextStep } from '../../text/describe-next-step.ts';
import { listTimeline } from '../../text/list-timeline.ts';
import { previewOperation } from '../../text/preview-operation.ts';
import { stripeUrlOf } from '../invoices/invoice-page.ts';
import { findWorth } from '../invoices/invoice-query.ts';
import { cutPage, readKey } from '../list-place.ts';
import { ID, notFound, type Page, type PageDeps, ROWS } from '../page-answer.ts';
import { SHOWN } from './customer-facts.tsx';
import { CustomerListView, type CustomerQuery, customerAddress } from './customer-list-view.tsx';
import { CustomerView } from './customer-view.tsx';

export const customersPage: Page = async ({ database, config }, { request, reader }) => {
  const query = customerAddress.parse(request.query);
  await orUnavailable(refreshForReader(database));
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
  { sort }: Pick<CustomerQuery, 'sort'>,
): Promise<Pick<CustomerPage, 'sort' | 'worth'>> {
  const by = sortOfCustomers(sort).sort;
  return { sort, worth: await findWorth(database, config, { sort: by, currency: undefined }) };
}

/** Invoices whose history the timeline has. */
const MOST = 20;
const PREVIEWED = ['stopCollection', 'resumeCollection', 'forget'] as const;

export const customerPage: Page = async (deps, { request, reader, token }) => {
  const { database, operations } = deps;
  const id = String(request.params.id);
  const account = typeof request.query.account === 'string' ? request.query.account : OWN_ACCOUNT;
  const key = { account, customerId: id };
  await orUnavailable(refreshForReader(database));
  const isValid = ID.test(id) && ID.test(account);
  const record = isValid ? await orUnavailable(findCustomerRecord(database, key)) : undefined;
  const { clock } = operations;
  const state = record && (await readCustomerState({ database, clock, config: operations.config() }, key));
  if (!record || !state)
    return notFound(
      'Unknown customer',
      `Nothing is known about ${id}.`,
      'A customer is known here from the first event about a subscription or a failed payment on.',
    );
  const failures = await orUnavailable(
    listFailures(database, { account, customer: id }, { sort: 'failed', limit: ROWS }),
  );
  const histories = [];
  for (const { invoiceId } of failures.slice(0, MOST)) {
    const history = await orUnavailable(findInvoiceHistory(database, invoiceId, account));
    if (history) histories.push({ id: invoiceId, history });
  }
  const latest = failures.find((one) => one.state === 'open' || one.state === 'waiting');
  const open = latest && histories.find((one) => one.id === latest.invoiceId);
  const fields = { customer: id, account };
  const previews = PREVIEWED.map(
    async (name) => [name, await previewOperation(operations, name, fields)] as const,
  );
  const main = CustomerView({
    id,
    account,
    record,
    state,
    token,
    reader,
    failures,
    entries: listTimeline(histories),
    nextStep: open && !state.stopped ? describeNextStep(open.history, latest.need) : undefined,
    show: SHOWN.find((one) => one === request.query.show) ?? 'all',
    forgotten: await orUnavailable(findForgotten(database, key)),
    stripeUrl: stripeUrlOf(deps, 'customers', { id, account }),
    previewed: new Map(await Promise.all(previews)),
  });
  return { title: record.name ?? record.email ?? id, here: 'customers', isLive: true, main };
};

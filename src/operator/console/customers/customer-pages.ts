/** Customers with failed invoices, and one of them. */
import { z } from 'zod';
import { OWN_ACCOUNT } from '../../../config/account.ts';
import { listCustomerCards } from '../../../store/reports/card-health.ts';
import { listMails } from '../../../store/reports/mails.ts';
import { findCustomerRecord } from '../../../store/reports/money/customer-record.ts';
import { listCustomers } from '../../../store/reports/money/list-customers.ts';
import { listFailures } from '../../../store/reports/money/list-failures.ts';
import { refreshFailures } from '../../../store/reports/money/refresh-failures.ts';
import { findForgotten } from '../../../store/tables/forgotten.ts';
import { foretellForms } from '../foretell.ts';
import { stripeUrlOf } from '../invoices/invoice-page.ts';
import { cutPage, placeParameter, readPlace } from '../list-place.ts';
import { ID, notFound, orUnavailable, type Page, ROWS } from '../page-answer.ts';
import { CustomerListView } from './customer-list-view.tsx';
import { CustomerView } from './customer-view.tsx';

const CARD_DAYS = 30;

const address = z.object({
  q: z
    .string()
    .trim()
    .regex(/^\P{Cc}{1,200}$/u)
    .optional()
    .catch(undefined),
  state: z.literal('open').optional().catch(undefined),
  after: placeParameter,
});

export const customersPage: Page = async ({ database }, { request, reader }) => {
  const query = address.parse(request.query);
  await orUnavailable(refreshFailures(database));
  const filter = { search: query.q, isOpen: query.state === 'open' };
  const place = { limit: ROWS + 1, after: readPlace(query.after) };
  const found = await orUnavailable(listCustomers(database, filter, place));
  const { rows: customers, next } = cutPage(found, ({ failedAt, invoiceId }) => ({
    at: failedAt,
    id: invoiceId,
  }));
  const main = CustomerListView({ query, customers, next, reader });
  return { title: 'Customers', here: 'customers', isLive: true, main };
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
    ...{ id, account, record, token, reader },
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

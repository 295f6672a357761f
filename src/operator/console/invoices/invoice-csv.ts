/** The list as a file for spreadsheets, with all its pages. */
import type { Response } from 'express';
import { minorDigits } from '../../../email/format-money.ts';
import type { Database } from '../../../store/engine/database.ts';
import { type Failure, listFailures, placeOf } from '../../../store/reports/money/list-failures.ts';
import { toCsvCell } from '../../lists/csv-cell.ts';
import { type InvoiceQuery, toFilter, toPage } from './invoice-query.ts';

const AT_ONCE = 1_000;
/** A spreadsheet's limit is not far beyond. */
const MOST = 200_000;

type Cell = string | number | Date | null;

const COLUMNS: readonly (readonly [name: string, value: (failure: Failure) => Cell])[] = [
  ['invoice', ({ invoiceId }) => invoiceId],
  ['account', ({ account }) => account],
  ['state', ({ state }) => state],
  ['amount', ({ amount, currency }) => (amount / 10 ** minorDigits(currency)).toFixed(minorDigits(currency))],
  ['currency', ({ currency }) => currency.toUpperCase()],
  ['customer', ({ customerId }) => customerId],
  ['customer_name', ({ customerName }) => customerName],
  ['customer_email', ({ customerEmail }) => customerEmail],
  ['subscription', ({ subscriptionId }) => subscriptionId],
  ['plan', ({ plan }) => plan],
  ['plan_name', ({ planName }) => planName],
  ['failed_at', ({ failedAt }) => failedAt],
  ['failures', ({ attempts }) => attempts],
  ['decline_reason', ({ reason }) => reason],
  ['card_network', ({ brand }) => brand],
  ['card_last4', ({ last4 }) => last4],
  ['card_country', ({ country }) => country],
  ['next', ({ nextKind }) => nextKind],
  ['next_at', ({ nextAt }) => nextAt],
  ['ended_at', ({ endedAt }) => endedAt],
  ['recovered_by', ({ cause }) => cause],
];

export async function sendInvoiceCsv(
  database: Database,
  query: InvoiceQuery,
  response: Response,
): Promise<void> {
  response.type('text/csv').attachment('invoices.csv');
  response.write(`${COLUMNS.map(([name]) => name).join(',')}\r\n`);
  let page = toPage({ ...query, after: undefined }, AT_ONCE);
  for (let sent = 0; sent < MOST; sent += AT_ONCE) {
    const failures = await listFailures(database, toFilter(query), page);
    response.write(failures.map(toLine).join(''));
    const last = failures.at(-1);
    if (last === undefined || failures.length < AT_ONCE) break;
    page = { ...page, after: placeOf(last, page.sort) };
  }
  response.end();
}

function toLine(failure: Failure): string {
  return `${COLUMNS.map(([, value]) => toCsvCell(value(failure))).join(',')}\r\n`;
}

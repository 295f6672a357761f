/** The list as a file for spreadsheets, with all its pages. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { minorDigits } from '../../../email/format-money.ts';
import { codeOf } from '../../../kit/errors.ts';
import type { Database } from '../../../store/engine/database.ts';
import { type Failure, listFailures, placeOf } from '../../../store/reports/money/list-failures.ts';
import { toCsvCell } from '../../lists/csv-cell.ts';
import { type InvoiceQuery, toFilter, toPage } from './invoice-query.ts';

const AT_ONCE = 1_000;
/** More lines no spreadsheet takes. */
const MOST = 1_000_000;
const GONE = 'ERR_STREAM_PREMATURE_CLOSE';

type Cell = string | number | Date | null;

const COLUMNS: readonly (readonly [name: string, value: (failure: Failure) => Cell])[] = [
  ['invoice', ({ invoiceId }) => invoiceId],
  ['account', ({ account }) => account],
  ['state', ({ state }) => state],

  ['amount', ({ amount, currency }) => inUnits(amount, currency)],
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
  ['returned', ({ returned, currency }) => inUnits(returned, currency)],
  ['standing', ({ standing }) => standing],
  ['needs_you', ({ need }) => need],
];

function inUnits(amount: number, currency: string): string {
  return (amount / 10 ** minorDigits(currency)).toFixed(minorDigits(currency));
}

/** No faster than the reader takes it, and no further once the reader is gone. */
export async function sendInvoiceCsv(
  database: Database,
  query: InvoiceQuery,
  response: Response,
): Promise<void> {
  response.type('text/csv').attachment('invoices.csv');
  try {
    await pipeline(Readable.from(listPages(database, query)), response);
  } catch (error) {
    const isReaderGone = codeOf(error) === GONE;
    if (!isReaderGone) throw error;
  }
}

async function* listPages(database: Database, query: InvoiceQuery): AsyncGenerator<string> {
  let page = toPage({ ...query, after: undefined }, AT_ONCE);
  let head = `${COLUMNS.map(([name]) => name).join(',')}\r\n`;
  for (let sent = 0; sent < MOST; sent += AT_ONCE) {
    const failures = await listFailures(database, toFilter(query), page);
    yield head + failures.map(toLine).join('');
    head = '';
    const last = failures.at(-1);
    if (last === undefined || failures.length < AT_ONCE) return;
    page = { ...page, after: placeOf(last, page.sort) };
  }
}

function toLine(failure: Failure): string {
  return `${COLUMNS.map(([, value]) => toCsvCell(value(failure))).join(',')}\r\n`;
}

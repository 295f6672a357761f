/** The list of failed invoices for spreadsheets, with all its pages: codes, and words next to them. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { DateTime } from 'luxon';
import { codeOf } from '../../../../core/base/errors.ts';
import { describeAction } from '../../../actions/action-kinds.ts';
import { minorDigits } from '../../../mails/format-money.ts';
import type { ExchangeRates } from '../../../settings/schema/operator-settings.ts';
import { placeOf } from '../../../store/reports/money/failure-order.ts';
import { type Failure, listFailures } from '../../../store/reports/money/list-failures.ts';
import { refreshForReader } from '../../../store/reports/money/refresh-failures.ts';
import { addUp } from '../../figures/exchange.ts';
import { CAUSE_WORDS } from '../../figures/labels.ts';
import { toCsvCell } from '../../lists/failing-invoices-table.ts';
import { describeCode } from '../../text/describe-code.ts';
import { NEED_ROWS } from '../../text/describe-need.ts';
import { STANDING_WORDS } from '../../text/describe-standing.ts';
import type { PageDeps, Visit } from '../page-answer.ts';
import { findWorth, invoiceAddress, toFilter } from './invoice-query.ts';

type Cell = string | number | DateTime | null;
type CsvColumn = readonly [name: string, value: (failure: Failure) => Cell];

const COLUMNS: readonly CsvColumn[] = [
  ['invoice', ({ invoiceId }) => invoiceId],
  ['number', ({ number }) => number],
  ['account', ({ account }) => account],
  ['state', ({ state }) => state],
  ['charges', ({ charges }) => charges],
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
  ['decline_reason_words', ({ reason }) => reason && describeCode(reason)],
  ['card_network', ({ brand }) => brand],
  ['card_last4', ({ last4 }) => last4],
  ['card_country', ({ country }) => country],
  ['next', ({ nextKind }) => nextKind],
  ['next_words', ({ nextKind }) => nextKind && describeAction(nextKind)],
  ['next_at', ({ nextAt }) => nextAt],
  ['ended_at', ({ endedAt }) => endedAt],
  ['recovered_by', ({ cause }) => cause],
  ['recovered_by_words', ({ cause }) => cause && CAUSE_WORDS[cause]],
  ['returned', ({ returned, currency }) => inUnits(returned, currency)],
  ['disputed', ({ disputed, currency }) => inUnits(disputed, currency)],
  ['standing', ({ standing }) => standing],
  ['standing_words', ({ standing }) => STANDING_WORDS[standing]],
  ['needs_attention', ({ need }) => need],
  ['needs_attention_words', ({ need }) => need && NEED_ROWS[need].words],
];

/** Empty for a currency without a rate. */
function inOneCurrency({ currency: report, ...rates }: ExchangeRates): CsvColumn[] {
  if (report === undefined) return [];
  const hasRate = (currency: string) => currency === report || rates.rates.has(currency);
  return [
    [
      `amount_in_${report}`,
      ({ currency, amount }) =>
        hasRate(currency)
          ? inUnits(addUp([{ currency, amount }], report, { currency: report, ...rates }), report)
          : null,
    ],
  ];
}

/** `12.50`, without a currency. */
function inUnits(amount: number, currency: string): string {
  return (amount / 10 ** minorDigits(currency)).toFixed(minorDigits(currency));
}

const AT_ONCE = 1_000;
/** More lines no spreadsheet takes. */
const MOST = 1_000_000;
const GONE = 'ERR_STREAM_PREMATURE_CLOSE';
/** A spreadsheet would otherwise take UTF-8 for its system's own encoding. */
const BYTE_ORDER_MARK = '\ufeff';

type Asked = Omit<Visit, 'status'>;

/** No faster than the reader takes it, and no further once the reader is gone. */
export async function sendInvoiceCsv(deps: PageDeps, visit: Asked, response: Response): Promise<void> {
  await refreshForReader(deps.database);
  response.type('text/csv').attachment('invoices.csv');
  try {
    await pipeline(Readable.from(writePages(deps, visit)), response);
  } catch (error) {
    if (codeOf(error) !== GONE) throw error;
  }
}

async function* writePages({ database, config }: PageDeps, { request, reader }: Asked) {
  const query = invoiceAddress.parse(request.query);
  const filter = toFilter(query, reader.zone);
  const page = { sort: query.sort, worth: await findWorth(database, config, query), limit: AT_ONCE };
  const columns = [...COLUMNS, ...inOneCurrency(config.exchangeRates)];
  const toCell = (value: Cell) =>
    toCsvCell(
      value === null || typeof value !== 'object'
        ? value
        : value.setZone(reader.zone).toISO({ suppressMilliseconds: true }),
    );
  let text = `${BYTE_ORDER_MARK}${columns.map(([name]) => name).join(',')}\r\n`;
  let last: Failure | undefined;
  for (let sent = 0; sent < MOST; sent += AT_ONCE) {
    const after = last && placeOf(last, query.sort);
    const failures = await listFailures(database, filter, { ...page, after });
    const lines = failures.map((failure) => columns.map(([, value]) => toCell(value(failure))).join(','));
    yield text + lines.map((line) => `${line}\r\n`).join('');
    text = '';
    last = failures.at(-1);
    if (last === undefined || failures.length < AT_ONCE) return;
  }
}

/** The list of failed invoices for spreadsheets. */

import { orUnavailable } from '../../../../core/base/errors.ts';
import { describeAction } from '../../../actions/action-kinds.ts';
import type { ExchangeRates } from '../../../settings/schema/operator-settings.ts';
import { placeOf } from '../../../store/reports/money/failure-order.ts';
import { type Failure, listFailures } from '../../../store/reports/money/list-failures.ts';
import { refreshForReader } from '../../../store/reports/money/refresh-failures.ts';
import { addUp } from '../../figures/exchange.ts';
import { CAUSE_WORDS } from '../../figures/labels.ts';
import { describeCode } from '../../text/describe-code.ts';
import { NEED_ROWS } from '../../text/describe-need.ts';
import { STANDING_WORDS } from '../../text/describe-standing.ts';
import type { SendFile } from '../page-answer.ts';
import { type CsvColumn, inUnits, sendCsv } from '../send-csv.ts';
import { findWorth, invoiceAddress, toFilter } from './invoice-query.ts';

const COLUMNS: readonly CsvColumn<Failure>[] = [
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
function inOneCurrency({ currency: report, ...rates }: ExchangeRates): CsvColumn<Failure>[] {
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

export const sendInvoiceCsv: SendFile = async ({ database, config }, { request, reader }, response) => {
  await orUnavailable(refreshForReader(database));
  const query = invoiceAddress.parse(request.query);
  const filter = toFilter(query, reader.zone);
  const { sort } = query;
  const worth = await findWorth(database, config, query);
  await sendCsv(response, {
    name: 'invoices',
    columns: [...COLUMNS, ...inOneCurrency(config.exchangeRates)],
    zone: reader.zone,
    list: (last, limit) =>
      listFailures(database, filter, { sort, worth, limit, after: last && placeOf(last, sort) }),
  });
};

/** The list of failed invoices as its address describes it: search, filters, order and page. */
import { z } from 'zod';
import type { Queryable } from '../../../../core/database/database.ts';
import type { ExchangeRates } from '../../../settings/schema/operator-settings.ts';
import { type CurrencyWorth, FAILURE_SORTS } from '../../../store/reports/money/failure-order.ts';
import { type FailureFilter, listCurrencies } from '../../../store/reports/money/list-failures.ts';
import { LISTINGS, NEEDS } from '../../../store/reports/money/needs.ts';
import { toWorth } from '../../figures/exchange.ts';
import { isMethod, METHODS } from '../../figures/money-facts.ts';
import { day, lenient, placeParameter, startOf } from '../list-page.tsx';

const word = z
  .string()
  .trim()
  .max(200)
  .regex(/^\P{Cc}*$/u);
const chosen = lenient(word);
/** Empty fields of the form do not count; an empty dimension asks for unknown values. */
const given = lenient(word.transform((text) => (text === '' ? undefined : text)));

export const invoiceAddress = z.object({
  q: given,
  state: lenient(z.enum(LISTINGS)),
  need: lenient(z.enum(NEEDS)),
  reason: chosen,
  brand: chosen,
  country: chosen,
  plan: chosen,
  /** One, or several with commas. */
  currency: lenient(
    z
      .string()
      .regex(/^[A-Za-z]{3}(,[A-Za-z]{3})*$/)
      .toLowerCase(),
  ),
  customer: given,
  from: day,
  to: day,
  ended_from: day,
  ended_to: day,
  method: lenient(z.string().refine(isMethod)),
  disputed: lenient(z.literal('open')),
  /** An action is planned before that day, of that kind. */
  due: day,
  next: given,
  sort: z.enum(FAILURE_SORTS).catch('failed'),
  after: placeParameter,
});

export type InvoiceQuery = z.infer<typeof invoiceAddress>;

/** Where the list is sorted by it: in the currency of the rates, and after that those without a rate, one after the other. */
export async function findWorth(
  db: Queryable,
  { exchangeRates }: { readonly exchangeRates: ExchangeRates },
  { sort, currency }: Pick<InvoiceQuery, 'sort' | 'currency'>,
): Promise<CurrencyWorth[] | undefined> {
  if (sort !== 'amount') return undefined;
  const currencies = currency === undefined ? await listCurrencies(db) : currency.split(',');
  return currencies.map((one) => toWorth(exchangeRates, one));
}

export function toFilter(
  { q, state: standing, need, reason, brand, country, plan, currency, customer, ...query }: InvoiceQuery,
  zone: string,
): FailureFilter {
  const of = { search: q, standing, need, reason, brand, country, plan, customer };
  return {
    ...of,
    currencies: currency?.split(','),
    causes: query.method && METHODS[query.method],
    isDisputed: query.disputed && true,
    dueBefore: startOf(query.due, zone),
    nextKind: query.next,
    from: startOf(query.from, zone),
    to: startOf(query.to, zone),
    endedFrom: startOf(query.ended_from, zone),
    endedTo: startOf(query.ended_to, zone),
  };
}

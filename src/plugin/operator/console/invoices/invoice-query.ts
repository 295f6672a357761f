/** The list of failed invoices as its address describes it: search, filters, order and page. */
import { DateTime } from 'luxon';
import { z } from 'zod';
import { orUnavailable } from '../../../../core/base/errors.ts';
import type { Queryable } from '../../../../core/database/database.ts';
import type { ExchangeRates } from '../../../settings/schema/operator-settings.ts';
import {
  type CurrencyWorth,
  FAILURE_SORTS,
  type FailurePage,
  placeOf,
} from '../../../store/reports/money/failure-order.ts';
import {
  type Failure,
  type FailureFilter,
  listCurrencies,
} from '../../../store/reports/money/list-failures.ts';
import { LISTINGS, NEEDS } from '../../../store/reports/money/needs.ts';
import { toWorth } from '../../figures/exchange.ts';
import { isMethod, METHODS } from '../../figures/money-facts.ts';
import { placeParameter, readKey } from '../list-place.ts';

const word = z
  .string()
  .trim()
  .max(200)
  .regex(/^\P{Cc}*$/u);
const chosen = word.optional().catch(undefined);
/** Empty fields of the form do not count; an empty dimension asks for unknown values. */
const given = word
  .transform((text) => (text === '' ? undefined : text))
  .optional()
  .catch(undefined);
const day = z.iso.date().optional().catch(undefined);

const address = z.object({
  q: given,
  state: z.enum(LISTINGS).optional().catch(undefined),
  need: z.enum(NEEDS).optional().catch(undefined),
  reason: chosen,
  brand: chosen,
  country: chosen,
  plan: chosen,
  /** One, or several with commas. */
  currency: z
    .string()
    .regex(/^[A-Za-z]{3}(,[A-Za-z]{3})*$/)
    .toLowerCase()
    .optional()
    .catch(undefined),
  customer: given,
  from: day,
  to: day,
  ended_from: day,
  ended_to: day,
  method: z.string().refine(isMethod).optional().catch(undefined),
  disputed: z.literal('open').optional().catch(undefined),
  /** An action is planned before that day, of that kind. */
  due: day,
  next: given,
  sort: z.enum(FAILURE_SORTS).catch('failed'),
  after: placeParameter,
});

export type InvoiceQuery = z.infer<typeof address>;

export function readInvoiceQuery(query: unknown): InvoiceQuery {
  return address.parse(query ?? {});
}

export function toPage({ sort, after }: Pick<InvoiceQuery, 'sort' | 'after'>, limit: number): FailurePage {
  return { sort, limit, after: readKey(sort, after) };
}

/** Where the list is sorted by it: in the currency of the rates, and after that those without a rate, one after the other. */
export async function findWorth(
  db: Queryable,
  { exchangeRates }: { readonly exchangeRates: ExchangeRates },
  { sort, currency }: Pick<InvoiceQuery, 'sort' | 'currency'>,
): Promise<CurrencyWorth[] | undefined> {
  if (sort !== 'amount') return undefined;
  const currencies = currency === undefined ? await orUnavailable(listCurrencies(db)) : currency.split(',');
  return currencies.map((one) => toWorth(exchangeRates, one));
}

export function toFilter(
  { q, state: standing, need, reason, brand, country, plan, currency, customer, ...dates }: InvoiceQuery,
  zone: string,
): FailureFilter {
  const { method, disputed, due, next } = dates;
  const of = { search: q, standing, need, reason, brand, country, plan, customer };
  return {
    ...of,
    currencies: currency?.split(','),
    ...(method === undefined ? {} : { causes: METHODS[method] }),
    ...(disputed === undefined ? {} : { isDisputed: true }),
    dueBefore: startOf(due, zone),
    nextKind: next,
    from: startOf(dates.from, zone),
    to: startOf(dates.to, zone),
    endedFrom: startOf(dates.ended_from, zone),
    endedTo: startOf(dates.ended_to, zone),
  };
}

/** When a day begins. */
export function startOf(day: string | undefined, zone: string): string | undefined {
  return day === undefined ? undefined : (DateTime.fromISO(day, { zone }).toISO() ?? undefined);
}

export function placeAt(row: Failure, { sort }: FailurePage): string {
  const { key, invoiceId } = placeOf(row, sort);
  return `${key}~${invoiceId}`;
}

/** The list of failed invoices as its address says it: what is searched for, filtered, sorted and paged. */
import { DateTime } from 'luxon';
import { z } from 'zod';
import {
  FAILURE_SORTS,
  type Failure,
  type FailureFilter,
  type FailurePage,
  placeOf,
} from '../../../store/reports/money/list-failures.ts';
import { type InvoiceListing, NEEDS, VIEWS } from '../../../store/reports/money/needs.ts';

const word = z
  .string()
  .trim()
  .max(200)
  .regex(/^\P{Cc}*$/u);
const chosen = word.optional().catch(undefined);
/** What is left empty in the form does not count; a dimension that is empty asks for what is not known. */
const given = word
  .transform((text) => (text === '' ? undefined : text))
  .optional()
  .catch(undefined);
const day = z.iso.date().optional().catch(undefined);

const LISTINGS = Object.keys(VIEWS).filter((name): name is InvoiceListing => name in VIEWS);

const place = z
  .string()
  .regex(/^[\w:.-]{1,40}~[\x21-\x7e]{1,255}$/)
  .optional()
  .catch(undefined);

const address = z.object({
  q: given,
  state: z.enum(LISTINGS).optional().catch(undefined),
  need: z.enum(NEEDS).optional().catch(undefined),
  reason: chosen,
  brand: chosen,
  country: chosen,
  plan: chosen,
  currency: z
    .string()
    .regex(/^[A-Za-z]{3}$/)
    .toLowerCase()
    .optional()
    .catch(undefined),
  customer: given,
  from: day,
  to: day,
  sort: z.enum(FAILURE_SORTS).catch('failed'),
  /** The other way round. */
  order: z.literal('reversed').optional().catch(undefined),
  after: place,
  /** The rows before that one. */
  before: place,
});

export type InvoiceQuery = z.infer<typeof address>;

export function readInvoiceQuery(query: unknown): InvoiceQuery {
  return address.parse(query ?? {});
}

/** Amounts are compared within one currency: without one the list goes by time. */
export function toPage(
  { sort, currency, order, after, before }: InvoiceQuery,
  limit: number,
): FailurePage & { readonly isBackwards: boolean } {
  const from = after ?? before;
  const [key = '', invoiceId = ''] = from?.split('~') ?? [];
  const isFitting = from !== undefined && isKey(sort, key);
  const isBackwards = isFitting && after === undefined;
  return {
    sort: sort === 'amount' && currency === undefined ? 'failed' : sort,
    limit,
    isBackwards,
    // What lies before a row is what comes after it the other way round.
    isReversed: (order === 'reversed') !== isBackwards,
    ...(isFitting ? { after: { key, invoiceId } } : {}),
  };
}

function isKey(sort: InvoiceQuery['sort'], key: string): boolean {
  return sort === 'amount' ? /^\d{1,18}$/.test(key) : z.iso.datetime().safeParse(key).success;
}

export function toFilter(
  { q, state: standing, need, reason, brand, country, plan, currency, customer, ...dates }: InvoiceQuery,
  zone: string,
): FailureFilter {
  const of = { search: q, standing, need, reason, brand, country, plan, currency, customer };
  return { ...of, from: startOf(dates.from, zone), to: startOf(dates.to, zone) };
}

/** Of a day on the page's clocks. */
function startOf(day: string | undefined, zone: string): string | undefined {
  return day === undefined ? undefined : (DateTime.fromISO(day, { zone }).toISO() ?? undefined);
}

/** The same list with something else about it, from its first page on. */
export function addressOf(query: InvoiceQuery, changes: Partial<InvoiceQuery> = {}): string {
  const parts = Object.entries({ ...query, after: undefined, before: undefined, ...changes }).flatMap(
    ([name, value]) =>
      value === undefined || (name === 'sort' && value === 'failed')
        ? []
        : [[name, value] as [string, string]],
  );
  return parts.length === 0 ? '' : `?${new URLSearchParams(parts)}`;
}

export function placeAt(row: Failure, { sort }: FailurePage): string {
  const { key, invoiceId } = placeOf(row, sort);
  return `${key}~${invoiceId}`;
}

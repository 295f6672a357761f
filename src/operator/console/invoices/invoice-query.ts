/** The list of failed invoices as its address says it: what is searched for, filtered, sorted and paged. */
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
  after: z
    .string()
    .regex(/^[\w:.-]{1,40}~[\x21-\x7e]{1,255}$/)
    .optional()
    .catch(undefined),
});

export type InvoiceQuery = z.infer<typeof address>;

export function readInvoiceQuery(query: unknown): InvoiceQuery {
  return address.parse(query ?? {});
}

/** Amounts are compared within one currency: without one the list goes by time. */
export function toPage({ sort, currency, after }: InvoiceQuery, limit: number): FailurePage {
  const [key = '', invoiceId = ''] = after?.split('~') ?? [];
  const isFitting = after !== undefined && isKey(sort, key);
  return {
    sort: sort === 'amount' && currency === undefined ? 'failed' : sort,
    limit,
    ...(isFitting ? { after: { key, invoiceId } } : {}),
  };
}

function isKey(sort: InvoiceQuery['sort'], key: string): boolean {
  return sort === 'amount' ? /^\d{1,18}$/.test(key) : z.iso.datetime().safeParse(key).success;
}

export function toFilter({
  q,
  state: standing,
  need,
  reason,
  brand,
  country,
  plan,
  currency,
  customer,
  from,
  to,
}: InvoiceQuery): FailureFilter {
  return { search: q, standing, need, reason, brand, country, plan, currency, customer, from, to };
}

/** The same list with something else about it, from its first page on. */
export function addressOf(query: InvoiceQuery, changes: Partial<InvoiceQuery> = {}): string {
  const parts = Object.entries({ ...query, after: undefined, ...changes }).flatMap(([name, value]) =>
    value === undefined || (name === 'sort' && value === 'failed') ? [] : [[name, value] as [string, string]],
  );
  return parts.length === 0 ? '' : `?${new URLSearchParams(parts)}`;
}

export function placeAfter(last: Failure, { sort }: FailurePage): string {
  const { key, invoiceId } = placeOf(last, sort);
  return `${key}~${invoiceId}`;
}

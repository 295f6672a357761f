/** The list of failed invoices, for commands and API: one query, one view, one way to page. */

import type { DateTime } from 'luxon';
import { z } from 'zod';
import { toIso } from '../../../core/base/clock.ts';
import { InvalidRequestError } from '../../../core/base/errors.ts';
import { tryJson } from '../../../core/base/try-json.ts';
import type { Database } from '../../../core/database/database.ts';
import {
  FAILURE_SORTS,
  type FailurePlace,
  type FailureSort,
  isPlaceKey,
  placeOf,
} from '../../store/reports/money/failure-order.ts';
import {
  type Failure,
  type FailureFilter,
  type ListedSum,
  listFailures,
  sumListed,
} from '../../store/reports/money/list-failures.ts';
import { LISTINGS, NEEDS } from '../../store/reports/money/needs.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import { findAwaitedUntil } from '../text/describe-need.ts';

export const MOST_ON_PAGE = 500;
const word = z.string().trim().min(1).max(200);
const whole = z.coerce.number('must be a whole number').int();
const days = whole.min(0).max(3650).optional();

export const failingInvoicesQuery = z.object({
  search: word.optional().describe('Words, or their beginnings, of a name, an email address or an id.'),
  customer: word.optional().describe('The id of the customer.'),
  email: word.optional().describe('The customer’s email address, or its beginning.'),
  subscription: word.optional().describe('The id of the subscription.'),
  state: z
    .enum(['open', 'waiting', 'recovered', 'lost'])
    .optional()
    .describe('open: a payment is planned; waiting: the customer or a person has to act first.'),
  standing: z
    .enum(LISTINGS)
    .optional()
    .describe('Its state, as the console’s chip shows it; unpaid: any of the open ones.'),
  need: z.enum(NEEDS).optional().describe('Needs a person for this cause.'),
  reason: word.optional().describe('The code of the latest failure.'),
  currency: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z]{3}$/, 'a currency, such as eur')
    .optional(),
  minAmount: whole.min(0).optional().describe('In the currency’s smallest unit.'),
  minDays: days.describe('First failed at least this many days ago.'),
  maxDays: days.describe('First failed at most this many days ago.'),
  sort: z
    .enum(FAILURE_SORTS)
    .default('failed')
    .describe(
      'failed: the latest first; amount: the largest first; next: the earliest due first; the others by their words.',
    ),
  limit: whole.min(1).max(MOST_ON_PAGE).default(50),
  after: z.string().max(1_000).optional().describe('`next` of the page before.'),
});
export type FailingInvoicesQuery = z.output<typeof failingInvoicesQuery>;

const time = z.string().describe('ISO 8601 in UTC.');

export const failingInvoice = z.object({
  account: z.string(),
  invoice: z.string(),
  number: z.string().nullable().describe('The invoice’s number.'),
  customer: z.object({
    id: z.string().nullable(),
    name: z.string().nullable(),
    email: z.string().nullable(),
  }),
  subscription: z.string().nullable(),
  plan: z.string().nullable(),
  amount: z.int().describe('What was to be paid, in the currency’s smallest unit.'),
  returned: z.int().describe('Refunds and lost disputes since it was recovered.'),
  disputed: z.int().describe('In open disputes.'),
  currency: z.string(),
  state: z.enum(['open', 'waiting', 'recovered', 'lost']),
  standing: z.string().describe('Its status, in more detail than `state`.'),
  need: z.enum(NEEDS).nullable().describe('Why it needs a person; null while it does not.'),
  askedAt: time.nullable().describe('When an email last asked the customer for it.'),
  waitUntil: time.nullable().describe('Awaits an answer to an email until then.'),
  stripeRetryAt: time.nullable().describe('Stripe’s own next retry.'),
  cause: z.string().nullable().describe('What recovered it.'),
  failedAt: time,
  endedAt: time.nullable(),
  attempts: z.int(),
  reason: z.string().nullable().describe('The code of the latest failure.'),
  card: z.object({
    brand: z.string().nullable(),
    last4: z.string().nullable(),
    country: z.string().nullable(),
  }),
  next: z.object({ kind: z.string(), at: time }).nullable().describe('The earliest planned action.'),
});
export type FailingInvoice = z.output<typeof failingInvoice>;

export const failingInvoicesPage = z.object({
  invoices: z.array(failingInvoice),
  next: z.string().nullable().describe('For the parameter `after` of the next page; null on the last one.'),
});
export type FailingInvoicesPage = z.output<typeof failingInvoicesPage>;

/** Refreshes changes first, so that the caller sees the result of an operation just made. */
export async function listFailingInvoices(
  database: Database,
  now: DateTime,
  query: FailingInvoicesQuery,
): Promise<FailingInvoicesPage> {
  await refreshForReader(database);
  const { sort, limit, after } = query;
  const filter = toFilter(query, now);
  const place = after === undefined ? undefined : readPlace(after, sort);
  const found = await listFailures(database, filter, { sort, limit: limit + 1, after: place });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    invoices: page.map((failure) => toFailingInvoice(failure, now)),
    next: found.length > limit && last ? writePlace(placeOf(last, sort), sort) : null,
  };
}

/** Sums all invoices of the query, not only a page. Undefined where its words are too common. */
export function sumFailingInvoices(
  database: Database,
  now: DateTime,
  query: FailingInvoicesQuery,
): Promise<ListedSum[] | undefined> {
  return sumListed(database, toFilter(query, now));
}

function toFilter(query: FailingInvoicesQuery, now: DateTime): FailureFilter {
  const { search, email, subscription, customer, minDays, maxDays } = query;
  // The words are for the index; the rest says which of them are meant.
  const words = [search, email, subscription].filter((one) => one !== undefined).join(' ');
  return {
    search: words === '' ? undefined : words,
    customer,
    email,
    subscription,
    state: query.state,
    standing: query.standing,
    need: query.need,
    reason: query.reason,
    currencies: query.currency === undefined ? undefined : [query.currency],
    atLeast: query.minAmount,
    from: maxDays === undefined ? undefined : toIso(now.minus({ days: maxDays })),
    to: minDays === undefined ? undefined : toIso(now.minus({ days: minDays })),
  };
}

const placeSchema = z.tuple([z.enum(FAILURE_SORTS), z.string().max(600), z.string().max(255)]);

function writePlace({ key, invoiceId }: FailurePlace, sort: FailureSort): string {
  return Buffer.from(JSON.stringify([sort, key, invoiceId])).toString('base64url');
}

function readPlace(token: string, sort: FailureSort): FailurePlace {
  const place = placeSchema.safeParse(tryJson(Buffer.from(token, 'base64url').toString('utf8'))).data;
  if (!place) throw new InvalidRequestError('after: not the `next` of a page of this list');
  const [ofSort, key, invoiceId] = place;
  if (ofSort !== sort || !isPlaceKey(sort, key) || invoiceId.includes('\0'))
    throw new InvalidRequestError('after: not the `next` of a page of this list, sorted as this one');
  return { key, invoiceId };
}

export function toFailingInvoice(failure: Failure, now: DateTime): FailingInvoice {
  const { account, invoiceId: invoice, subscriptionId: subscription, nextKind, nextAt } = failure;
  const { amount, returned, disputed, currency, state, standing, need, cause, attempts, reason } = failure;
  return {
    account,
    invoice,
    number: failure.number,
    subscription,
    amount,
    returned,
    disputed,
    currency,
    state,
    standing,
    need,
    cause,
    attempts,
    reason,
    askedAt: failure.askedAt?.toISO() ?? null,
    waitUntil: findAwaitedUntil(failure, now)?.toISO() ?? null,
    stripeRetryAt: failure.stripeAt?.toISO() ?? null,
    customer: { id: failure.customerId, name: failure.customerName, email: failure.customerEmail },
    plan: failure.planName ?? failure.plan,
    failedAt: failure.failedAt.toISO(),
    endedAt: failure.endedAt?.toISO() ?? null,
    card: { brand: failure.brand, last4: failure.last4, country: failure.country },
    next: nextKind !== null && nextAt !== null ? { kind: nextKind, at: nextAt.toISO() } : null,
  };
}

/** The query of the listing, in the contract's spelling and in others that are in use (stripe-facts 12.2). */
import { DateTime } from 'luxon';
import { z } from 'zod';
import { InvalidRequestError } from '../../core/base/errors.ts';
import { describeIssue } from '../../core/contract/contract.ts';
import type { Direction, Ordering } from '../store/recovery-action-pages.ts';

export const MAX_PAGE_SIZE = 100;
const MAX_ID_LENGTH = 255;

const ORDER_BY: Record<string, Ordering> = {
  created_at: 'created_at',
  executed_at: 'executed_at',
  ideal_retry_time: 'ideal_retry_time',
  RECOVERY_ACTION_ORDER_BY_CREATED_AT: 'created_at',
  RECOVERY_ACTION_ORDER_BY_EXECUTED_AT: 'executed_at',
  RECOVERY_ACTION_ORDER_BY_IDEAL_RETRY_TIME: 'ideal_retry_time',
};

const DIRECTIONS: Record<string, Direction> = {
  asc: 'asc',
  desc: 'desc',
  RECOVERY_ACTION_ORDER_DIRECTION_ASC: 'asc',
  RECOVERY_ACTION_ORDER_DIRECTION_DESC: 'desc',
};

const MUST_BE_INSTANT =
  'must be an ISO 8601 date-time, such as 2026-03-02T14:30:00Z; write the + of an offset as %2B';
const instant = z
  .string()
  .transform((text) => DateTime.fromISO(text, { zone: 'utc' }))
  .refine((time) => time.isValid && time.year >= 1970 && time.year <= 9999, MUST_BE_INSTANT)
  .transform((time) => time.toISO() ?? undefined)
  .meta({ format: 'date-time' });

export const printable = z
  .string()
  .max(MAX_ID_LENGTH)
  .refine((text) => !text.includes('\u0000'), 'must not contain a NUL character');

/** A whole number, which a query has in digits. */
export function wholeNumber(minimum: number, maximum: number) {
  const isInside = (text: string) =>
    /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
  return z
    .string()
    .refine(isInside, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .meta({ type: 'integer', minimum, maximum });
}

export const pageSize = wholeNumber(1, MAX_PAGE_SIZE).meta({ default: MAX_PAGE_SIZE });
export const invoiceId = printable.describe('Of this invoice.');

/** A parameter of another service is read over: the contract does not say that it is refused. */
export const listingQuery = z.object({
  orderBy: spelling(ORDER_BY)
    .describe(
      'By created_at unless said. By executed_at, actions not executed come last in either direction.',
    )
    .optional(),
  orderDirection: spelling(DIRECTIONS)
    .describe('Ascending unless said, which is what continuous reading needs.')
    .optional(),
  pageSize: pageSize.describe('Actions on a page.').optional(),
  pageToken: z
    .string()
    .describe(
      'The nextPageToken of the page before; good for 24 hours with the same API key. It carries ordering and filters, which may be left out or repeated, not changed.',
    )
    .optional(),
  executedAfter: instant.describe('Executed at this instant or later.').optional(),
  executedBefore: instant.describe('Executed before this instant.').optional(),
  subscriptionId: printable.describe('Of this subscription.').optional(),
  invoiceId: invoiceId.optional(),
  customerId: printable.describe('Of this customer.').optional(),
  transactionId: printable.describe('That this transaction came of.').optional(),
  cardCountry: printable.describe('Of cards of this country: ISO 3166-1 alpha-2.').optional(),
  currency: printable.describe('In this currency: ISO 4217, upper case.').optional(),
});

/** The query; a page token replaces the rest. */
export interface ListingQuery {
  orderBy: Ordering | undefined;
  direction: Direction | undefined;
  pageSize: number | undefined;
  pageToken: string | undefined;
  filters: Readonly<Record<string, string>>;
}

/** Throws InvalidRequestError. */
export function parseListingQuery(query: unknown): ListingQuery {
  const {
    orderBy,
    orderDirection: direction,
    pageSize,
    pageToken,
    ...given
  } = parseQuery(listingQuery, query);
  const filters: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) filters[name] = value;
  return { orderBy, direction, pageSize, pageToken: pageToken || undefined, filters };
}

/** Throws InvalidRequestError that names the first parameter that does not fit. */
export function parseQuery<Query>(schema: z.ZodType<Query>, query: unknown): Query {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  throw new InvalidRequestError(describeQueryIssue(parsed.error));
}

/** An unknown parameter is refused: a filter that is not applied would give a wrong answer. */
function describeQueryIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const name = (issue.keys[0] ?? '').slice(0, MAX_ID_LENGTH);
    return `${name}: is not a parameter of this operation`;
  }
  // In a query nothing but repetition makes anything else than text.
  if (issue?.code === 'invalid_type') return `${issue.path.join('.')}: is given more than once`;
  return describeIssue(error);
}

function spelling<Value extends string>(spellings: Record<string, Value>) {
  const names = Object.keys(spellings);
  return z
    .string()
    .transform((text, context) => {
      const value = Object.hasOwn(spellings, text) ? spellings[text] : undefined;
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: `must be one of ${names.join(', ')}` });
      return z.NEVER;
    })
    .meta({ enum: names });
}

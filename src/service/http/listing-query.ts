/** The query of the listing, in the contract's spelling and in others that are in use (stripe-facts 12.2). */
import { DateTime } from 'luxon';
import { z } from 'zod';
import { InvalidRequestError } from '../../core/base/errors.ts';
import { describeIssue } from '../../core/contract/contract.ts';
import type { Direction, Ordering } from '../store/pages/recovery-action-pages.ts';

export const MAX_PAGE_SIZE = 100;
const MAX_ID_LENGTH = 255;

export const ORDER_BY: Record<string, Ordering> = {
  created_at: 'created_at',
  executed_at: 'executed_at',
  ideal_retry_time: 'ideal_retry_time',
  RECOVERY_ACTION_ORDER_BY_CREATED_AT: 'created_at',
  RECOVERY_ACTION_ORDER_BY_EXECUTED_AT: 'executed_at',
  RECOVERY_ACTION_ORDER_BY_IDEAL_RETRY_TIME: 'ideal_retry_time',
};

export const DIRECTIONS: Record<string, Direction> = {
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
  .transform((time) => time.toISO() ?? undefined);

export const printable = z
  .string()
  .max(MAX_ID_LENGTH)
  .refine((text) => !text.includes('\u0000'), 'must not contain a NUL character');

export const pageSize = z
  .string()
  .regex(/^\d{1,3}$/, `must be a whole number from 1 to ${MAX_PAGE_SIZE}`)
  .transform(Number)
  .refine((size) => size >= 1 && size <= MAX_PAGE_SIZE, `must be from 1 to ${MAX_PAGE_SIZE}`);

/** A parameter of another service is read over: the contract does not say that it is refused. */
const listingQuery = z.object({
  orderBy: spelling(ORDER_BY).optional(),
  orderDirection: spelling(DIRECTIONS).optional(),
  pageSize: pageSize.optional(),
  pageToken: z.string().optional(),
  executedAfter: instant.optional(),
  executedBefore: instant.optional(),
  subscriptionId: printable.optional(),
  invoiceId: printable.optional(),
  customerId: printable.optional(),
  transactionId: printable.optional(),
  cardCountry: printable.optional(),
  currency: printable.optional(),
});

export type ListingParameter = keyof z.input<typeof listingQuery>;

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
  return z.string().transform((text, context) => {
    const value = Object.hasOwn(spellings, text) ? spellings[text] : undefined;
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: `must be one of ${Object.keys(spellings).join(', ')}` });
    return z.NEVER;
  });
}

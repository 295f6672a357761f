/** Reads listing answers generously: both record families, both spellings (stripe-facts 12.2). */
import { DateTime } from 'luxon';
import { z } from 'zod';
import { stableUuid } from '../base/stable-uuid.ts';
import { describeIssue, isRecord, type Parsed } from './contract.ts';
import { identifier, instant, timestamp } from './contract-fields.ts';

export interface ListingPage {
  readonly records: readonly ListedRecord[];
  /** Undefined after the last page. */
  readonly nextPageToken: string | undefined;
}

const page = z.object({
  recoveryActions: z.array(z.unknown()).nullish(),
  nextPageToken: z.string().nullish(),
  totalSize: z.union([z.number(), z.string()]).nullish(),
});

/** Reads a page. An invalid record is part of the answer, not a reason to refuse the page. */
export function parseListingPage(body: unknown): Parsed<ListingPage> {
  const parsed = page.safeParse(isRecord(body) ? inCamelCase(body) : body);
  if (!parsed.success) return { ok: false, message: describeIssue(parsed.error) };
  const { recoveryActions, nextPageToken, totalSize } = parsed.data;
  // Some writers leave out an empty list; any other body without one is no listing.
  if (!recoveryActions && Number(totalSize ?? Number.NaN) !== 0)
    return { ok: false, message: 'recoveryActions: is missing' };
  return {
    ok: true,
    value: {
      records: (recoveryActions ?? []).map(readListedRecord),
      nextPageToken: nextPageToken || undefined,
    },
  };
}

/** Null, empty text and year 1 mean that there is no value. */
function optional<Schema extends z.ZodType<string>>(schema: Schema) {
  const isNothing = (value: unknown) =>
    value === null || value === '' || (typeof value === 'string' && value.startsWith('0001-01-01T00:00:00'));
  return z.preprocess((value) => (isNothing(value) ? undefined : value), schema.optional());
}

const word = z.string().max(255);
const FIELDS = {
  id: optional(identifier),
  requestId: optional(identifier),
  invoiceId: optional(identifier),
  subscriptionId: optional(identifier),
  type: optional(word),
  status: optional(word),
  actionSuggestion: optional(word),
  idealRetryTime: optional(instant),
  createdAt: optional(timestamp),
  executedAt: optional(timestamp),
  updatedAt: optional(timestamp),
};
const fields = z.object(FIELDS);

export function readListedRecord(record: unknown): ListedRecord {
  const body = JSON.stringify(record);
  if (!isRecord(record)) return toListed({}, body, 'is not an object');
  const named = inCamelCase(record);
  const parsed = fields.safeParse(named);
  if (!parsed.success) return toListed(readableFields(named), body, describeIssue(parsed.error));
  const isNamed = parsed.data.id !== undefined || parsed.data.requestId !== undefined;
  return toListed(parsed.data, body, isNamed ? undefined : 'id: is missing, and so is requestId');
}

type Fields = Partial<z.infer<typeof fields>>;

/** An entry of the listing. All but id and body may be missing. Times are ISO 8601 in UTC. */
export type ListedRecord = Readonly<ReturnType<typeof toListed>>;

function toListed(data: Fields, body: string, problem: string | undefined) {
  return {
    /** Its id, else its request id, else a name derived from its content. */
    id: storable(data.id ?? data.requestId) ?? `unnamed:${stableUuid(body)}`,
    requestId: storable(data.requestId),
    invoiceId: storable(data.invoiceId),
    subscriptionId: storable(data.subscriptionId),
    type: storable(data.type),
    /** Kept as received, even if unknown. */
    status: storable(data.status),
    suggestion: storable(data.actionSuggestion),
    idealRetryTime: inUtc(data.idealRetryTime),
    createdAt: inUtc(data.createdAt),
    executedAt: inUtc(data.executedAt),
    updatedAt: inUtc(data.updatedAt),
    /** The whole record as JSON. */
    body,
    /** Why it was not understood; then only readable fields are set. */
    problem,
  };
}

/** PostgreSQL stores no NUL or half character; the body has them escaped. */
function storable(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text.replaceAll('\u0000', '')).toString();
}

/** UTC without an offset: only `idealRetryTime` decides about charges. */
function inUtc(iso: string | undefined): string | undefined {
  return iso === undefined ? undefined : (DateTime.fromISO(iso, { zone: 'utc' }).toISO() ?? undefined);
}

function readableFields(record: Record<string, unknown>): Fields {
  return Object.fromEntries(
    Object.entries(FIELDS).flatMap(([name, schema]) => {
      const read = schema.safeParse(record[name]);
      return read.success && read.data !== undefined ? [[name, read.data]] : [];
    }),
  );
}

/** Accepts `created_at` and `createdAt`; with both, camel case counts. */
function inCamelCase(record: Record<string, unknown>): Record<string, unknown> {
  const respelled = Object.entries(record).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return { ...Object.fromEntries(respelled), ...record };
}

/** Reads the body of an ingest request: whole or not at all, with the first problem named. */
import type { z } from 'zod';
import {
  describeIssue,
  identifier,
  MAX_BATCH,
  type Parsed,
  timestampMillis,
} from '../../contract/contract.ts';

export type ParsedBatch<Message> = Parsed<Message[]> | { ok: false; isTooLarge: true; message: string };

interface Stamped {
  id: string;
  createdAt: string;
  updatedAt: string;
}

/** `name` is the body's one member and begins every complaint: `subscriptions.3.amount: …`. */
export function parseBatch<Message extends Stamped>(
  name: string,
  schema: z.ZodType<Message>,
  body: unknown,
): ParsedBatch<Message> {
  if (!isRecord(body)) return { ok: false, message: `The body must be a JSON object with ${name}.` };
  const records = body[name];
  if (!Array.isArray(records)) return { ok: false, message: `${name}: must be an array` };
  if (records.length > MAX_BATCH) {
    const message = `${name}: ${records.length} records in one request; at most ${MAX_BATCH} are taken. Send them in parts.`;
    return { ok: false, isTooLarge: true, message };
  }
  const messages: Message[] = [];
  for (const [index, record] of records.entries()) {
    const path = `${name}.${index}`;
    const parsed = schema.safeParse(record);
    if (!parsed.success)
      return { ok: false, message: `${describeIssue(parsed.error, path)}${nameRecord(record)}` };
    const storable = toStorable(parsed.data);
    if (!storable.ok) return { ok: false, message: `${path}.${storable.message}${nameRecord(record)}` };
    messages.push(storable.value);
  }
  return { ok: true, value: keepNewest(messages) };
}

/** Whoever reads the complaint knows the record by its id, not by its place. */
function nameRecord(record: unknown): string {
  const id = isRecord(record) ? identifier.safeParse(record.id) : undefined;
  return id?.success ? ` (id ${id.data})` : '';
}

/** What PostgreSQL must be able to hold: dates it knows, in one form, and text without NUL or half characters. */
function toStorable<Message extends Stamped>(message: Message): Parsed<Message> {
  const createdAt = normalizeTime(message.createdAt);
  if (!createdAt) return { ok: false, message: 'createdAt: must be a date-time between 1970 and 9999' };
  const updatedAt = normalizeTime(message.updatedAt);
  if (!updatedAt) return { ok: false, message: 'updatedAt: must be a date-time between 1970 and 9999' };
  for (const [field, value] of Object.entries(message)) {
    if (typeof value !== 'string') continue;
    if (value.includes('\u0000')) return { ok: false, message: `${field}: must not contain a NUL character` };
    if (HALF_CHARACTER.test(value))
      return {
        ok: false,
        message: `${field}: must not contain half a character (a lone surrogate, such as \\ud83d)`,
      };
  }
  return { ok: true, value: { ...message, createdAt, updatedAt } };
}

/** A surrogate without its other half: JSON can write it, UTF-8 cannot. */
const HALF_CHARACTER = /\p{Surrogate}/u;

const END_OF_9999 = Date.UTC(10_000, 0);

function normalizeTime(text: string): string | undefined {
  const ms = timestampMillis(text);
  return ms >= 0 && ms < END_OF_9999 ? new Date(ms).toISOString() : undefined;
}

/** One record for each id, as if they had come one after the other: a later one counts only if it is newer. */
function keepNewest<Message extends Stamped>(messages: readonly Message[]): Message[] {
  const newest = new Map<string, Message>();
  for (const message of messages) {
    const known = newest.get(message.id);
    if (!known || known.updatedAt < message.updatedAt) newest.set(message.id, message);
  }
  return [...newest.values()];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

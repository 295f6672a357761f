/** The three ingest operations: take a batch in one transaction, and ask for decisions about what it touches. */
import type { RequestHandler } from 'express';
import type { DateTime } from 'luxon';
import type { z } from 'zod';
import { InvalidRequestError, orUnavailable } from '../../core/base/errors.ts';
import {
  describeIssue,
  type IngestKind,
  isRecord,
  MAX_BATCH,
  type Parsed,
} from '../../core/contract/contract.ts';
import {
  type ExtendedInvoice,
  type ExtendedSubscription,
  type ExtendedTransaction,
  extendedInvoice,
  extendedSubscription,
  extendedTransaction,
} from '../../core/contract/contract-extensions.ts';
import { hasHalfCharacter, identifier, timestampMillis } from '../../core/contract/contract-fields.ts';
import type { Transaction } from '../../core/database/database.ts';
import { organizationOf } from '../keys/api-keys.ts';
import type { ServiceDeps } from '../service-queues.ts';
import { leaveOutForgotten, listForgotten, withoutCard } from '../store/forgotten-customers.ts';
import { upsertRecords } from '../store/ingested-records.ts';
import { listFailedInvoices, listOpenCasesOf } from '../store/payment-cases.ts';
import { refuseTooMany, requestIdOf } from './refuse.ts';

interface Operation<Message> {
  name: IngestKind;
  schema: z.ZodType<Message>;
  /** Stores the batch and returns the invoices to look at. */
  record(tx: Transaction, organization: string, messages: readonly Message[]): Promise<string[]>;
}

const subscriptions: Operation<ExtendedSubscription> = {
  name: 'subscriptions',
  schema: extendedSubscription,
  record: async (tx, organization, messages) => {
    const changed = await upsertRecords(tx, organization, 'subscriptions', messages);
    return listOpenCasesOf(tx, organization, { kind: 'subscription', ids: changed });
  },
};

const invoices: Operation<ExtendedInvoice> = {
  name: 'invoices',
  schema: extendedInvoice,
  record: async (tx, organization, messages) => {
    const changed = await upsertRecords(tx, organization, 'invoices', messages);
    return listFailedInvoices(tx, organization, changed);
  },
};

const transactions: Operation<ExtendedTransaction> = {
  name: 'transactions',
  schema: extendedTransaction,
  record: async (tx, organization, messages) => {
    const customers = messages.map(({ customerId }) => customerId);
    const forgotten = await listForgotten(tx, organization, customers);
    const kept = messages.map((message) =>
      forgotten.has(message.customerId) ? withoutCard(message) : message,
    );
    const changed = new Set(await upsertRecords(tx, organization, 'transactions', kept));
    const fresh = messages.filter(({ id }) => changed.has(id));
    const touched = new Set(fresh.map(({ invoiceId }) => invoiceId));
    const payers = new Set(fresh.map(({ customerId }) => customerId));
    const failed = await listFailedInvoices(tx, organization, [...touched]);
    const others = await listOpenCasesOf(tx, organization, { kind: 'customer', ids: [...payers] });
    return [...new Set([...failed, ...others])];
  },
};

export function createIngestHandlers(deps: ServiceDeps): Record<IngestKind, RequestHandler> {
  return {
    subscriptions: createHandler(deps, subscriptions),
    invoices: createHandler(deps, invoices),
    transactions: createHandler(deps, transactions),
  };
}

function createHandler<Message extends Stamped>(
  { database, clock, enqueue, logger, measures }: ServiceDeps,
  { name, schema, record }: Operation<Message>,
): RequestHandler {
  return async (request, response) => {
    const batch = parseBatch({ name, schema, now: clock.now() }, request.body);
    if (!batch.ok && 'isTooLarge' in batch) return refuseTooMany(response, batch.message);
    if (!batch.ok) throw new InvalidRequestError(batch.message);
    const organization = organizationOf(response);
    const requestId = requestIdOf(response);
    const store = database.transaction(async (tx) => {
      const touched = await record(tx, organization, batch.value);
      const invoiceIds = await leaveOutForgotten(tx, organization, touched);
      await enqueue(
        'decide',
        invoiceIds.map((invoiceId) => ({ data: { organization, invoiceId, requestId } })),
        tx,
      );
      return invoiceIds.length;
    });
    const cases = await orUnavailable(store);
    const { length: taken } = batch.value;
    measures.count('retry_service_records_total', { kind: name }, taken);
    logger.info({ requestId, organization, [name]: taken, cases }, 'records were taken');
    if (batch.problem !== undefined)
      throw new InvalidRequestError(`${batch.problem}; of ${batch.given} records, ${batch.good} were taken`);
    response.json({ requestId });
  };
}

type ParsedBatch<Message> =
  | {
      ok: true;
      value: Message[];
      /** The first refused record, and its fault. */
      problem: string | undefined;
      given: number;
      good: number;
    }
  | { ok: false; message: string; isTooLarge?: true };

interface Stamped {
  id: string;
  createdAt: string;
  updatedAt: string;
}

interface BatchForm<Message> {
  /** The body's one member. It begins every complaint: `subscriptions.3.amount: …`. */
  readonly name: string;
  readonly schema: z.ZodType<Message>;
  readonly now: DateTime;
}

/**
 * Reads the body of an ingest request. An invalid record refuses no other: valid ones are stored, and the answer is a refusal
 * that names the first invalid one. The contract's success has one request id and no word on single records, so a success would
 * lose that record silently; sending the batch again, or in parts, changes nothing stored.
 */
export function parseBatch<Message extends Stamped>(
  { name, schema, now }: BatchForm<Message>,
  body: unknown,
): ParsedBatch<Message> {
  if (!isRecord(body)) return { ok: false, message: `The body must be a JSON object with ${name}.` };
  const records = body[name];
  if (!Array.isArray(records)) return { ok: false, message: `${name}: must be an array` };
  if (records.length > MAX_BATCH) {
    const message = `${name}: ${records.length} records in one request; at most ${MAX_BATCH} are taken. Send them in parts.`;
    return { ok: false, isTooLarge: true, message };
  }
  const latest = now.plus({ years: YEARS_AHEAD }).toMillis();
  const read = records.map((record, index) =>
    readRecord(schema, record, { path: `${name}.${index}`, latest }),
  );
  const messages = read.flatMap((one) => (one.ok ? [one.value] : []));
  const bad = read.find((one) => !one.ok);
  const counts = { given: records.length, good: messages.length };
  return { ok: true, value: keepNewest(messages), problem: bad?.message, ...counts };
}

function readRecord<Message extends Stamped>(
  schema: z.ZodType<Message>,
  record: unknown,
  { path, latest }: { path: string; latest: number },
): Parsed<Message> {
  const parsed = schema.safeParse(asMeant(record));
  if (!parsed.success)
    return { ok: false, message: `${describeIssue(parsed.error, path)}${nameRecord(record)}` };
  const storable = toStorable(parsed.data, latest);
  return storable.ok ? storable : { ok: false, message: `${path}.${storable.message}${nameRecord(record)}` };
}

/** Other writers spell an absent field as null, and a currency as Stripe does. */
function asMeant(record: unknown): unknown {
  if (!isRecord(record)) return record;
  const { currency } = record;
  const code = typeof currency === 'string' ? currency.toUpperCase() : currency;
  if (code === currency && !Object.values(record).includes(null)) return record;
  const fields = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
  return typeof code === 'string' ? { ...fields, currency: code } : fields;
}

/** Names a record by its id: the reader does not know its place. */
function nameRecord(record: unknown): string {
  const id = isRecord(record) ? identifier.safeParse(record.id) : undefined;
  return id?.success ? ` (id ${id.data})` : '';
}

/**
 * A clock that is some years wrong, ours or the client's, and Stripe's test clocks stop nothing. With a year of 9999 a record
 * would never change again.
 */
const YEARS_AHEAD = 10;
const TIME_COMPLAINT = 'must be a date-time from 1970 on, and at most ten years ahead';

/** What PostgreSQL must be able to hold: dates it knows, in one form, and text without NUL or half characters. */
function toStorable<Message extends Stamped>(message: Message, latest: number): Parsed<Message> {
  const createdAt = normalizeTime(message.createdAt, latest);
  if (!createdAt) return { ok: false, message: `createdAt: ${TIME_COMPLAINT}` };
  const updatedAt = normalizeTime(message.updatedAt, latest);
  if (!updatedAt) return { ok: false, message: `updatedAt: ${TIME_COMPLAINT}` };
  for (const [field, value] of Object.entries(message)) {
    if (typeof value !== 'string') continue;
    if (value.includes('\u0000')) return { ok: false, message: `${field}: must not contain a NUL character` };
    if (hasHalfCharacter(value))
      return {
        ok: false,
        message: `${field}: must not contain half a character (a lone surrogate, such as \\ud83d)`,
      };
  }
  return { ok: true, value: { ...message, createdAt, updatedAt } };
}

/** Digits beyond milliseconds. */
const FINER = /(?<=[.,]\d{3})\d+/;

/** The time in UTC with milliseconds and every further digit sent. Without its `Z` such a text sorts by time. */
function normalizeTime(text: string, latest: number): string | undefined {
  const ms = timestampMillis(text.replace(FINER, ''));
  if (!(ms >= 0 && ms <= latest)) return undefined;
  const finer = FINER.exec(text)?.[0].replace(/(?<!0)0+$/, '') ?? '';
  return new Date(ms).toISOString().replace('Z', `${finer}Z`);
}

/** One record for each id, as if they had come one after the other: a later one counts only if it is newer. */
function keepNewest<Message extends Stamped>(messages: readonly Message[]): Message[] {
  const newest = new Map<string, Message>();
  for (const message of messages) {
    const known = newest.get(message.id);
    if (!known || digitsOf(known) < digitsOf(message)) newest.set(message.id, message);
  }
  return [...newest.values()];
}

const digitsOf = ({ updatedAt }: Stamped) => updatedAt.slice(0, -1);

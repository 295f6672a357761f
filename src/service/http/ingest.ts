/** The three ingest operations: take a batch in one transaction, and ask for decisions about what it touches. */
import type { RequestHandler } from 'express';
import type { z } from 'zod';
import {
  type ExtendedInvoice,
  type ExtendedSubscription,
  type ExtendedTransaction,
  extendedInvoice,
  extendedSubscription,
  extendedTransaction,
} from '../../contract/contract-extensions.ts';
import type { Enqueue } from '../../jobs/enqueue.ts';
import type { Clock } from '../../kit/clock.ts';
import { orUnavailable } from '../../kit/errors.ts';
import type { Logger } from '../../kit/logger.ts';
import type { Database, Transaction } from '../../store/engine/database.ts';
import type { Measures } from '../../telemetry/measures.ts';
import { organizationOf } from '../keys/api-keys.ts';
import type { ServicePayloads } from '../service-queues.ts';
import { leaveOutForgotten, listForgotten, withoutCard } from '../store/forgotten-customers.ts';
import { upsertInvoices, upsertSubscriptions, upsertTransactions } from '../store/ingested-records.ts';
import { listFailedInvoices, listOpenCasesOf } from '../store/payment-cases.ts';
import { parseBatch } from './parse-ingest.ts';
import { refuse, refuseTooMany } from './refuse.ts';
import { requestIdOf } from './request-id.ts';

export interface IngestDeps {
  database: Database;
  clock: Clock;
  logger: Logger;
  enqueue: Enqueue<ServicePayloads>;
  measures: Measures;
}

interface Operation<Message> {
  name: IngestName;
  schema: z.ZodType<Message>;
  /** Stores the batch and returns the invoices to look at. */
  record(tx: Transaction, organization: string, messages: readonly Message[]): Promise<string[]>;
}

const subscriptions: Operation<ExtendedSubscription> = {
  name: 'subscriptions',
  schema: extendedSubscription,
  record: async (tx, organization, messages) => {
    const changed = await upsertSubscriptions(tx, organization, messages);
    return listOpenCasesOf(tx, organization, { kind: 'subscription', ids: changed });
  },
};

const invoices: Operation<ExtendedInvoice> = {
  name: 'invoices',
  schema: extendedInvoice,
  record: async (tx, organization, messages) => {
    const changed = await upsertInvoices(tx, organization, messages);
    return listFailedInvoices(tx, organization, changed);
  },
};

const transactions: Operation<ExtendedTransaction> = {
  name: 'transactions',
  schema: extendedTransaction,
  record: async (tx, organization, messages) => {
    const forgotten = await listForgotten(
      tx,
      organization,
      messages.map(({ customerId }) => customerId),
    );
    const kept = messages.map((message) =>
      forgotten.has(message.customerId) ? withoutCard(message) : message,
    );
    const changed = new Set(await upsertTransactions(tx, organization, kept));
    const fresh = messages.filter(({ id }) => changed.has(id));
    const touched = new Set(fresh.map(({ invoiceId }) => invoiceId));
    const payers = new Set(fresh.map(({ customerId }) => customerId));
    const failed = await listFailedInvoices(tx, organization, [...touched]);
    const others = await listOpenCasesOf(tx, organization, { kind: 'customer', ids: [...payers] });
    return [...new Set([...failed, ...others])];
  },
};

export function createIngestHandlers(deps: IngestDeps): Record<IngestName, RequestHandler> {
  return {
    subscriptions: createHandler(deps, subscriptions),
    invoices: createHandler(deps, invoices),
    transactions: createHandler(deps, transactions),
  };
}
export type IngestName = 'subscriptions' | 'invoices' | 'transactions';

function createHandler<Message extends { id: string; createdAt: string; updatedAt: string }>(
  { database, clock, enqueue, logger, measures }: IngestDeps,
  { name, schema, record }: Operation<Message>,
): RequestHandler {
  return async (request, response) => {
    const batch = parseBatch({ name, schema, now: clock.now() }, request.body);
    if (!batch.ok) {
      if ('isTooLarge' in batch) refuseTooMany(response, batch.message);
      else refuse(response, 400, batch.message);
      return;
    }
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
    measures.count('retry_service_records_total', { kind: name }, batch.value.length);
    logger.info({ requestId, organization, [name]: batch.value.length, cases }, 'records were taken');
    response.json({ requestId });
  };
}

/** The messages of the contract as JSON Schemas, made from what the service itself checks with. */
import { z } from 'zod';
import {
  callbackAnswer,
  ingestAnswer,
  recoveryActionRecord,
  recoveryActionsPage,
  refusal,
  retryInstruction,
} from '../../../contract/contract.ts';
import {
  extendedBodies,
  extendedInvoice,
  extendedSubscription,
  extendedTransaction,
} from '../../../contract/contract-extensions.ts';
import { forgottenAnswer, forgottenCustomer } from '../../../contract/forgotten-customer.ts';
import { recoveryCase, recoveryCasesPage } from '../../../contract/recovery-cases.ts';
import { timingReport } from '../../../contract/timing-report.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const healthReport = z.object({ status: z.literal('ok') });

/** What clients may write: fields that are not named are taken too, and left alone. */
const READ = {
  Subscription: extendedSubscription,
  SubscriptionBatch: extendedBodies.subscriptions,
  Invoice: extendedInvoice,
  InvoiceBatch: extendedBodies.invoices,
  Transaction: extendedTransaction,
  TransactionBatch: extendedBodies.transactions,
  CallbackAnswer: callbackAnswer,
  ForgottenCustomer: forgottenCustomer,
} as const;

/** What the service writes: these fields and no others. */
const WRITTEN = {
  IngestAnswer: ingestAnswer,
  RecoveryAction: recoveryActionRecord,
  RecoveryActionsPage: recoveryActionsPage,
  RecoveryCase: recoveryCase,
  RecoveryCasesPage: recoveryCasesPage,
  RetryInstruction: retryInstruction,
  Refusal: refusal,
  TimingReport: timingReport,
  ForgottenAnswer: forgottenAnswer,
  Health: healthReport,
} as const;

export type SchemaName = keyof typeof READ | keyof typeof WRITTEN;

export function refer(name: SchemaName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export function toSchemas(): Record<string, JsonSchema> {
  return { ...convert(READ, 'input'), ...convert(WRITTEN, 'output') };
}

/** Schemas within each other become references. */
function convert(schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output') {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(converted.schemas).map(([name, { $id, $schema, ...schema }]) => [name, schema]),
  );
}

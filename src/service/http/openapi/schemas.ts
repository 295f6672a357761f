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
import { type JsonSchema, refer, toComponents } from '../../../http/openapi.ts';

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

/** By a name that is among the components. */
export const referTo = (name: SchemaName): JsonSchema => refer(name);

export function toSchemas(): Record<string, JsonSchema> {
  return { ...toComponents(READ, 'input'), ...toComponents(WRITTEN, 'output') };
}

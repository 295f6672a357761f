/** The contract's messages as JSON Schemas, generated from the service's own checks, and its refusals. */

import { z } from 'zod';
import { capabilitiesAnswer } from '../../../core/contract/capabilities.ts';
import {
  callbackAnswer,
  ingestAnswer,
  recoveryActionRecord,
  recoveryActionsPage,
  refusal,
  retryInstruction,
} from '../../../core/contract/contract.ts';
import {
  extendedBodies,
  extendedInvoice,
  extendedSubscription,
  extendedTransaction,
} from '../../../core/contract/contract-extensions.ts';
import { forgottenAnswer, forgottenCustomer } from '../../../core/contract/forgotten-customer.ts';
import { recoveryCase, recoveryCasesPage } from '../../../core/contract/recovery-cases.ts';
import { type JsonSchema, type Refusals, refer, toComponents } from '../../../core/web/openapi.ts';

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

/** The service's messages: these fields and no others. */
const WRITTEN = {
  IngestAnswer: ingestAnswer,
  RecoveryAction: recoveryActionRecord,
  RecoveryActionsPage: recoveryActionsPage,
  RecoveryCase: recoveryCase,
  Capabilities: capabilitiesAnswer,
  RecoveryCasesPage: recoveryCasesPage,
  RetryInstruction: retryInstruction,
  Refusal: refusal,
  ForgottenAnswer: forgottenAnswer,
  Health: healthReport,
} as const;

export type SchemaName = keyof typeof READ | keyof typeof WRITTEN;

/** Refers to a component by its name. */
export const referTo = (name: SchemaName): JsonSchema => refer(name);

export function toSchemas(): Record<string, JsonSchema> {
  return { ...toComponents(READ, 'input'), ...toComponents(WRITTEN, 'output') };
}

export const HEADERS = {
  'X-Request-Id': {
    description: 'Names the request, in the log too. On every answer.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try. Wait longer each time.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'WWW-Authenticate': {
    description: 'The scheme to authenticate with.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
};

export const REFUSALS: Refusals = {
  400: ['BadRequest', 'The request does not fit: the message names the record and field, or the parameter.'],
  401: ['Unauthorized', 'There is no API key, or an unknown one.', 'WWW-Authenticate'],
  403: ['HttpsRequired', 'Plain HTTP is for the same machine only.'],
  413: ['TooLarge', 'The body is over 5 MiB.'],
  415: ['UnsupportedEncoding', 'The body is not UTF-8, or its content encoding is unknown.'],
  429: ['TooMany', 'A limit is exceeded: rate, simultaneous requests, or records in a batch.', 'Retry-After'],
  500: ['Unforeseen', 'Something unexpected happened; the log has the cause under the request id.'],
  503: ['Unavailable', 'The database cannot be reached; nothing was stored. Send it again.', 'Retry-After'],
};

export const succeed = (description: string, name: SchemaName) => ({
  200: { description, schema: referTo(name) },
});

/** The answers of the service: one description for each status, and the headers that come with it. */

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
import { timingReport } from '../../../core/contract/timing-report.ts';
import { inJson, type JsonSchema, refer, toComponents } from '../../../core/web/openapi.ts';

/** The messages of the contract as JSON Schemas, made from what the service itself checks with. */
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
  Capabilities: capabilitiesAnswer,
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

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

export const headers = {
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

function describe(description: string, ...names: (keyof typeof headers)[]) {
  const all = ['X-Request-Id', ...names];
  return {
    description,
    headers: Object.fromEntries(all.map((name) => [name, header(name)])),
    content: inJson(referTo('Refusal')),
  };
}

/** Every answer that is not a success, by its name in `components.responses`. */
export const refusals = {
  BadRequest: describe('The request does not fit: the message names the record and field, or the parameter.'),
  Unauthorized: describe('There is no API key, or an unknown one.', 'WWW-Authenticate'),
  HttpsRequired: describe('Plain HTTP is for the same machine only.'),
  TooLarge: describe('The body is over 5 MiB.'),
  UnsupportedEncoding: describe('The body is not UTF-8, or its content encoding is unknown.'),
  TooMany: describe('A limit is exceeded: rate, requests at once, or records in a batch.', 'Retry-After'),
  Unforeseen: describe('Something unforeseen happened; the log has the cause under the request id.'),
  Unavailable: describe('The database cannot be reached; nothing was stored. Send it again.', 'Retry-After'),
};

const REFUSAL_OF_STATUS: Record<number, keyof typeof refusals> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'HttpsRequired',
  413: 'TooLarge',
  415: 'UnsupportedEncoding',
  429: 'TooMany',
  500: 'Unforeseen',
  503: 'Unavailable',
};

/** The responses of one operation: its success, and what it can be refused with. */
export function answers(success: { description: string; schema: JsonSchema }, statuses: readonly number[]) {
  const refused = statuses.map((status) => [
    String(status),
    { $ref: `#/components/responses/${REFUSAL_OF_STATUS[status]}` },
  ]);
  const ok = {
    description: success.description,
    headers: { 'X-Request-Id': header('X-Request-Id') },
    content: inJson(success.schema),
  };
  return { '200': ok, ...Object.fromEntries(refused) };
}

export const succeed = (description: string, name: SchemaName) => ({ description, schema: referTo(name) });

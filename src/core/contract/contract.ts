/**
 * Messages of the payment retry service. Writers are strict: they send only the contract's fields. Readers accept both body
 * forms and both record families (stripe-facts 12.1, 12.2).
 */

import { z } from 'zod';
import { InvalidRequestError } from '../base/errors.ts';
import { amount, currency, identifier, instant, timestamp } from './contract-fields.ts';

export const MAX_BATCH = 200;

/** Largest length of names, in UTF-16 units. */
export const MAX_NAME_LENGTH = 255;

/** Keeps unknown states and units, which other writers may add. */
const openEnum = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}_[A-Z0-9_]+$`), `must start with ${prefix}_`);

export const subscriptionMessage = z.object({
  id: identifier,
  state: openEnum('SUBSCRIPTION_STATE'),
  customerId: identifier,
  businessEntity: z.string().max(MAX_NAME_LENGTH).optional(),
  planId: z.string().max(255).optional(),
  amount,
  currency,
  createdAt: timestamp,
  updatedAt: timestamp,
  activatedAt: timestamp.optional(),
  canceledAt: timestamp.optional(),
  expiresAt: timestamp.optional(),
  billingPeriod: z.int().positive().optional(),
  billingPeriodUnit: openEnum('BILLING_PERIOD_UNIT').optional(),
});
export type SubscriptionMessage = z.infer<typeof subscriptionMessage>;

export const invoiceMessage = z.object({
  id: identifier,
  state: openEnum('INVOICE_STATE'),
  customerId: identifier,
  subscriptionId: identifier.optional(),
  businessEntity: z.string().max(MAX_NAME_LENGTH).optional(),
  amount,
  currency,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type InvoiceMessage = z.infer<typeof invoiceMessage>;

export const transactionMessage = z.object({
  id: identifier,
  paymentGatewayTransactionId: identifier,
  state: openEnum('TRANSACTION_STATE'),
  customerId: identifier,
  subscriptionId: identifier.optional(),
  invoiceId: identifier,
  amount,
  currency,
  createdAt: timestamp,
  updatedAt: timestamp,
  paymentMethodType: z.string().max(64),
  paymentGatewayId: z.string().max(255),
  paymentGatewayName: z.string().max(64),
  paymentGatewayType: z.string().max(64),
  paymentGatewayStatus: z.string().max(64).optional(),
  paymentGatewayErrorCode: z.string().max(255).optional(),
  paymentGatewayErrorMessage: z.string().max(2000).optional(),
  cardBrand: z.string().max(64).optional(),
  cardBin: z.string().max(16).optional(),
  cardFingerprint: z.string().max(255).optional(),
  cardCountry: z.string().max(8).optional(),
});
export type TransactionMessage = z.infer<typeof transactionMessage>;

export type IngestKind = 'subscriptions' | 'invoices' | 'transactions';

export const ingestAnswer = z.object({ requestId: z.string() });

const someId = z.union([z.string(), z.number()]).optional().catch(undefined);

/** Optional fields of a service's acknowledgement (stripe-facts 12.3). */
export const ingestAcknowledgement = z.object({ requestId: someId, request_id: someId });

/** Body of every unsuccessful answer. */
export const refusal = z.object({
  success: z.literal(false),
  message: z.string().describe('What is wrong, at which record and field, and what to do.'),
  requestId: z.string().describe('Names this request in the log, as X-Request-Id does.'),
});
export type Refusal = z.infer<typeof refusal>;

export const SUGGESTIONS = [
  'ACTION_SUGGESTION_UNSPECIFIED',
  'ACTION_SUGGESTION_RETRY',
  'ACTION_SUGGESTION_CARD_CHANGE',
  'ACTION_SUGGESTION_CARD_CONFIRMATION',
] as const;
export type Suggestion = (typeof SUGGESTIONS)[number];

/** A request of the service: a suggestion for an invoice, its takeover from Stripe, or the end of its collection (stripe-facts 12.1). */
export type Instruction =
  | {
      type: 'suggestion';
      requestId: string;
      invoiceId: string;
      subscriptionId: string | undefined;
      /** Recorded as received, even if unknown. */
      suggestion: string;
      idealRetryTime: string;
    }
  /** `stop`: the service is done with the invoice. `take_over`: it alone decides, so Stripe's own retries end. */
  | { type: 'stop' | 'take_over'; requestId: string; invoiceId: string; subscriptionId: string | undefined }
  | { type: 'unknown'; requestId: string; envelopeType: string };

const suggestionFields = {
  invoiceId: identifier,
  subscriptionId: identifier.nullish(),
  actionSuggestion: identifier,
  idealRetryTime: instant,
};

const flatInstruction = z.object({ requestId: identifier, ...suggestionFields });

/** The embedded service's callback: the contract's flat body. */
export const retryInstruction = z.object({
  requestId: identifier.describe('The same when the instruction is sent again.'),
  invoiceId: identifier,
  subscriptionId: identifier.optional(),
  actionSuggestion: z.enum(SUGGESTIONS),
  idealRetryTime: instant.describe('The best time to carry it out.'),
});
export type RetryInstruction = z.infer<typeof retryInstruction>;

/** Answer to an instruction. */
export const callbackAnswer = z.object({ success: z.boolean(), message: z.string().nullish() });
const envelope = z.object({ id: identifier, type: z.string().min(1).max(255), data: z.unknown() });
const recoveryActionData = z.object(suggestionFields);
const namedInvoice = z.object({ invoiceId: identifier, subscriptionId: identifier.nullish() });
const flatTakeover = namedInvoice.extend({ requestId: identifier });

/** Envelope types for whole invoices. */
const WHOLE_INVOICE: ReadonlyMap<string, 'stop' | 'take_over'> = new Map([
  ['pause_collection', 'take_over'],
  ['pause_invoice', 'take_over'],
  ['complete_dunning', 'stop'],
]);

export type Parsed<T> = { ok: true; value: T } | { ok: false; message: string };

/** Reads a callback in either form; `isTakeover` if the address says that a flat body is one. A refusal names the first invalid field. */
export function parseInstruction(body: unknown, { isTakeover = false } = {}): Parsed<Instruction> {
  if (isRecord(body) && 'type' in body && 'data' in body) return parseEnvelope(body);
  if (isTakeover) {
    const parsed = flatTakeover.safeParse(body);
    if (!parsed.success) return { ok: false, message: describeIssue(parsed.error) };
    return { ok: true, value: toWhole('take_over', parsed.data.requestId, parsed.data) };
  }
  const parsed = flatInstruction.safeParse(body);
  if (!parsed.success) return { ok: false, message: describeIssue(parsed.error) };
  return { ok: true, value: toSuggestion(parsed.data.requestId, parsed.data) };
}

function parseEnvelope(body: Record<string, unknown>): Parsed<Instruction> {
  const outer = envelope.safeParse(body);
  if (!outer.success) return { ok: false, message: describeIssue(outer.error) };
  const { id, type, data } = outer.data;
  if (type === 'recovery_action') {
    const inner = recoveryActionData.safeParse(data);
    if (!inner.success) return { ok: false, message: describeIssue(inner.error, 'data') };
    return { ok: true, value: toSuggestion(id, inner.data) };
  }
  const whole = WHOLE_INVOICE.get(type);
  if (whole !== undefined) {
    const inner = namedInvoice.safeParse(data);
    if (!inner.success) return { ok: false, message: describeIssue(inner.error, 'data') };
    return { ok: true, value: toWhole(whole, id, inner.data) };
  }
  return { ok: true, value: { type: 'unknown', requestId: id, envelopeType: type } };
}

function toWhole(
  type: 'stop' | 'take_over',
  requestId: string,
  { invoiceId, subscriptionId }: z.infer<typeof namedInvoice>,
): Instruction {
  return { type, requestId, invoiceId, subscriptionId: subscriptionId ?? undefined };
}

function toSuggestion(requestId: string, data: z.infer<typeof recoveryActionData>): Instruction {
  return {
    type: 'suggestion',
    requestId,
    invoiceId: data.invoiceId,
    subscriptionId: data.subscriptionId ?? undefined,
    suggestion: data.actionSuggestion,
    idealRetryTime: data.idealRetryTime,
  };
}

/** An entry of the embedded service's listing (stripe-facts 12.2, first family). */
export const recoveryActionRecord = z.object({
  id: identifier,
  requestId: identifier,
  invoiceId: identifier,
  subscriptionId: identifier.optional(),
  customerId: identifier,
  transactionId: identifier.optional(),
  paymentMethodType: z.string().optional(),
  cardCountry: z.string().optional(),
  currency,
  type: openEnum('RECOVERY_ACTION_TYPE'),
  status: openEnum('RECOVERY_ACTION_STATUS'),
  /** Explains the status if needed. */
  statusReason: z.string().optional(),
  actionSuggestion: z.enum(SUGGESTIONS),
  idealRetryTime: instant,
  reason: z.string(),
  /** Same in sentences, for operators. */
  reasons: z.array(z.string()).optional(),
  createdAt: timestamp,
  /** The contract's spelling, in addition to the usual one. */
  created_at: timestamp.optional(),
  updatedAt: timestamp,
  executedAt: timestamp.optional(),
  executed_at: timestamp.optional(),
});
export type RecoveryActionRecord = z.infer<typeof recoveryActionRecord>;

export const recoveryActionsPage = z.object({
  recoveryActions: z.array(recoveryActionRecord),
  /** Empty on the last page. */
  nextPageToken: z.string(),
  totalSize: z.int().nonnegative(),
});
export type RecoveryActionsPage = z.infer<typeof recoveryActionsPage>;

/** Names the first invalid field of a body and its problem. */
export function describeIssue(error: z.ZodError, ...prefix: string[]): string {
  const issue = error.issues[0];
  if (!issue) return 'The body does not fit.';
  return [[...prefix, ...issue.path].join('.'), describeProblem(issue)].filter(Boolean).join(': ');
}

/** Bounds the names of unknown fields, which are the sender's. */
export function describeProblem({ code, message }: z.core.$ZodIssue): string {
  return code === 'unrecognized_keys' ? message.slice(0, 100) : message;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Throws REQUEST_INVALID. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidRequestError('The body is not JSON.', { cause });
  }
}

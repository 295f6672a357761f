import { DateTime } from 'luxon';
import { toIsoSeconds } from '../../src/core/base/clock.ts';
import type { InvoiceMessage, SubscriptionMessage } from '../../src/core/contract/contract.ts';
import type { ExtendedTransaction } from '../../src/core/contract/contract-extensions.ts';
import type { Harness } from './service-harness.ts';

export const START = DateTime.fromISO('2026-03-02T14:30:00Z', { zone: 'utc' });
const AT = toIsoSeconds(START);

export function buildSubscriptionMessage(overrides: Partial<SubscriptionMessage> = {}): SubscriptionMessage {
  return {
    id: 'sub_1',
    state: 'SUBSCRIPTION_STATE_ACTIVE',
    customerId: 'cus_1',
    businessEntity: 'Example Ltd',
    planId: 'price_1',
    amount: 2000,
    currency: 'USD',
    createdAt: AT,
    updatedAt: AT,
    activatedAt: AT,
    billingPeriod: 1,
    billingPeriodUnit: 'BILLING_PERIOD_UNIT_MONTH',
    ...overrides,
  };
}

export function buildInvoiceMessage(overrides: Partial<InvoiceMessage> = {}): InvoiceMessage {
  return {
    id: 'in_1',
    state: 'INVOICE_STATE_UNPAID',
    customerId: 'cus_1',
    subscriptionId: 'sub_1',
    amount: 2000,
    currency: 'USD',
    createdAt: AT,
    updatedAt: AT,
    ...overrides,
  };
}

export function buildTransactionMessage(overrides: Partial<ExtendedTransaction> = {}): ExtendedTransaction {
  return {
    id: 'ch_1',
    paymentGatewayTransactionId: 'ch_1',
    state: 'TRANSACTION_STATE_FAILED',
    customerId: 'cus_1',
    subscriptionId: 'sub_1',
    invoiceId: 'in_1',
    amount: 2000,
    currency: 'USD',
    createdAt: AT,
    updatedAt: AT,
    paymentMethodType: 'card',
    paymentGatewayId: 'acct_1',
    paymentGatewayName: 'stripe',
    paymentGatewayType: 'STRIPE',
    paymentGatewayErrorCode: 'insufficient_funds',
    cardFingerprint: 'print_1',
    cardCountry: 'DE',
    ...overrides,
  };
}

export async function ingest(
  harness: Harness,
  kind: 'subscriptions' | 'invoices' | 'transactions',
  ...messages: object[]
): Promise<void> {
  const answer = await harness.post(`/ingest/v1/${kind}`, { [kind]: messages });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
}

/** An unpaid invoice whose first payment just failed, decided and sent. */
export async function failPayment(
  harness: Harness,
  transaction: Partial<ExtendedTransaction> = {},
  invoice: Partial<InvoiceMessage> = {},
): Promise<void> {
  const now = toIsoSeconds(harness.clock.now());
  const invoiceId = transaction.invoiceId ?? 'in_1';
  await ingest(harness, 'invoices', buildInvoiceMessage({ id: invoiceId, ...invoice }));
  const message = { createdAt: now, updatedAt: now, ...transaction };
  await ingest(harness, 'transactions', buildTransactionMessage(message));
  await harness.drain();
}

export function at(text: string): DateTime<true> {
  const time = DateTime.fromISO(text, { zone: 'utc' });
  if (!time.isValid) throw new Error(text);
  return time;
}

/** One request body for each operation that takes one: a failed payment of a monthly subscription. */
import type {
  IngestKind,
  InvoiceMessage,
  RetryInstruction,
  SubscriptionMessage,
  TransactionMessage,
} from '../../../core/contract/contract.ts';

const subscription: SubscriptionMessage = {
  id: 'sub_1',
  state: 'SUBSCRIPTION_STATE_ACTIVE',
  customerId: 'cus_1',
  businessEntity: 'Example Ltd',
  planId: 'price_1',
  amount: 2000,
  currency: 'USD',
  createdAt: '2026-02-02T10:00:00Z',
  updatedAt: '2026-03-02T10:00:00Z',
  activatedAt: '2026-02-02T10:00:00Z',
  expiresAt: '2026-04-02T10:00:00Z',
  billingPeriod: 1,
  billingPeriodUnit: 'BILLING_PERIOD_UNIT_MONTH',
};

const invoice: InvoiceMessage = {
  id: 'in_1',
  state: 'INVOICE_STATE_UNPAID',
  customerId: 'cus_1',
  subscriptionId: 'sub_1',
  businessEntity: 'Example Ltd',
  amount: 2000,
  currency: 'USD',
  createdAt: '2026-03-02T10:00:00Z',
  updatedAt: '2026-03-02T10:00:00Z',
};

const transaction: TransactionMessage = {
  id: 'ch_1',
  paymentGatewayTransactionId: 'ch_1',
  state: 'TRANSACTION_STATE_FAILED',
  customerId: 'cus_1',
  subscriptionId: 'sub_1',
  invoiceId: 'in_1',
  amount: 2000,
  currency: 'USD',
  createdAt: '2026-03-02T10:00:05Z',
  updatedAt: '2026-03-02T10:00:05Z',
  paymentMethodType: 'card',
  paymentGatewayId: 'acct_1',
  paymentGatewayName: 'stripe',
  paymentGatewayType: 'STRIPE',
  paymentGatewayStatus: 'failed',
  paymentGatewayErrorCode: 'insufficient_funds',
  cardBrand: 'visa',
  cardFingerprint: 'fingerprint_1',
  cardCountry: 'US',
};

export const BATCH_EXAMPLES: Record<IngestKind, object> = {
  subscriptions: { subscriptions: [subscription] },
  invoices: { invoices: [invoice] },
  transactions: { transactions: [transaction] },
};

export const INSTRUCTION_EXAMPLE: RetryInstruction = {
  requestId: '0b1f6e0a-5c1e-4a58-9d0e-7a7e3a1c2b4d',
  invoiceId: 'in_1',
  subscriptionId: 'sub_1',
  actionSuggestion: 'ACTION_SUGGESTION_RETRY',
  idealRetryTime: '2026-03-04T14:00:00Z',
};

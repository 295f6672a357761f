import {
  invoiceMessage,
  subscriptionMessage,
  transactionMessage,
} from '../../../src/core/contract/contract.ts';
import {
  extendedInvoice,
  extendedSubscription,
  extendedTransaction,
  toContractRecord,
} from '../../../src/core/contract/contract-extensions.ts';
import {
  buildInvoiceMessage,
  buildSubscriptionMessage,
  buildTransactionMessage,
} from '../../service/service-messages.ts';

const subscription = {
  ...buildSubscriptionMessage(),
  isCollectionPaused: true,
  collectionResumesAt: '2026-03-12T00:00:00Z',
};
const invoice = { ...buildInvoiceMessage(), collectionMethod: 'send_invoice', amountRemaining: 500 };
const transaction = {
  ...buildTransactionMessage(),
  cardFunding: 'debit',
  cardExpiry: '2030-12',
  paymentGatewayAdviceCode: 'try_again_later',
  networkDeclineCode: '51',
  networkAdviceCode: '26',
  isOtherMethod: true,
};

describe('what the plugin sends beyond the contract', () => {
  it('what the plugin sends beyond the contract is understood by the embedded service', () => {
    expect(extendedSubscription.strict().parse(subscription)).toEqual(subscription);
    expect(extendedInvoice.strict().parse(invoice)).toEqual(invoice);
    expect(extendedTransaction.strict().parse(transaction)).toEqual(transaction);
  });

  it('what the plugin sends beyond the contract is kept from a remote service, which gets all that the contract names', () => {
    expect(toContractRecord('subscriptions', subscription)).toEqual(buildSubscriptionMessage());
    expect(toContractRecord('invoices', invoice)).toEqual(buildInvoiceMessage());
    expect(toContractRecord('transactions', transaction)).toEqual(buildTransactionMessage());
    expect(subscriptionMessage.strict().safeParse(subscription).success).toBe(false);
    expect(invoiceMessage.strict().safeParse(invoice).success).toBe(false);
    expect(transactionMessage.strict().safeParse(transaction).success).toBe(false);
  });

  it('toContractRecord drops names that an object inherits', () => {
    expect(toContractRecord('invoices', { id: 'in_1', toString: 'x', constructor: 'y' })).toEqual({
      id: 'in_1',
    });
  });
});

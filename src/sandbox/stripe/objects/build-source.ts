/** Bank accounts from before there were payment methods. Inside the sandbox they are payment methods with an id of their own. */
import type { BankAccount, PaymentMethod } from './wire.ts';

export function isSource({ id }: Pick<PaymentMethod, 'id'>): boolean {
  return id.startsWith('ba_');
}

export function buildBankAccount(method: PaymentMethod): BankAccount {
  const account = method.us_bank_account;
  return {
    id: method.id,
    object: 'bank_account',
    account: null,
    account_holder_name: null,
    account_holder_type: null,
    account_type: null,
    bank_name: account?.bank_name ?? null,
    country: 'US',
    currency: 'usd',
    customer: method.customer,
    fingerprint: account?.fingerprint ?? null,
    last4: account?.last4 ?? '',
    routing_number: account?.routing_number ?? null,
    status: 'verified',
  };
}

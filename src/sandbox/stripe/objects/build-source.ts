/** Bank accounts from before there were payment methods. Inside the sandbox they are payment methods with an id of their own. */
import { nulls } from './nulls.ts';
import type { BankAccount, PaymentMethod } from './wire.ts';

export function isSource({ id }: Pick<PaymentMethod, 'id'>): boolean {
  return id.startsWith('ba_');
}

export function buildBankAccount(method: PaymentMethod): BankAccount {
  const account = method.us_bank_account;
  return {
    ...nulls('account account_holder_name account_holder_type account_type'),
    id: method.id,
    object: 'bank_account',
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

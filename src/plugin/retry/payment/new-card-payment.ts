/** Payment with a new card: once a card and invoice, for any number of reports. */
import { randomUUID } from 'node:crypto';
import type { NewAction } from '../../store/tables/retry/actions.ts';
import type { PaymentMethodFacts } from '../invoice/payable-invoice.ts';

type Target = Pick<
  NewAction,
  'account' | 'invoiceId' | 'customerId' | 'subscriptionId' | 'dueAt' | 'createdAt'
>;

export function newCardPayment(
  target: Target,
  method: Pick<PaymentMethodFacts, 'id' | 'type' | 'fingerprint' | 'expiry'>,
): NewAction {
  const why = { cause: 'card_change', reference: identityOf(method) } as const;
  return { ...target, ...why, id: randomUUID(), kind: 'pay', requestId: undefined, paymentMethod: method.id };
}

/** A renewed card keeps its id, but not its number or expiry (stripe-facts 6.5). */
function identityOf({
  id,
  type,
  fingerprint = '',
  expiry = '',
}: Parameters<typeof newCardPayment>[1]): string {
  return type === 'card' ? `${id}:${fingerprint}:${expiry}` : id;
}

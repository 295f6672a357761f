/** A payer who disputes a payment is not charged or written to meanwhile, for whichever invoice (stripe-facts 5.12). Pure. */
import type { DateTime } from 'luxon';
import type { Guard } from '../actions/objection.ts';
import type { InvoiceHolds } from '../invoice/invoice-holds.ts';

const RECHECK_HOURS = 24;

/** Where the payer says that nothing is owed, a person decides; any other dispute is waited for until it ends. */
export const PAYER_DISPUTES: Guard<{
  readonly holds: Pick<InvoiceHolds, 'payersDispute'>;
  readonly now: DateTime;
}> = {
  name: 'payer_disputes',
  check: ({ holds: { payersDispute: dispute }, now }) => {
    if (!dispute) return undefined;
    const reason = { code: 'payer_disputes', disputeId: dispute.id, because: dispute.reason } as const;
    return dispute.asksPerson
      ? { reason, asksPerson: true }
      : { reason, until: now.plus({ hours: RECHECK_HOURS }) };
  },
};

import type { DateTime } from 'luxon';
import type { Guard } from '../actions/objection.ts';
import type { PayableInvoice } from '../invoice/payable-invoice.ts';

const RECHECK_HOURS = 24;

/** A payment of the invoice is processing at Stripe; a bank debit takes days. Pure. */
export const PROCESSING: Guard<{
  readonly invoice: Pick<PayableInvoice, 'isProcessing'>;
  readonly now: DateTime;
}> = {
  name: 'processing',
  check: ({ invoice, now }) =>
    invoice.isProcessing
      ? { until: now.plus({ hours: RECHECK_HOURS }), reason: { code: 'processing' } }
      : undefined,
};

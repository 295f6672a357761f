import type { DateTime } from 'luxon';
import type { PayableInvoice } from '../payment/payable-invoice.ts';
import type { Guard } from './objection.ts';

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

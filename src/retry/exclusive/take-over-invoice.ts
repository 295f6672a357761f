import type { PluginQueues } from '../../jobs/plugin-queues.ts';
import type { JobHandler } from '../../jobs/queue-table.ts';
import type { Reason } from '../../store/reasons/reason.ts';
import { recordTakeover, wasHandedBack } from '../../store/tables/retry/takeovers.ts';
import { note } from '../actions/note.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findObservation } from '../invoice/observation.ts';
import { findSignUpReason, readPayableInvoice } from '../invoice/payable-invoice.ts';
import { waitForResume } from './wait-for-resume.ts';

/** `exclusive` mode: Stripe's own attempts of a failed invoice end, and with them its mails about it (stripe-facts 3.5). */
export function createTakeOverHandler(deps: RetryDeps): JobHandler<PluginQueues['take-over-invoice']> {
  return waitForResume(deps, 'take-over-invoice', async ({ account, invoiceId }) => {
    const key = { account, invoiceId };
    const invoice = await deps.stripe.findPayableInvoice(account, invoiceId);
    if (invoice?.status !== 'open' || invoice.auto_advance !== true) return;
    if (invoice.collection_method !== 'charge_automatically') return;
    const payable = readPayableInvoice(invoice);
    if (findSignUpReason(payable, deps.config) !== undefined) return;
    if (findObservation(deps.config, account, payable) !== undefined) return;
    if (await wasHandedBack(deps.database, key)) return;
    await recordTakeover(deps.database, key, deps.clock.now());
    await deps.stripe.setAutoAdvance(account, invoiceId, false);
    await note(deps, key, 'invoice.taken_over', { reason: { code: 'exclusive_mode' } satisfies Reason });
  });
}

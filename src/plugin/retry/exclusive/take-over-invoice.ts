import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import { isNeverRetried } from '../../../core/limits/not-retried.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { Reason } from '../../reasons/reason.ts';
import { type InvoiceKey, recordTakeover, wasHandedBack } from '../../store/tables/retry/takeovers.ts';
import { auditInvoice } from '../actions/audit-lines.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { giveUpIfStopped } from '../ending/give-up.ts';
import { findCancelRequest } from '../guards/cancel-request.ts';
import { findCollectionObjection } from '../guards/collection-guards.ts';
import { createFacts } from '../guards/facts.ts';
import { drawLot, findObservation } from '../invoice/observation.ts';
import { type PayableInvoice, readPayableInvoice } from '../invoice/payable-invoice.ts';
import { waitForResume } from './wait-for-resume.ts';

const EXCLUSIVE: Reason = { code: 'exclusive_mode' };

/** Turns off Stripe's own attempts and emails for a failed invoice, in `exclusive` mode or on the service's request (stripe-facts 3.5). */
export function createTakeOverHandler(deps: RetryDeps): JobHandler<PluginQueues['take-over-invoice']> {
  return waitForResume(deps, 'take-over-invoice', async ({ account, invoiceId, requestId }) => {
    const key = { account, invoiceId };
    const invoice = await deps.stripe.findPayableInvoice(account, invoiceId);
    if (invoice?.status !== 'open') return;
    if (invoice.auto_advance !== true) return giveUpIfStopped(deps, key);
    const payable = readPayableInvoice(invoice);
    if (await isLeftToStripe(deps, key, payable)) return;
    if (findObservation(deps.config, account, payable) !== undefined) return;
    if ((await drawLot(deps, account, payable)) !== undefined) return;
    const isAsked = requestId !== undefined;
    if (!isAsked && (deps.config.mode !== 'exclusive' || (await wasHandedBack(deps.database, key)))) return;
    await takeOver(deps, key, isAsked ? { code: 'service_takes_over', requestId } : EXCLUSIVE);
    await giveUpIfStopped(deps, key);
    if (deps.config.retrySignal !== 'off')
      await deps.enqueue('follow-signal', [{ data: key, key: `${account} ${invoiceId}` }]);
  });
}

export async function takeOver(deps: RetryDeps, key: InvoiceKey, reason: Reason): Promise<void> {
  const isStop = reason.code === 'stopped_by_person';
  await recordTakeover(deps.database, key, { at: deps.clock.now(), isStop });
  await deps.stripe.setAutoAdvance(key.account, key.invoiceId, false);
  await auditInvoice(deps, key, { kind: 'invoice.taken_over', detail: { reason } });
}

/** Invoices that we would not collect stay with Stripe, unless it must not collect them either: then nobody would. */
async function isLeftToStripe(
  deps: RetryDeps,
  { account }: InvoiceKey,
  invoice: PayableInvoice,
): Promise<boolean> {
  const facts = await createFacts(deps, account, invoice).collection(deps.config);
  const objection = findCollectionObjection(facts);
  if (objection !== undefined) return !objection.follows?.bindsStripe;
  if (facts.afterCancelRequest !== 'collect' && findCancelRequest(facts)) return true;
  return isNeverRetried(invoice.defaultMethod?.country);
}

import { findHold, isHeld } from '../../store/tables/retry/holds.ts';
import { isTakenOver } from '../../store/tables/retry/takeovers.ts';
import type { ActionExecutor } from '../actions/action-result.ts';
import { findObservation } from '../invoice/observation.ts';
import { readPayableInvoice } from '../invoice/payable-invoice.ts';
import { handBack } from './hand-back-invoice.ts';
import { takeOver } from './take-over-invoice.ts';

/**
 * Makes Stripe's own retries of an invoice follow a person's hold: off during it, on after its release if it had switched them off
 * (stripe-facts 3.5). It reads both first, so a repeated run changes nothing.
 */
export const switchStripeRetries: ActionExecutor = async (deps, { account, invoiceId }) => {
  const key = { account, invoiceId };
  const { mode } = deps.config;
  const hold = await findHold(deps.database, key);
  if (!hold || !isHeld(hold)) {
    const reason = { code: 'operator_asked', note: hold?.reason } as const;
    // In `exclusive` mode they stay off for our own.
    const isDue = mode !== 'exclusive' && (await isTakenOver(deps.database, key, 'byStop'));
    const back = isDue ? await handBack(deps, key, reason) : undefined;
    return { state: 'done', reason: back && 'reason' in back ? back.reason : reason };
  }
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  if (!found) return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId } };
  const invoice = readPayableInvoice(found);
  if (invoice.status !== 'open')
    return { guard: 'status', reason: { code: 'invoice_status', status: invoice.status } };
  const setting = findObservation({ mode, scope: deps.config.scope }, account, invoice);
  if (setting === 'RETRY_MODE') return { guard: 'settings', reason: { code: 'outside_scope', setting } };
  const reason = { code: 'stopped_by_person', note: hold.reason } as const;
  if (found.auto_advance === true) await takeOver(deps, key, reason);
  return { state: 'done', reason };
};

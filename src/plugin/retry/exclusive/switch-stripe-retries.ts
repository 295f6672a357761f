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
  const hold = await findHold(deps.database, account, invoiceId);
  if (!hold || !isHeld(hold)) {
    // In `exclusive` mode they stay off for our own.
    const isOn = mode !== 'exclusive' && (await isTakenOver(deps.database, key, 'byStop'));
    const back = isOn ? await handBack(deps, key, { code: 'operator_asked', note: hold?.reason }) : undefined;
    if (back && 'reason' in back) return { state: 'closed', reason: back.reason };
    return { state: 'done', reason: { code: 'stripe_retries_set', isOn } };
  }
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  if (!found) return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId } };
  const invoice = readPayableInvoice(found);
  if (invoice.status !== 'open')
    return { guard: 'status', reason: { code: 'invoice_status', status: invoice.status } };
  const setting = findObservation({ mode, scope: deps.config.scope }, account, invoice);
  if (setting === 'RETRY_MODE') return { guard: 'settings', reason: { code: 'outside_scope', setting } };
  if (found.auto_advance === true)
    await takeOver(deps, key, { code: 'stopped_by_person', note: hold.reason });
  return { state: 'done', reason: { code: 'stripe_retries_set', isOn: false } };
};

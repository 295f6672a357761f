import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { listAttemptsOfInvoice, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import type { ActionExecutor, ActionResult } from '../actions/action-result.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { undeliverable } from '../guards/email-guards.ts';
import { findObservation, observedEmail } from '../invoice/observation.ts';
import { type PayableInvoice, readPayableInvoice } from '../invoice/payable-invoice.ts';
import { openCardPage } from './card-update-link.ts';
import { deliver } from './send-customer-email.ts';

const UNKNOWN_DIGITS = '••••';

/** Tells a customer that another card than the failed one was charged, by us or by themselves, and where to choose. */
export const sendBackupNotice: ActionExecutor = async (deps, action) => {
  const { account, invoiceId, customerId, paymentMethod } = action;
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  if (!found) return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId } };
  const invoice = readPayableInvoice(found);
  const { customer } = invoice;
  const attempts = await listAttemptsOfInvoice(deps.database, account, invoiceId);
  const paid = attempts.findLast((one) => one.outcome === 'paid' && one.paymentMethod === paymentMethod);
  const template = action.cause === 'paid_otherwise' ? 'paid_otherwise' : 'backup_charged';
  if (template === 'paid_otherwise') {
    const obstacle = findNothingToChoose(deps, account, { invoice, paid });
    if (obstacle) return obstacle;
  }
  if (!customer?.email) {
    const reason = { code: 'no_address', customerId: customerId ?? '' } as const;
    return undeliverable(action, { guard: 'recipient', reason });
  }
  const page = openCardPage(deps, customer, { account, customerId: invoice.customerId, invoiceId });
  if ('guard' in page) return page.guard === 'mail_server' ? undeliverable(action, page) : page;
  return deliver(deps, action, {
    template,
    invoice: { ...invoice, amountRemaining: paid?.amount ?? 0 },
    ...page,
    cards: {
      failed: await findDigits(deps, action, invoice.defaultMethod?.id),
      charged: await findDigits(deps, action, paymentMethod ?? undefined),
    },
  });
};

/** Whether nothing is left to choose: our own payments keep their card, and the next renewal may use the paying one or not exist. */
function findNothingToChoose(
  { config }: RetryDeps,
  account: string,
  { invoice, paid }: { invoice: PayableInvoice; paid: StoredAttempt | undefined },
): ActionResult | undefined {
  const { defaultMethod: next, subscription, amountRemaining } = invoice;
  const setting = findObservation(config, account, invoice);
  if (setting !== undefined) return observedEmail('paid_otherwise', setting);
  const isNext =
    next?.id === paid?.paymentMethod || (next?.fingerprint && next.fingerprint === paid?.fingerprint);
  const { endedAt, endsAt } = subscription ?? {};
  // While a part is open, the card that pays the rest may become the kept one.
  if (amountRemaining > 0) return { guard: 'amount_remaining', reason: { code: 'part_remains' } };
  if (paid?.source !== 'stripe' || !subscription || endedAt || endsAt || !next || isNext)
    return { guard: 'payment_method', reason: { code: 'nothing_to_choose' } };
  return undefined;
}

async function findDigits(
  deps: RetryDeps,
  { account }: StoredAction,
  id: string | undefined,
): Promise<string> {
  const method = id === undefined ? undefined : await deps.stripe.findPaymentMethod(account, id);
  return method?.card?.last4 ?? UNKNOWN_DIGITS;
}

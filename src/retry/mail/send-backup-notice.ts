import { nextInWindow } from '../../config/sending-window.ts';
import { findFirstLocale } from '../../email/languages.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { listAttemptsOfInvoice } from '../../store/tables/retry/attempts.ts';
import type { ActionExecutor } from '../actions/action-result.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { undeliverable } from '../guards/mail-guards.ts';
import { customerZone } from '../invoice/customer-zone.ts';
import { readPayableInvoice } from '../invoice/payable-invoice.ts';
import { cardUpdateUrl, createLinkToken } from './card-update-link.ts';
import { deliver, LINK_LIFE_DAYS } from './send-customer-email.ts';

const UNKNOWN_DIGITS = '••••';

/** Informs a customer that another saved card was charged, which one had failed, and where to choose. */
export const sendBackupNotice: ActionExecutor = async (deps, action) => {
  const { account, invoiceId, customerId, paymentMethod } = action;
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  if (!found) return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId } };
  const invoice = readPayableInvoice(found);
  const { customer } = invoice;
  if (!customer?.email) {
    const reason = { code: 'no_address', customerId: customerId ?? '' } as const;
    return undeliverable(action, { guard: 'recipient', reason });
  }
  const { linkSecret, publicUrl, emailWindow } = deps.config;
  if (!deps.mailer || linkSecret === undefined)
    return undeliverable(action, { guard: 'mail_server', reason: { code: 'no_mail_server' } });
  const now = deps.clock.now();
  const zone = customerZone(deps, customer);
  const opening = nextInWindow(now, zone, emailWindow);
  if (opening > now) return { guard: 'email_window', reason: { code: 'outside_window' }, until: opening };
  const expiresAt = now.plus({ days: LINK_LIFE_DAYS });
  const reader = { locale: findFirstLocale(customer.preferred_locales ?? []), zone };
  const claims = { account, customerId: invoice.customerId, invoiceId, expiresAt, reader };
  const token = createLinkToken({ ...claims, isAboutCard: true }, linkSecret);
  const attempts = await listAttemptsOfInvoice(deps.database, account, invoiceId);
  const paid = attempts.findLast((one) => one.outcome === 'paid' && one.paymentMethod === paymentMethod);
  return deliver(deps, action, {
    plan: { template: 'backup_charged' },
    invoice: { ...invoice, amountRemaining: paid?.amount ?? 0 },
    zone,
    link: cardUpdateUrl(publicUrl, token).href,
    expiresAt,
    cards: {
      failed: await findDigits(deps, action, invoice.defaultMethod?.id),
      charged: await findDigits(deps, action, paymentMethod ?? undefined),
    },
  });
};

async function findDigits(
  deps: RetryDeps,
  { account }: StoredAction,
  id: string | undefined,
): Promise<string> {
  const method = id === undefined ? undefined : await deps.stripe.findPaymentMethod(account, id);
  return method?.card?.last4 ?? UNKNOWN_DIGITS;
}

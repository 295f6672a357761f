/** Tells a customer once about a subscription lost to an unpaid invoice, unless the customer canceled it. */
import { nextInWindow } from '../../../core/limits/sending-window.ts';
import type { EmailTemplate } from '../../actions/action-kinds.ts';
import type { ActionExecutor } from '../actions/action-result.ts';
import { findObjection, type Guard, guard, type Objection } from '../actions/objection.ts';
import { findCancelRequest } from '../guards/cancel-request.ts';
import { type CollectionFacts, DISPUTED } from '../guards/collection-guards.ts';
import { findMerchantCode, undeliverable } from '../guards/email-guards.ts';
import { createFacts } from '../guards/facts.ts';
import { PAYER_DISPUTES } from '../guards/shared-guards.ts';
import { customerZone } from '../invoice/customer-zone.ts';
import { findPersonsStop } from '../invoice/invoice-holds.ts';
import { findObservation, observedEmail } from '../invoice/observation.ts';
import { type PayableInvoice, readPayableInvoice } from '../invoice/payable-invoice.ts';
import { LINK_LIFE_DAYS, signLink } from './card-update-link.ts';
import { readOwedFacts } from './invoice-facts.ts';
import { deliver } from './send-customer-email.ts';

interface EndFacts extends Pick<CollectionFacts, 'now' | 'invoice' | 'holds'> {
  readonly merchantCode: string | undefined;
}

const GUARDS: readonly Guard<EndFacts>[] = [
  guard('forgotten', ({ holds }) => holds.isForgotten && { code: 'customer_forgotten' }),
  guard('stopped', ({ holds }) => findPersonsStop(holds)),
  guard('status', ({ invoice: { status } }) => status === 'paid' && { code: 'invoice_status', status }),
  guard('cancel_requested', (facts) => {
    // Our pause looks like one requested by the customer, for which no notice is planned.
    const reason = findCancelRequest(facts);
    return reason?.code === 'cancel_requested' && reason;
  }),
  DISPUTED,
  PAYER_DISPUTES,
  guard(
    'matter_of_merchant',
    ({ merchantCode: because }) => because !== undefined && { code: 'merchant_matter', because },
  ),
];

/** Stripe's page of an invoice works as long (stripe-facts 3.4). */
const WAY_BACK_DAYS = 30;

/** Names the ended subscription, the remaining debt and the next step. */
export const sendEndNotice: ActionExecutor = async (deps, action) => {
  const { account, invoiceId } = action;
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  if (!found) return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId } };
  const invoice = readPayableInvoice(found);
  const chosen = chooseTemplate(invoice);
  if (typeof chosen !== 'string') return chosen;
  const now = deps.clock.now();
  const facts = createFacts(deps, account, invoice);
  const holds = await facts.holds();
  const merchantCode = findMerchantCode(await facts.ofNext(), holds);
  const objection = findObjection(GUARDS, { now, invoice, holds, merchantCode });
  if (objection) return objection;
  const { customer, customerId, hostedUrl } = invoice;
  if (!customer?.email)
    return undeliverable(action, { guard: 'recipient', reason: { code: 'no_address', customerId } });
  if (!deps.mailer)
    return undeliverable(action, { guard: 'mail_server', reason: { code: 'no_mail_server' } });
  const zone = customerZone(deps, customer);
  const opening = nextInWindow(now, zone, deps.config.emailWindow);
  if (opening > now) return { guard: 'email_window', reason: { code: 'outside_window' }, until: opening };
  const { returnUrl } = deps.config;
  const resumes = deps.config.afterEnd === 'resume' && chosen === 'subscription_ended' && isOwed(invoice);
  const expiresAt = now.plus({ days: resumes ? WAY_BACK_DAYS : LINK_LIFE_DAYS });
  const back = { account, customerId, invoiceId, expiresAt, customer, zone };
  const ours = resumes ? signLink(deps.config, back) : undefined;
  const link = ours ?? returnUrl ?? hostedUrl;
  if (link === undefined) return undeliverable(action, { guard: 'link', reason: { code: 'no_page' } });
  const setting = findObservation(deps.config, account, invoice);
  if (setting !== undefined) return observedEmail(chosen, setting);
  return deliver(deps, action, {
    template: chosen,
    invoice,
    ...(await readOwedFacts(deps, account, [{ invoice, found }])),
    lost: {
      isOwed: isOwed(invoice),
      leadsTo: returnUrl !== undefined && ours === undefined ? 'merchant' : 'invoice',
      resumes,
    },
    zone,
    link,
    expiresAt,
  });
};

/** Whether the customer still owes the invoice of a subscription that ended against their wish. */
export function isLost(facts: Omit<EndFacts, 'merchantCode'>): boolean {
  const { invoice } = facts;
  if (invoice.subscription?.status !== 'canceled' || !isOwed(invoice)) return false;
  return findObjection(GUARDS, { ...facts, merchantCode: undefined }) === undefined;
}

function isOwed({ status, amountRemaining }: PayableInvoice): boolean {
  return status === 'open' && amountRemaining > 0;
}

/** Chosen by the current state: the subscription may have resumed. */
function chooseTemplate({ subscription }: PayableInvoice): EmailTemplate | Objection {
  if (!subscription) return { guard: 'subscription', reason: { code: 'no_subscription' } };
  const { id, status, isPaused } = subscription;
  if (status === 'canceled') return 'subscription_ended';
  if (isPaused || status === 'paused') return 'subscription_paused';
  return { guard: 'subscription', reason: { code: 'subscription_status', subscriptionId: id, status } };
}

import type { DateTime } from 'luxon';
import { type EmailTemplate, renderCustomerEmail } from '../email/customer-email.ts';
import { nextInWindow } from '../sending-window.ts';
import { holdsClaim, type StoredAction } from '../store/actions.ts';
import { finishEmail, hasRecentEmail, reserveEmail } from '../store/emails.ts';
import type { ActionExecutor, ActionResult } from './action-result.ts';
import { cardUpdateUrl, createLinkToken } from './card-update-link.ts';
import { customerZone } from './customer-zone.ts';
import { readFinalSay, wasReleasedSince } from './final-say.ts';
import { note } from './note.ts';
import { type PayableInvoice, readPayableInvoice } from './payable-invoice.ts';
import type { RetryDeps } from './retry-deps.ts';

interface MailPlan {
  readonly template: EmailTemplate;
  /** Where the button leads; undefined if there is no such place. */
  readonly link: (
    deps: RetryDeps,
    action: StoredAction,
    invoice: PayableInvoice,
    expiresAt: DateTime,
  ) => string | undefined;
}

const LINK_LIFE_DAYS = 14;
/** Mails of one kind about one invoice keep this distance (facts 6.6). */
const MIN_GAP_DAYS = 3;
const RETRY_MINUTES = 15;
const GIVE_UP_DAYS = 3;
/** The mailer's own limits, added up. */
const SEND_SECONDS = 60;
const LOST_CLAIM_SECONDS = 15;

const PAYABLE: ReadonlySet<string> = new Set(['open', 'uncollectible']);

export const sendCardUpdate: ActionExecutor = (deps, action) =>
  sendMail(deps, action, { template: 'card_update', link: signedLink });
export const sendConfirmPayment: ActionExecutor = (deps, action) =>
  sendMail(deps, action, {
    template: 'confirm_payment',
    link: (_deps, _action, invoice) => invoice.hostedUrl,
  });

/** Mails a customer about an invoice that is still unpaid, in the customer's hours, once. */
async function sendMail(deps: RetryDeps, action: StoredAction, plan: MailPlan): Promise<ActionResult> {
  if (action.closedAt !== null) return { kind: 'closed', reason: action.reason ?? 'it was stopped' };
  const now = deps.clock.now();
  const found = await deps.stripe.findPayableInvoice(action.account, action.invoiceId);
  if (!found) return { kind: 'closed', reason: `Stripe has no invoice ${action.invoiceId}` };
  const invoice = readPayableInvoice(found);
  const objection = await findObjection(deps, action, invoice, plan.template);
  if (objection) return undeliverable(deps, action, objection);
  if (invoice.isProcessing) {
    return { kind: 'postponed', until: now.plus({ days: 1 }), reason: 'a payment is still processing' };
  }
  const zone = customerZone(deps, invoice.customer);
  const opening = nextInWindow(now, zone, deps.config.emailWindow);
  if (opening > now)
    return { kind: 'postponed', until: opening, reason: "outside the customer's sending window" };
  const expiresAt = now.plus({ days: LINK_LIFE_DAYS });
  const link = plan.link(deps, action, invoice, expiresAt);
  if (!link) return undeliverable(deps, action, 'there is no page to send the customer to');
  if (deps.config.mode === 'observe') {
    await note(deps, action, 'observed.email', { template: plan.template });
    return { kind: 'done', reason: `observed only: the ${plan.template} mail would have been sent now` };
  }
  return deliver(deps, action, { plan, invoice, zone, link, expiresAt });
}

async function findObjection(
  deps: RetryDeps,
  action: StoredAction,
  invoice: PayableInvoice,
  template: EmailTemplate,
): Promise<string | undefined> {
  if (!PAYABLE.has(invoice.status) || invoice.amountRemaining <= 0) return `the invoice is ${invoice.status}`;
  const say = await readFinalSay(deps.database, action.account, action.invoiceId);
  if (invoice.subscription?.status === 'canceled' && !wasReleasedSince(say, invoice.subscription.endedAt))
    return `subscription ${invoice.subscription.id} is canceled`;
  if (invoice.subscription?.isPaused) return 'collection of the subscription is paused';
  if (!invoice.customer) return 'the customer was deleted';
  if (!invoice.customer.email) return `customer ${invoice.customer.id} has no e-mail address`;
  if (!deps.mailer) return 'no mail server is configured (SMTP_URL)';
  if (say.heldBecause !== undefined) return `a person stopped it: ${say.heldBecause}`;
  if (say.isDisputed) return 'the customer disputes a payment of this invoice';
  const since = deps.clock.now().minus({ days: MIN_GAP_DAYS });
  const key = { account: action.account, invoiceId: action.invoiceId, template, step: action.id };
  if (await hasRecentEmail(deps.database, key, since))
    return `a ${template} mail went out less than ${MIN_GAP_DAYS} days ago`;
  return undefined;
}

async function deliver(
  deps: RetryDeps,
  action: StoredAction,
  mail: { plan: MailPlan; invoice: PayableInvoice; zone: string; link: string; expiresAt: DateTime },
): Promise<ActionResult> {
  const { plan, invoice, zone, link, expiresAt } = mail;
  const { customer } = invoice;
  if (!deps.mailer || !customer?.email) return undeliverable(deps, action, 'there is nobody to send it to');
  const key = {
    account: action.account,
    invoiceId: action.invoiceId,
    template: plan.template,
    step: action.id,
  };
  const messageId = `<${action.id}@${deps.config.publicUrl.hostname}>`;
  const reserved = await reserveEmail(
    deps.database,
    { ...key, recipient: customer.email, messageId },
    deps.clock.now(),
  );
  if (reserved.state === 'sent') return { kind: 'done', reason: 'the mail was sent before' };
  const content = renderCustomerEmail(plan.template, {
    merchantName: await deps.merchantName(action.account),
    amount: invoice.amountRemaining,
    currency: invoice.currency,
    customerName: customer.name ?? undefined,
    link,
    expiresAt,
    zone,
    locale: customer.preferred_locales?.[0] ?? 'en',
  });
  const now = deps.clock.now();
  if (!(await holdsClaim(deps.database, action, now.plus({ seconds: SEND_SECONDS })))) {
    const until = now.plus({ seconds: LOST_CLAIM_SECONDS });
    return { kind: 'postponed', until, reason: 'it was stopped, or its run took too long; nothing was sent' };
  }
  const result = await deps.mailer.send({ to: customer.email, messageId: reserved.messageId, ...content });
  if (result.kind === 'failed') {
    const deadline = action.createdAt.getTime() + GIVE_UP_DAYS * 86_400_000;
    if (now.toMillis() > deadline) return undeliverable(deps, action, result.reason);
    await note(deps, action, 'email.delayed', { template: plan.template, reason: result.reason });
    return { kind: 'postponed', until: now.plus({ minutes: RETRY_MINUTES }), reason: result.reason };
  }
  if (result.kind === 'refused') {
    await finishEmail(deps.database, key, { state: 'refused', detail: result.reason }, now);
    return undeliverable(deps, action, result.reason);
  }
  await finishEmail(deps.database, key, { state: 'sent', detail: result.response }, now);
  await note(deps, action, 'email.sent', { template: plan.template, messageId: reserved.messageId });
  return { kind: 'done', reason: `${plan.template} mail sent` };
}

function signedLink(
  deps: RetryDeps,
  action: StoredAction,
  invoice: PayableInvoice,
  expiresAt: DateTime,
): string | undefined {
  const { linkSecret, publicUrl } = deps.config;
  if (linkSecret === undefined) return undefined;
  const claims = {
    account: action.account,
    customerId: invoice.customerId,
    invoiceId: invoice.id,
    expiresAt,
  };
  return cardUpdateUrl(publicUrl, createLinkToken(claims, linkSecret)).href;
}

/** Shown to the operator, never dropped. */
async function undeliverable(deps: RetryDeps, action: StoredAction, reason: string): Promise<ActionResult> {
  await note(deps, action, 'email.undeliverable', { action: action.kind, reason });
  return { kind: 'closed', reason: `undeliverable: ${reason}` };
}

import { DateTime } from 'luxon';
import type { MailResult } from '../../clients/mailer.ts';
import { nextInWindow } from '../../config/sending-window.ts';
import { type EmailTemplate, renderCustomerEmail } from '../../email/customer-email.ts';
import { chooseLocale, findFirstLocale } from '../../email/languages.ts';
import { untilBack } from '../../store/engine/until-back.ts';
import { holdsClaim, type StoredAction } from '../../store/tables/retry/actions.ts';
import { type EmailKey, finishEmail, reserveEmail } from '../../store/tables/retry/emails.ts';
import type { ActionExecutor, ActionResult } from '../actions/action-result.ts';
import { note } from '../actions/note.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { Because } from '../guards/collection-rules.ts';
import { findMailObjection } from '../guards/mail-objections.ts';
import { customerZone } from '../instructions/customer-zone.ts';
import { type PayableInvoice, readPayableInvoice } from '../payment/payable-invoice.ts';
import { cardUpdateUrl, createLinkToken } from './card-update-link.ts';

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
const RETRY_MINUTES = 15;
const GIVE_UP_DAYS = 3;
/** The mailer's own limits, added up. */
const SEND_SECONDS = 60;
const LOST_CLAIM_SECONDS = 15;

export const sendCardUpdate: ActionExecutor = (deps, action) =>
  sendMail(deps, action, { template: 'card_update', link: signedLink });
export const sendConfirmPayment: ActionExecutor = (deps, action) =>
  sendMail(deps, action, {
    template: 'confirm_payment',
    link: (_deps, _action, invoice) => invoice.hostedUrl,
  });

/** Mails a customer about an invoice that is still unpaid, in the customer's hours, once. */
async function sendMail(deps: RetryDeps, action: StoredAction, plan: MailPlan): Promise<ActionResult> {
  if (action.closedAt !== null)
    return { kind: 'closed', guard: 'stopped', reason: action.reason ?? 'it was stopped' };
  const now = deps.clock.now();
  const found = await deps.stripe.findPayableInvoice(action.account, action.invoiceId);
  if (!found)
    return { kind: 'closed', guard: 'invoice', reason: `Stripe has no invoice ${action.invoiceId}` };
  const invoice = readPayableInvoice(found);
  const objection = await findMailObjection(deps, action, invoice, plan.template);
  if (objection) return END[objection.kind](deps, action, objection);
  if (invoice.isProcessing) {
    const reason = 'a payment is still processing';
    return { kind: 'postponed', until: now.plus({ days: 1 }), guard: 'processing', reason };
  }
  const zone = customerZone(deps, invoice.customer);
  const opening = nextInWindow(now, zone, deps.config.emailWindow);
  if (opening > now) {
    const reason = "outside the customer's sending window";
    return { kind: 'postponed', until: opening, guard: 'email_window', reason };
  }
  const expiresAt = now.plus({ days: LINK_LIFE_DAYS });
  const link = plan.link(deps, action, invoice, expiresAt);
  if (!link)
    return undeliverable(deps, action, { guard: 'link', reason: 'there is no page to send the customer to' });
  if (deps.config.mode === 'observe') {
    await note(deps, action, 'observed.email', { template: plan.template });
    return { kind: 'done', reason: `observed only: the ${plan.template} mail would have been sent now` };
  }
  return deliver(deps, action, { plan, invoice, zone, link, expiresAt });
}

async function deliver(
  deps: RetryDeps,
  action: StoredAction,
  mail: { plan: MailPlan; invoice: PayableInvoice; zone: string; link: string; expiresAt: DateTime },
): Promise<ActionResult> {
  const { plan, invoice, zone, link, expiresAt } = mail;
  const { customer } = invoice;
  if (!deps.mailer || !customer?.email)
    return undeliverable(deps, action, { guard: 'recipient', reason: 'there is nobody to send it to' });
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
  const { language, color, logoUrl } = deps.config.emailLook;
  const content = renderCustomerEmail(plan.template, {
    merchantName: await deps.merchantName(action.account),
    look: { color: color ?? (await deps.brandColor(action.account)), logoUrl },
    amount: invoice.amountRemaining,
    currency: invoice.currency,
    customerName: customer.name ?? undefined,
    link,
    expiresAt,
    zone,
    locale: chooseLocale(customer.preferred_locales, language),
  });
  const now = deps.clock.now();
  if (!(await holdsClaim(deps.database, action, now.plus({ seconds: SEND_SECONDS })))) {
    const until = now.plus({ seconds: LOST_CLAIM_SECONDS });
    const reason = 'it was stopped, or its run took too long; nothing was sent';
    return { kind: 'postponed', until, guard: 'claim', reason };
  }
  const result = await deps.mailer.send({ to: customer.email, messageId: reserved.messageId, ...content });
  return settle(deps, action, { key, messageId: reserved.messageId, result });
}

/** A mail that was not taken does not count as one that was asked for: the next instruction may send it anew. */
async function settle(
  deps: RetryDeps,
  action: StoredAction,
  { key, messageId, result }: { key: EmailKey; messageId: string; result: MailResult },
): Promise<ActionResult> {
  const now = deps.clock.now();
  const { template } = key;
  if (result.kind === 'sent') {
    const sent = { state: 'sent', detail: result.response } as const;
    await untilBack(() => finishEmail(deps.database, key, sent, now));
    await note(deps, action, 'email.sent', { template, messageId });
    return { kind: 'done', reason: `${template} mail sent` };
  }
  const deadline = DateTime.fromJSDate(action.createdAt).plus({ days: GIVE_UP_DAYS });
  if (result.kind === 'failed' && now <= deadline) {
    const until = now.plus({ minutes: RETRY_MINUTES });
    return { kind: 'postponed', until, guard: 'mail_server', reason: result.reason };
  }
  const state = result.kind === 'refused' ? 'refused' : 'given_up';
  await finishEmail(deps.database, key, { state, detail: result.reason }, now);
  return undeliverable(deps, action, { guard: 'mail_server', reason: result.reason });
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
    reader: {
      locale: findFirstLocale(invoice.customer?.preferred_locales ?? []),
      zone: customerZone(deps, invoice.customer),
    },
  };
  return cardUpdateUrl(publicUrl, createLinkToken(claims, linkSecret)).href;
}

/** Shown to the operator, never dropped. */
async function undeliverable(
  deps: RetryDeps,
  action: StoredAction,
  { guard, reason }: Because,
): Promise<ActionResult> {
  await note(deps, action, 'email.undeliverable', { action: action.kind, guard, reason });
  return { kind: 'closed', reason: `undeliverable: ${reason}`, isTold: true };
}

/** What it would ask for is not right now, or not needed any more: nobody has to do anything. */
async function withheld(
  deps: RetryDeps,
  action: StoredAction,
  { guard, reason }: Because,
): Promise<ActionResult> {
  await note(deps, action, 'email.withheld', { action: action.kind, guard, reason });
  return { kind: 'closed', reason: `no mail: ${reason}`, isTold: true };
}

const END = { undeliverable, withheld } as const;

import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { retryWhileDatabaseDown } from '../../../core/database/retry-while-database-down.ts';
import { nextInWindow } from '../../../core/limits/sending-window.ts';
import {
  EMAILS,
  type EmailTemplate,
  type RequestTemplate,
  type SeriesTemplate,
} from '../../actions/action-kinds.ts';
import type { EmailResult } from '../../clients/mailer.ts';
import { cleanName } from '../../mails/clean-name.ts';
import type { CustomerEmail } from '../../mails/customer-email.ts';
import { chooseLocale, translationKey } from '../../mails/languages.ts';
import { findForgotten } from '../../store/tables/forgotten.ts';
import { type AnyAction, aboutOf, type StoredAction, subjectOf } from '../../store/tables/retry/actions.ts';
import {
  type EmailCampaign,
  type EmailCopy,
  type EmailKey,
  finishEmail,
  type NewEmail,
  NO_CAMPAIGN,
  readCampaign,
  reserveEmail,
} from '../../store/tables/retry/emails.ts';
import { hasPlannedPayment } from '../../store/tables/retry/planned-actions.ts';
import type { ActionExecutor, ActionResult, Obstacle } from '../actions/action-result.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findFraudReport, listBindingDeclines } from '../guards/card-history.ts';
import { currentCampaign, findEmailObjection, isWaitedFor, undeliverable } from '../guards/email-guards.ts';
import { createFacts, type Facts } from '../guards/facts.ts';
import { customerZone } from '../invoice/customer-zone.ts';
import { findObservation, leaveToStripe, observedEmail } from '../invoice/observation.ts';
import { type PayableInvoice, readPayableInvoice } from '../invoice/payable-invoice.ts';
import { tryBackup } from '../payment/backup-methods.ts';
import { copyWithoutToken, LINK_LIFE_DAYS, signLink } from './card-update-link.ts';
import { type Notice, readNotice } from './consequence.ts';
import { type OwedFacts, readOwedFacts } from './invoice-facts.ts';
import { listOwedBeside, type OwedInvoice } from './owed-together.ts';
import { GIVE_UP_DAYS, RETRY_MINUTES, type SendOne, sendClaimed, sendCopies } from './send-copies.ts';

const FORGOTTEN: Obstacle = { guard: 'forgotten', reason: { code: 'customer_forgotten' } };

/** Emails a customer about unpaid invoices, in the sending window, once. */
export const askCustomer =
  (template: RequestTemplate): ActionExecutor =>
  (deps, action) =>
    sendAbout(deps, action, () => Promise.resolve(template));

/** Tells a customer that a payment failed and is retried, unless an email did. Without a planned payment it asks for another card. */
export const sendFirstNotice: ActionExecutor = (deps, action) =>
  sendAbout(deps, action, async ({ nextStripeAttemptAt }) => {
    const { account, invoiceId } = action;
    const isTried =
      nextStripeAttemptAt !== undefined || (await hasPlannedPayment(deps.database, account, invoiceId));
    return isTried ? 'failure_notice' : 'card_update';
  });

async function sendAbout(
  deps: RetryDeps,
  action: StoredAction,
  choose: (invoice: PayableInvoice) => Promise<SeriesTemplate>,
): Promise<ActionResult> {
  if (action.closedAt !== null)
    return { guard: 'action_closed', reason: action.reason ?? { code: 'stopped' } };
  const now = deps.clock.now();
  const found = await deps.stripe.findPayableInvoice(action.account, action.invoiceId);
  if (!found) return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId: action.invoiceId } };
  const invoice = readPayableInvoice(found);
  const template = await choose(invoice);
  const isAsked = isWaitedFor(action);
  const backup = action.kind === 'card_update_email' && !isAsked && (await tryBackup(deps, action, invoice));
  if (backup) return backup;
  const { account } = action;
  const isForAll = EMAILS[template].page === 'ours';
  const asked: OwedInvoice = { found, invoice };
  const invoices = [asked, ...(isForAll ? await listOwedBeside(deps, account, asked) : [])] as const;
  const facts = createFacts(deps, account, invoice);
  const campaign = await findCampaign(deps, action, { invoices, facts });
  if (isNamed(action, campaign)) return { state: 'done', reason: { code: 'named_in_email', template } };
  const objection = await findEmailObjection(deps, action, invoice, { template, campaign });
  if (objection) return objection;
  const zone = customerZone(deps, invoice.customer);
  const opening = nextInWindow(now, zone, deps.config.emailWindow);
  if (opening > now && !isAsked)
    return { guard: 'email_window', reason: { code: 'outside_window' }, until: opening };
  // A renewed link is no reminder and promises nothing.
  const counted = action.cause === 'link_renewal' ? NO_CAMPAIGN : campaign;
  const notice = await readNotice(deps, account, { invoices, campaign: counted, zone, template });
  const expiresAt = DateTime.max(now.plus({ days: LINK_LIFE_DAYS }), notice.promisedAt ?? now);
  const { customerId, id: invoiceId, customer, hostedUrl } = invoice;
  const page = { account, customerId, invoiceId, expiresAt, customer, zone };
  const link = isForAll ? signLink(deps.config, page) : hostedUrl;
  if (!link) return undeliverable(action, { guard: 'link', reason: { code: 'no_page' } });
  const observed = findObservation(deps.config, action.account, invoice);
  if (observed !== undefined) {
    await leaveToStripe(deps, action, observed);
    return observedEmail(template, observed);
  }
  const owed = await readOwedFacts(deps, account, invoices);
  const aloneSince = isAsked ? undefined : now.minus({ minutes: 1 });
  const email = { ...owed, template, notice, campaign, aloneSince, invoice, zone, link, expiresAt };
  return deliver(deps, action, email);
}

/** Whether another email has named the invoice since the request; for a first notice, at any time. */
function isNamed(action: StoredAction, { lastAt, lastFor, lastNamed, named }: EmailCampaign): boolean {
  const { invoiceId, createdAt, cause } = action;
  if (cause === 'first_notice') return named.includes(invoiceId);
  if (isWaitedFor(action)) return false;
  return lastAt !== null && lastFor !== invoiceId && lastNamed.includes(invoiceId) && lastAt >= createdAt;
}

/** Objections to an email if it were due now. */
export async function previewEmail(
  deps: RetryDeps,
  action: StoredAction,
  template: EmailTemplate,
): Promise<Obstacle | undefined> {
  const { account, invoiceId } = action;
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  if (!found) return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId } };
  // A person's email does not depend on earlier ones.
  return findEmailObjection(deps, action, readPayableInvoice(found), { template, campaign: NO_CAMPAIGN });
}

/** `owed`: its invoice and the payer's others. */
interface Email
  extends Pick<CustomerEmail, 'zone' | 'link' | 'expiresAt' | 'cards' | 'lost'>,
    Pick<NewEmail, 'aloneSince'>,
    Partial<OwedFacts> {
  readonly template: EmailTemplate;
  readonly invoice: Pick<PayableInvoice, 'customer' | 'amountRemaining' | 'currency' | 'onBehalfOf'>;
  readonly notice?: Notice;
  readonly campaign?: EmailCampaign;
}

/** Sends an email once: a reserved, interrupted one goes out under the same Message-ID. */
export async function deliver(deps: RetryDeps, action: AnyAction, email: Email): Promise<ActionResult> {
  const { template, invoice, link, notice, owed, campaign, aloneSince } = email;
  const { customer } = invoice;
  if (!deps.mailer || !customer?.email)
    return undeliverable(action, { guard: 'recipient', reason: { code: 'no_recipient' } });
  const { account, id } = action;
  if (await findForgotten(deps.database, { account, customerId: customer.id })) return FORGOTTEN;
  const key = { account, template, step: id };
  const messageId = `<${action.id}@${deps.config.publicUrl.hostname}>`;
  const about = { account, id: aboutOf(action), customer: customer.id, template };
  const locale = chooseLocale(customer.preferred_locales, deps.config.emailLook.language);
  const content = await write(deps, action, { ...email, locale }, customer);
  const reservation: NewEmail = {
    ...key,
    ...subjectOf(action),
    recipient: customer.email,
    seller: invoice.onBehalfOf,
    messageId,
    promisedAt: notice?.promisedAt,
    named: owed?.map((one) => one.id),
    campaign: campaign?.id,
    notice: notice?.step ?? 'first',
    language: translationKey(locale),
    copy: link === deps.config.returnUrl ? content : copyWithoutToken(content, link),
    aloneSince,
  };
  const now = deps.clock.now();
  const reserved = await deps.database.transaction((tx) => reserveEmail(tx, reservation, now));
  if (!reserved) {
    const until = now.plus({ minutes: RETRY_MINUTES });
    return { guard: 'email_on_its_way', reason: { code: 'email_on_its_way', template }, until };
  }
  // The database cleared the address: the customer was forgotten meanwhile.
  if (reserved.recipient === '') {
    await finishEmail(deps.database, key, { state: 'given_up', detail: '' }, now);
    return FORGOTTEN;
  }
  const senderName = cleanName(await deps.merchantName(account, invoice.onBehalfOf));
  const send: SendOne = (one) => sendClaimed(deps, action, { about, senderName, ...one });
  const sendFirst = async (): Promise<ActionResult> => {
    const { messageId, state, recipient: to } = reserved;
    if (state === 'sent')
      return { state: 'done', reason: { code: 'email_sent_before' }, audit: toSent(key, reserved) };
    const result = await send({ to, messageId, ...content });
    return 'guard' in result ? result : settle(deps, action, { key, messageId, result });
  };
  const first = await sendFirst();
  if ('until' in first) return first;
  const writeTo = (own: string) => write(deps, action, { ...email, locale, link: own }, customer);
  return (
    (await sendCopies(deps, action, { key, customer, link, done: reserved.copies, send, writeTo })) ?? first
  );
}

async function write(
  deps: RetryDeps,
  action: AnyAction,
  { template, invoice, notice, campaign: _, ...content }: Email & { readonly locale: string },
  customer: Stripe.Customer,
): Promise<EmailCopy> {
  const { logoUrl, legalLine } = deps.config.emailLook;
  const preferredLocales = customer.preferred_locales;
  const email: CustomerEmail = {
    ...content,
    step: notice?.step,
    consequence: notice?.consequence,
    merchantName: await deps.merchantName(action.account, invoice.onBehalfOf),
    look: { color: await deps.brandColor(action.account), logoUrl },
    legalLine,
    amount: invoice.amountRemaining,
    currency: invoice.currency,
    customerName: customer.name ?? undefined,
  };
  return deps.writeEmail({
    account: action.account,
    template,
    about: aboutOf(action),
    customer: customer.id,
    preferredLocales,
    email,
  });
}

/** A refused email does not count as a request: the next instruction may send it again. */
async function settle(
  deps: RetryDeps,
  action: AnyAction,
  { key, messageId, result }: { key: EmailKey; messageId: string; result: EmailResult },
): Promise<ActionResult> {
  const now = deps.clock.now();
  const { template } = key;
  if (result.kind === 'sent') {
    const sent = { state: 'sent', detail: result.response } as const;
    await retryWhileDatabaseDown(() => finishEmail(deps.database, key, sent, now));
    return { state: 'done', reason: { code: 'email_sent', template }, audit: toSent(key, { messageId }) };
  }
  const reason = { code: 'email_not_taken', answer: result.reason } as const;
  const deadline = action.createdAt.plus({ days: GIVE_UP_DAYS });
  if (result.kind === 'failed' && now <= deadline) {
    return { guard: 'mail_server', reason, until: now.plus({ minutes: RETRY_MINUTES }) };
  }
  const state = result.kind === 'refused' ? 'refused' : 'given_up';
  await finishEmail(deps.database, key, { state, detail: result.reason }, now);
  return undeliverable(action, { guard: 'mail_server', reason });
}

function toSent({ template }: EmailKey, { messageId }: { messageId: string }) {
  return { kind: 'email.sent' as const, detail: { template, messageId } };
}

interface About {
  readonly invoices: readonly [OwedInvoice, ...OwedInvoice[]];
  readonly facts: Facts;
}

/** The series that an email continues. */
async function findCampaign(
  { database, clock, config: { reminderDays } }: RetryDeps,
  action: StoredAction,
  about: About,
): Promise<EmailCampaign> {
  const now = clock.now();
  const { account, id: step, invoiceId } = action;
  const { customer, onBehalfOf: seller } = about.invoices[0].invoice;
  const invoiceIds = about.invoices.map(({ invoice }) => invoice.id);
  const recipient = customer?.email ?? undefined;
  const asked = { invoiceIds, recipient, seller, method: await about.facts.next(), now };
  const found = await readCampaign(database, { account, step }, asked);
  const lacksFunds = found.lacksFunds && !(await isToBeReplaced(about, action, now));
  return currentCampaign({ ...found, lacksFunds }, { now, invoiceId, reminderDays });
}

/** Whether the card must be replaced regardless of funds: reported as fraud, or declined for good. */
async function isToBeReplaced(
  { invoices: [{ invoice }], facts }: About,
  action: StoredAction,
  now: DateTime,
): Promise<boolean> {
  const { method, card, attempts } = await facts.card(await facts.next());
  const holds = await facts.holds();
  if (findFraudReport(card.warning, holds) !== undefined) return true;
  const declines = listBindingDeclines({ now, action, invoice, method, attempts, holds });
  return declines.some(({ class: decline }) => decline === 'needs_new_card');
}

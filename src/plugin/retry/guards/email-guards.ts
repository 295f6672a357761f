/** Guards of emails to customers, after those of collection. */
import { DateTime } from 'luxon';
import { findDecline } from '../../../core/declines/find-decline.ts';
import {
  DAYS_AFTER_LAST_REQUEST,
  lastDayForFunds,
  MIN_DAYS_BETWEEN_EMAILS,
} from '../../../core/limits/reminder-days.ts';
import { type EmailTemplate, isRequest } from '../../actions/action-kinds.ts';
import type { AnyAction, StoredAction } from '../../store/tables/retry/actions.ts';
import type { StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { type EmailCampaign, NO_CAMPAIGN } from '../../store/tables/retry/emails.ts';
import type { Obstacle } from '../actions/action-result.ts';
import { findObjection, type Guard, guard, type Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { type InvoiceHolds, wasReleasedSince } from '../invoice/invoice-holds.ts';
import type { PayableInvoice, PaymentMethodFacts } from '../invoice/payable-invoice.ts';
import { findCancelRequest } from './cancel-request.ts';
import { onSameCard } from './card-history.ts';
import { COLLECTION_GUARDS, type CollectionFacts } from './collection-guards.ts';
import { createFacts } from './facts.ts';
import { HORIZON, PAYER_DISPUTES, POSTPONED, PROCESSING, SUBSCRIBED_AGAIN } from './shared-guards.ts';

export interface EmailContext extends CollectionFacts {
  readonly action: Pick<StoredAction, 'dueAt' | 'cause'>;
  readonly template: EmailTemplate;
  /** Attempts on this invoice. */
  readonly attempts: readonly StoredAttempt[];
  /** The method to be charged next. */
  readonly method: PaymentMethodFacts | undefined;
  /** Series of emails to the address. */
  readonly campaign: EmailCampaign;
  readonly reminderDays: readonly number[];
}

/** An email delayed to the sending window must not delay the next one. */
const WINDOW_SHIFT_HOURS = 12;

const SENDING_MINUTES = 15;

/** Emails requested by an operator or a reader skip sending window and limits. */
export function isWaitedFor({ cause }: Pick<StoredAction, 'cause'>): boolean {
  return cause === 'operator' || cause === 'link_renewal';
}

const LIMITS: readonly Guard<EmailContext>[] = [
  guard('enough_emails', ({ campaign, invoice, now, reminderDays, template }) => {
    const { count, lastAt, named } = campaign;
    if (count < reminderDays.length) return undefined;
    const reason = { code: 'enough_emails', template, count } as const;
    // The address's series is about other invoices: this one starts the next.
    const until = lastAt?.plus({ days: DAYS_AFTER_LAST_REQUEST });
    if (until && named.length > 0 && !named.includes(invoice.id)) return until > now && { reason, until };
    return reason;
  }),
  guard('recent_email', ({ campaign: { lastAt, lastFor, lastTemplate }, invoice, now, template }) => {
    const since = now.minus({ days: MIN_DAYS_BETWEEN_EMAILS }).plus({ hours: WINDOW_SHIFT_HOURS });
    const isRecent = lastFor === invoice.id && lastTemplate === template && lastAt !== null && lastAt > since;
    return isRecent && { code: 'recent_email', template, days: MIN_DAYS_BETWEEN_EMAILS };
  }),
  guard('email_on_its_way', ({ campaign: { isSending }, now, template }) => {
    const until = now.plus({ minutes: SENDING_MINUTES });
    return isSending && { reason: { code: 'email_on_its_way', template }, until };
  }),
  guard('next_email_day', (context) => {
    const { now, template } = context;
    const until = findNextDay(context);
    const isEarly = until !== undefined && until.minus({ hours: WINDOW_SHIFT_HOURS }) > now;
    return isEarly && { reason: { code: 'next_email_day', template }, until };
  }),
];

export const EMAIL_GUARDS: readonly Guard<EmailContext>[] = [
  ...COLLECTION_GUARDS,
  HORIZON,
  guard('matter_of_merchant', (context) => {
    const because = findMerchantCode(onSameCard(context), context.holds);
    return because !== undefined && { code: 'merchant_matter', because };
  }),
  ...LIMITS.map(({ name, check }) =>
    guard(name, (context: EmailContext) => !isWaitedFor(context.action) && check(context)),
  ),
  // A customer who reports fraud with a card still owes, and may add another.
  guard(
    PAYER_DISPUTES.name,
    (context) => context.holds.payersDispute?.reason !== 'fraudulent' && PAYER_DISPUTES.check(context),
  ),
  SUBSCRIBED_AGAIN,
  POSTPONED,
  PROCESSING,
];

/** Days of a series count by address: a new invoice joins it. */
function findNextDay(context: EmailContext): DateTime | undefined {
  const { campaign, reminderDays, invoice, template } = context;
  const { count, firstAt, lastAt, lastFor, lastTemplate, lacksFunds } = campaign;
  if (lastAt === null) return undefined;
  const rested = lastAt.plus({ days: MIN_DAYS_BETWEEN_EMAILS });
  if (firstAt === null || !isRequest(template)) return rested;
  // The customer has acted, and needs to take another step.
  if (lastFor === invoice.id && lastTemplate !== template) return undefined;
  const day = reminderDays[count];
  if (day === undefined) return undefined;
  if (!lacksFunds && isOtherMethodRefused(context, lastAt)) return rested;
  return DateTime.max(firstAt.plus({ days: day }), rested);
}

/** Whether a card added after the last email was declined, too: then the customer hears earlier. */
function isOtherMethodRefused({ attempts, method }: EmailContext, lastAt: DateTime): boolean {
  const made = attempts.filter(({ outcome }) => outcome !== null && outcome !== 'not_executed');
  const own = onSameCard({ attempts: made, method });
  const isBefore = ({ startedAt }: StoredAttempt) => startedAt <= lastAt;
  return own.length > 0 && made.some(isBefore) && !own.some(isBefore);
}

/** A finished series does not cover a later debt. */
export function currentCampaign(
  campaign: EmailCampaign,
  { now, invoiceId, reminderDays }: { now: DateTime; invoiceId: string; reminderDays: readonly number[] },
): EmailCampaign {
  const { count, lastAt, lastNamed } = campaign;
  const hasEnded =
    count >= daysOfCampaign(campaign, reminderDays).length &&
    lastAt !== null &&
    lastAt <= now.minus({ days: DAYS_AFTER_LAST_REQUEST });
  return hasEnded && !lastNamed.includes(invoiceId)
    ? { ...NO_CAMPAIGN, isFollowUp: true, lacksFunds: campaign.lacksFunds }
    : campaign;
}

/** A customer who ignored a series, or lacks funds, gets two emails: the first request and the last notice. Emails sent so far count. */
export function daysOfCampaign(
  {
    count,
    isFollowUp,
    lacksFunds,
    hasLast,
  }: Pick<EmailCampaign, 'count' | 'isFollowUp' | 'lacksFunds' | 'hasLast'>,
  reminderDays: readonly number[],
): readonly number[] {
  const last = reminderDays.length - 1;
  const sent = reminderDays.slice(0, Math.max(count, 1));
  if ((!isFollowUp && !lacksFunds) || sent.length > last) return reminderDays;
  if (hasLast) return sent;
  return [...sent, ...(lacksFunds ? [lastDayForFunds(reminderDays)] : reminderDays.slice(last))];
}

export async function findEmailObjection(
  deps: RetryDeps,
  action: StoredAction,
  invoice: PayableInvoice,
  about: Pick<EmailContext, 'template' | 'campaign'>,
): Promise<Obstacle | undefined> {
  const facts = createFacts(deps, action.account, invoice);
  const collection = await facts.collection(deps.config);
  const asked = {
    ...collection,
    ...about,
    action,
    attempts: await facts.recorded(),
    method: await facts.next(),
  };
  return judgeEmail(asked, { ...deps.config, canSend: deps.mailer !== undefined });
}

/** Judges known facts. Pure. */
export function judgeEmail(
  asked: Omit<EmailContext, 'action' | 'reminderDays'> & { readonly action: StoredAction },
  { reminderDays, canSend }: Pick<EmailContext, 'reminderDays'> & { readonly canSend: boolean },
): Obstacle | undefined {
  const { action, campaign, afterCancelRequest, invoice } = asked;
  const isToEnd = afterCancelRequest === 'ask' && findCancelRequest(asked) !== undefined;
  const objection = findObjection(EMAIL_GUARDS, {
    ...asked,
    reminderDays: isToEnd ? [0] : daysOfCampaign(campaign, reminderDays),
  });
  if (objection !== undefined) return objection;
  if (!invoice.customer?.email) {
    const reason = { code: 'no_address', customerId: invoice.customerId } as const;
    return undeliverable(action, { guard: 'recipient', reason });
  }
  if (!canSend) return undeliverable(action, { guard: 'mail_server', reason: { code: 'no_mail_server' } });
  return undefined;
}

/** An email that cannot be sent until a person fixes the cause; it is shown to the operator. */
export function undeliverable(action: Pick<AnyAction, 'kind'>, { guard, reason }: Objection): Obstacle {
  const detail = { action: action.kind, guard, reason };
  return { guard, reason, audit: { kind: 'email.undeliverable', detail } };
}

/**
 * The code of the latest attempt if it is of class `merchant`: a block by Stripe must not be shown, the deceased are not written to, and
 * the merchant's own faults are not the customer's to fix (stripe-facts 5.4, 5.9). A release settles it.
 */
export function findMerchantCode(
  attempts: readonly StoredAttempt[],
  holds: InvoiceHolds,
): string | undefined {
  const last = attempts.findLast(({ outcome }) => outcome !== null && outcome !== 'not_executed');
  if (last && wasReleasedSince(holds, last.startedAt)) return undefined;
  return [last?.declineCode, last?.code].find(
    (code): code is string => findDecline(code)?.class === 'merchant',
  );
}

/** Why a customer is not mailed about an invoice: the guards of collection, and those of mails. */
import type { DateTime } from 'luxon';
import { MIN_DAYS_BETWEEN_MAILS } from '../../config/reminder-days.ts';
import { isOfOperator } from '../../contract/action-origin.ts';
import { findDecline } from '../../declines/find-decline.ts';
import type { EmailTemplate } from '../../email/mail-texts.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { listAttemptsOfInvoice, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { readSentEmails } from '../../store/tables/retry/emails.ts';
import type { Obstacle } from '../actions/action-result.ts';
import { findObjection, type Guard, type Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { type InvoiceHolds, readHolds, wasReleasedSince } from '../invoice/invoice-holds.ts';
import type { PayableInvoice } from '../invoice/payable-invoice.ts';
import { startOf } from './card-history.ts';
import { COLLECTION_GUARDS, type CollectionFacts } from './collection-guards.ts';
import { HORIZON } from './lateness.ts';
import { POSTPONED } from './postponement.ts';
import { PROCESSING } from './processing.ts';

export interface MailContext extends CollectionFacts {
  readonly now: DateTime;
  readonly action: Pick<StoredAction, 'dueAt' | 'origin'>;
  readonly horizonDays: number;
  readonly template: EmailTemplate;
  /** On this invoice. */
  readonly attempts: readonly StoredAttempt[];
  /** Mails of this template about this invoice. */
  readonly sent: Awaited<ReturnType<typeof readSentEmails>>;
  readonly maxMails: number;
}

/** One that waited for the customer's hours went out later than it was asked for; the next one may not. */
const WINDOW_SHIFT_HOURS = 12;

export const MAIL_GUARDS: readonly Guard<MailContext>[] = [
  ...COLLECTION_GUARDS,
  HORIZON,
  {
    name: 'matter_of_merchant',
    check: ({ attempts, holds }) => {
      const because = findMerchantCode(attempts, holds);
      return because === undefined ? undefined : { reason: { code: 'merchant_matter', because } };
    },
  },
  {
    name: 'enough_emails',
    check: ({ action, sent: { count }, maxMails, template }) =>
      count >= maxMails && !isOfOperator(action.origin)
        ? { reason: { code: 'enough_mails', template, count } }
        : undefined,
  },
  {
    name: 'recent_email',
    check: ({ action, sent: { lastAt }, now, template }) => {
      if (isOfOperator(action.origin)) return undefined;
      const since = now.minus({ days: MIN_DAYS_BETWEEN_MAILS }).plus({ hours: WINDOW_SHIFT_HOURS });
      return lastAt !== null && lastAt.getTime() > since.toMillis()
        ? { reason: { code: 'recent_mail', template, days: MIN_DAYS_BETWEEN_MAILS } }
        : undefined;
    },
  },
  POSTPONED,
  PROCESSING,
];

export async function findMailObjection(
  deps: RetryDeps,
  action: StoredAction,
  invoice: PayableInvoice,
  template: EmailTemplate,
): Promise<Obstacle | undefined> {
  const { database, clock, config } = deps;
  const { account, invoiceId } = action;
  const objection = findObjection(MAIL_GUARDS, {
    ...{ now: clock.now(), action, invoice, template },
    holds: await readHolds(database, account, invoiceId),
    attempts: await listAttemptsOfInvoice(database, account, invoiceId),
    sent: await readSentEmails(database, { account, invoiceId, template, step: action.id }),
    recoverSignUps: config.recoverSignUps,
    horizonDays: config.horizonDays,
    maxMails: config.reminderDays.length,
  });
  if (objection !== undefined) return objection;
  if (!invoice.customer?.email) {
    const reason = { code: 'no_address', customerId: invoice.customerId } as const;
    return undeliverable(action, { guard: 'recipient', reason });
  }
  if (!deps.mailer)
    return undeliverable(action, { guard: 'mail_server', reason: { code: 'no_mail_server' } });
  return undefined;
}

/** A mail would be right, and a person must see to it that it can go out: it is shown to the operator. */
export function undeliverable(action: StoredAction, { guard, reason }: Objection): Obstacle {
  const detail = { action: action.kind, guard, reason };
  return { guard, reason, audit: { kind: 'email.undeliverable', detail } };
}

/**
 * The code of the latest attempt, if it is one of the class `merchant`: a block by Stripe or a block list must not be shown,
 * a death is not to be written to, and a fault of the merchant's own is not the customer's to fix
 * (stripe-facts 5.4, 5.9). A person's release says that it is fixed.
 */
function findMerchantCode(attempts: readonly StoredAttempt[], holds: InvoiceHolds): string | undefined {
  const last = attempts.findLast(({ outcome }) => outcome !== null && outcome !== 'not_executed');
  if (last && wasReleasedSince(holds, startOf(last))) return undefined;
  return [last?.declineCode, last?.code].find(
    (code): code is string => findDecline(code ?? undefined)?.class === 'merchant',
  );
}

/** Why a customer is not mailed about an invoice. */
import { MIN_DAYS_BETWEEN_MAILS } from '../../config/reminder-days.ts';
import { findDecline } from '../../declines/find-decline.ts';
import type { EmailTemplate } from '../../email/mail-texts.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { listAttemptsOfInvoice, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { readSentEmails } from '../../store/tables/retry/emails.ts';
import type { Obstacle } from '../actions/action-result.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { PayableInvoice } from '../payment/payable-invoice.ts';
import { startOf } from './card-history.ts';
import { findCollectionObjection } from './collection-rules.ts';
import { type InvoiceHolds, readHolds, wasReleasedSince } from './invoice-holds.ts';
import { findLateness } from './lateness.ts';
import type { Objection } from './objection.ts';

/** One that waited for the customer's hours went out later than it was asked for; the next one may not. */
const WINDOW_SHIFT_HOURS = 12;

export async function findMailObjection(
  deps: RetryDeps,
  action: StoredAction,
  invoice: PayableInvoice,
  template: EmailTemplate,
): Promise<Obstacle | undefined> {
  const say = await readHolds(deps.database, action.account, action.invoiceId);
  const withheld =
    findCollectionObjection({ invoice, say, recoverSignUps: deps.config.recoverSignUps }) ??
    (await objectToMoment(deps, action, { template, say }));
  if (withheld !== undefined) return withheld;
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
  return { guard, reason, told: { kind: 'email.undeliverable', detail } };
}

async function objectToMoment(
  deps: RetryDeps,
  action: StoredAction,
  { template, say }: { template: EmailTemplate; say: InvoiceHolds },
): Promise<Objection | undefined> {
  const { account, invoiceId } = action;
  const late = findLateness(action, deps.clock.now(), deps.config.horizonDays);
  if (late !== undefined) return { guard: 'horizon', ...late };
  const attempts = await listAttemptsOfInvoice(deps.database, account, invoiceId);
  const because = findMattersOfMerchant(attempts, say);
  if (because !== undefined)
    return { guard: 'matter_of_merchant', reason: { code: 'merchant_matter', because } };
  const since = deps.clock.now().minus({ days: MIN_DAYS_BETWEEN_MAILS }).plus({ hours: WINDOW_SHIFT_HOURS });
  const { count, lastAt } = await readSentEmails(deps.database, {
    account,
    invoiceId,
    template,
    step: action.id,
  });
  if (count >= deps.config.reminderDays.length)
    return { guard: 'enough_emails', reason: { code: 'enough_mails', template, count } };
  return lastAt !== null && lastAt.getTime() > since.toMillis()
    ? { guard: 'recent_email', reason: { code: 'recent_mail', template, days: MIN_DAYS_BETWEEN_MAILS } }
    : undefined;
}

/**
 * The code of the latest attempt, if it is one of the class `merchant`: a block by Stripe or a block list is not to be told,
 * a death is not to be written to, and a fault of the merchant's own is not the customer's to mend
 * (stripe-facts 5.4, 5.9). A person's release says that it is mended.
 */
function findMattersOfMerchant(attempts: readonly StoredAttempt[], say: InvoiceHolds): string | undefined {
  const last = attempts.findLast(({ outcome }) => outcome !== null && outcome !== 'not_executed');
  if (last && wasReleasedSince(say, startOf(last))) return undefined;
  return [last?.declineCode, last?.code].find(
    (code): code is string => findDecline(code ?? undefined)?.class === 'merchant',
  );
}

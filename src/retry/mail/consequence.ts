/** What a mail says will happen if an invoice stays unpaid, and until when it will not. */
import { DateTime } from 'luxon';
import { DAYS_AFTER_LAST_REQUEST, RECOVERY_DAYS } from '../../config/reminder-days.ts';
import type { Consequence, MailStep } from '../../email/customer-email.ts';
import { listAttemptsOfInvoice } from '../../store/tables/retry/attempts.ts';
import { type EmailKey, readSentEmails } from '../../store/tables/retry/emails.ts';
import { type InvoiceKey, isTakenOver } from '../../store/tables/retry/takeovers.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { PayableInvoice } from '../invoice/payable-invoice.ts';

type Deps = Pick<RetryDeps, 'config' | 'database'>;

/** Which of the mails about an invoice one is, and what it says to happen otherwise. */
export interface Notice {
  readonly step: MailStep;
  readonly consequence: Consequence | undefined;
  /** Until then nothing is ended. */
  readonly promisedAt: DateTime | undefined;
}

/** The last one names the day. */
export async function readNotice(
  deps: Deps & Pick<RetryDeps, 'clock'>,
  key: EmailKey,
  { invoice, zone }: { invoice: Pick<PayableInvoice, 'subscription'>; zone: string },
): Promise<Notice> {
  const { count } = await readSentEmails(deps.database, key);
  const isLast = count > 0 && count >= deps.config.reminderDays.length - 1;
  const day = isLast ? await choosePromise(deps, key, { now: deps.clock.now(), zone }) : undefined;
  const hasSubscription = invoice.subscription !== undefined;
  const consequence = await findConsequence(deps, key, { hasSubscription, promisedAt: day });
  const step = count === 0 ? 'first' : 'reminder';
  return { step: isLast ? 'last' : step, consequence, promisedAt: consequence?.at };
}

/**
 * Only where it is ours to do, a mail names it with its day; else Stripe's own setting, or a person, decides. Undefined
 * where nothing ends.
 */
export async function findConsequence(
  { config, database }: Deps,
  key: InvoiceKey,
  { hasSubscription, promisedAt }: { hasSubscription: boolean; promisedAt: DateTime | undefined },
): Promise<Consequence | undefined> {
  const { mode, afterGivingUp: choice } = config;
  if (!hasSubscription) return undefined;
  if (mode !== 'exclusive' || choice === 'leave' || !(await isTakenOver(database, key)))
    return { kind: 'may_stop' };
  if (choice === 'uncollectible') return undefined;
  return promisedAt === undefined ? { kind: 'may_stop' } : { kind: choice, at: promisedAt };
}

/**
 * Until the end of that day nothing is ended. As long as the embedded service would still ask, and long enough to act on the
 * mail.
 */
async function choosePromise(
  { database }: Pick<Deps, 'database'>,
  { account, invoiceId }: InvoiceKey,
  { now, zone }: { now: DateTime; zone: string },
): Promise<DateTime> {
  const [first] = await listAttemptsOfInvoice(database, account, invoiceId);
  const began = first ? DateTime.fromJSDate(first.startedAt, { zone: 'utc' }) : now;
  const end = DateTime.max(began.plus({ days: RECOVERY_DAYS }), now.plus({ days: DAYS_AFTER_LAST_REQUEST }));
  return end.setZone(zone).endOf('day').startOf('second');
}

/** The consequence of an unpaid invoice in an email, and its date. */
import { DateTime } from 'luxon';
import { DAYS_AFTER_LAST_REQUEST, RECOVERY_DAYS } from '../../../core/limits/reminder-days.ts';
import { isRequest, type SeriesTemplate } from '../../actions/action-kinds.ts';
import type { Consequence } from '../../mails/customer-email.ts';
import type { EmailStep } from '../../mails/email-texts.ts';
import { listAttemptsOfInvoice } from '../../store/tables/retry/attempts.ts';
import type { EmailCampaign } from '../../store/tables/retry/emails.ts';
import { type InvoiceKey, isTakenOver } from '../../store/tables/retry/takeovers.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { daysOfCampaign } from '../guards/email-guards.ts';
import type { OwedInvoice } from './owed-together.ts';

type Deps = Pick<RetryDeps, 'config' | 'database'>;

/** Place of an email in its series, and the consequence it names. */
export interface Notice {
  readonly step: EmailStep;
  readonly consequence: Consequence | undefined;
  /** Nothing is ended before. */
  readonly promisedAt: DateTime | undefined;
}

/** The last notice and the first name the date. An email without earlier invoices is no reminder. */
export async function readNotice(
  deps: Deps & Pick<RetryDeps, 'clock'>,
  account: string,
  {
    invoices,
    campaign,
    zone,
    template,
  }: {
    invoices: readonly [OwedInvoice, ...OwedInvoice[]];
    campaign: EmailCampaign;
    zone: string;
    template: SeriesTemplate;
  },
): Promise<Notice> {
  const keys = invoices.map(({ invoice }) => ({ account, invoiceId: invoice.id }));
  const { count, named } = campaign;
  const isNotice = !isRequest(template);
  const isLast =
    !isNotice && count > 0 && count >= daysOfCampaign(campaign, deps.config.reminderDays).length - 1;
  const day =
    isLast || isNotice ? await choosePromise(deps, keys, { now: deps.clock.now(), zone }) : undefined;
  const subscriptions = countAtStake(invoices);
  const consequence = await findConsequence(deps, keys, { subscriptions, promisedAt: day });
  const isFirst = count === 0 || isNotice || !keys.some(({ invoiceId }) => named.includes(invoiceId));
  const step = isLast ? 'last' : 'reminder';
  return { step: isFirst ? 'first' : step, consequence, promisedAt: consequence?.at };
}

/** Number of subscriptions that may be stopped, without those canceled by the customer. */
export function countAtStake(invoices: readonly Pick<OwedInvoice, 'invoice'>[]): number {
  const known = invoices.flatMap(({ invoice: { subscription } }) => subscription ?? []);
  return new Set(known.filter(({ endsAt }) => endsAt === undefined).map(({ id }) => id)).size;
}

/** Names our own ending with its date; otherwise Stripe's setting or a person decides. Undefined if nothing ends. */
export async function findConsequence(
  { config, database }: Deps,
  keys: readonly InvoiceKey[],
  { subscriptions, promisedAt }: { subscriptions: number; promisedAt: DateTime | undefined },
): Promise<Consequence | undefined> {
  const { mode, afterGivingUp: choice } = config;
  if (subscriptions === 0) return undefined;
  const areSeveral = subscriptions > 1;
  const taken = await Promise.all(keys.map((key) => isTakenOver(database, key)));
  if (mode !== 'exclusive' || choice === 'leave' || !taken.includes(true))
    return { kind: 'may_stop', areSeveral };
  if (choice === 'uncollectible') return undefined;
  return promisedAt === undefined
    ? { kind: 'may_stop', areSeveral }
    : { kind: choice, areSeveral, at: promisedAt };
}

/** The end of the day until which nothing is ended: as long as the embedded service would ask, and enough time to act. */
async function choosePromise(
  { database }: Pick<Deps, 'database'>,
  keys: readonly InvoiceKey[],
  { now, zone }: { now: DateTime; zone: string },
): Promise<DateTime> {
  const ends = [now.plus({ days: DAYS_AFTER_LAST_REQUEST })];
  for (const { account, invoiceId } of keys) {
    const [first] = await listAttemptsOfInvoice(database, account, invoiceId);
    const began = first?.startedAt ?? now;
    ends.push(began.plus({ days: RECOVERY_DAYS }));
  }
  const end = ends.reduce((latest, one) => DateTime.max(latest, one));
  return end.setZone(zone).endOf('day').startOf('second');
}

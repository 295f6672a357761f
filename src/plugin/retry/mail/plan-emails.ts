/** Plans emails that only depend on time, each once, in any number of processes. */
import { DateTime } from 'luxon';
import { RECOVERY_DAYS } from '../../../core/limits/reminder-days.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { listExpiringCards, listUnannounced } from '../../store/tables/retry/unannounced.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

type Deps = Pick<RetryDeps, 'database' | 'enqueue' | 'config' | 'clock'>;
type Planned = Parameters<typeof planAction>[2];

const LIMIT = 1_000;

/** Plans at most once an hour: it reads many rows. */
export function createEmailPlanner(deps: Deps): () => Promise<void> {
  const { database, clock } = deps;
  let next: DateTime | undefined;
  return async () => {
    const now = clock.now();
    if (next && now < next && now.plus({ hours: 1 }) >= next) return;
    for (const list of [listRenewalsAtRisk, listFirstNotices])
      for (const action of await list(deps, now))
        await database.transaction((tx) => planAction(deps, tx, action));
    next = now.plus({ hours: 1 });
  };
}

/** Emails before a renewal whose card expires, or that has no method left. */
async function listRenewalsAtRisk({ database, config }: Deps, now: DateTime): Promise<Planned[]> {
  const { cardExpiryMailDays: days } = config;
  if (days === 0) return [];
  const found = await listExpiringCards(database, { from: now, to: now.plus({ days }), limit: LIMIT });
  return found.map(({ account, subscriptionId, customerId, lost }) => ({
    account,
    cause: 'renewal_at_risk',
    reference: lost,
    kind: 'expiring_card_email',
    invoiceId: null,
    subscriptionId,
    customerId,
    createdAt: now,
  }));
}

const MINUTES_A_DAY = 1_440;
/** A customer has one action at a time: a payment due now goes first. */
const AFTER_PAYMENTS_MINUTES = 2;
/** Time between two checks, and until a planned email is sent. */
const LOOK_MINUTES = 60;
const SENDING_MINUTES = 15;

/** An email about each failed invoice within FIRST_EMAIL_WITHIN_DAYS, independent of retries, early enough for the customer's sending window. */
async function listFirstNotices({ database, config }: Deps, now: DateTime): Promise<Planned[]> {
  const { firstEmailWithinDays: days } = config;
  if (days === undefined) return [];
  const { fromMinute, toMinute } = config.emailWindow;
  const closedMinutes = (MINUTES_A_DAY + fromMinute - toMinute) % MINUTES_A_DAY;
  const from = now.minus({ days: RECOVERY_DAYS });
  const lead = closedMinutes + LOOK_MINUTES + AFTER_PAYMENTS_MINUTES + SENDING_MINUTES;
  const to = DateTime.min(now, now.minus({ days }).plus({ minutes: lead }));
  const afterPayments = now.plus({ minutes: AFTER_PAYMENTS_MINUTES });
  const found = await listUnannounced(database, { from, to, paymentsUntil: afterPayments, limit: LIMIT });
  return found.map(({ account, invoiceId, customerId, subscriptionId, isPaymentDue }) => ({
    account,
    cause: 'first_notice',
    reference: invoiceId,
    kind: 'failure_notice_email',
    invoiceId,
    customerId: customerId ?? undefined,
    subscriptionId: subscriptionId ?? undefined,
    dueAt: isPaymentDue ? afterPayments : now,
    createdAt: now,
  }));
}

/** Notifies a customer of a failed payment within FIRST_EMAIL_WITHIN_DAYS, independent of retries. */
import { DateTime } from 'luxon';
import { RECOVERY_DAYS } from '../../../core/limits/reminder-days.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { listUnannounced } from '../../store/tables/retry/unannounced.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

type Deps = Pick<RetryDeps, 'database' | 'enqueue' | 'config' | 'clock'>;

const LIMIT = 1_000;
const MINUTES_A_DAY = 1_440;
/** A customer has one action at a time: a payment due now goes first. */
const AFTER_PAYMENTS_MINUTES = 2;
/** Time between two checks, and until a planned email is sent. */
const LOOK_MINUTES = 60;
const SENDING_MINUTES = 15;

/** Plans one email an invoice, in any number of processes, early enough for the customer's sending window. */
export async function planFirstNotices({ database, enqueue, config, clock }: Deps): Promise<void> {
  const { firstEmailWithinDays: days } = config;
  if (days === undefined) return;
  const now = clock.now();
  const { fromMinute, toMinute } = config.emailWindow;
  const closedMinutes = (MINUTES_A_DAY + fromMinute - toMinute) % MINUTES_A_DAY;
  const from = now.minus({ days: RECOVERY_DAYS });
  const lead = closedMinutes + LOOK_MINUTES + AFTER_PAYMENTS_MINUTES + SENDING_MINUTES;
  const to = DateTime.min(now, now.minus({ days }).plus({ minutes: lead }));
  const afterPayments = now.plus({ minutes: AFTER_PAYMENTS_MINUTES });
  const found = await listUnannounced(database, { from, to, paymentsUntil: afterPayments, limit: LIMIT });
  for (const { account, invoiceId, customerId, subscriptionId, isPaymentDue } of found) {
    await database.transaction((tx) =>
      planAction({ enqueue }, tx, {
        account,
        cause: 'first_notice',
        reference: invoiceId,
        kind: 'failure_notice_email',
        invoiceId,
        customerId: customerId ?? undefined,
        subscriptionId: subscriptionId ?? undefined,
        dueAt: isPaymentDue ? afterPayments : now,
        createdAt: now,
      }),
    );
  }
}

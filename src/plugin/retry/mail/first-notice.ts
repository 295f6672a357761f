/** A customer hears of a failed payment within FIRST_EMAIL_WITHIN_DAYS, whatever the timing of retries expects. */
import { DateTime } from 'luxon';
import { RECOVERY_DAYS } from '../../../core/limits/reminder-days.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { listUnannounced } from '../../store/tables/retry/unannounced.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

type Deps = Pick<RetryDeps, 'database' | 'enqueue' | 'config' | 'clock'>;

const LIMIT = 1_000;
const MINUTES_A_DAY = 1_440;
/** One action of a customer runs at a time: a payment that is due now comes first. */
const AFTER_PAYMENTS_MINUTES = 2;
/** Between two looks. */
const LOOK_MINUTES = 60;

/**
 * Plans the email of each invoice once, in any number of processes. Early enough that the customer's hours do not hold it back
 * for too long.
 */
export async function planFirstNotices({ database, enqueue, config, clock }: Deps): Promise<void> {
  const { firstEmailWithinDays: days } = config;
  if (days === undefined) return;
  const now = clock.now();
  const { fromMinute, toMinute } = config.emailWindow;
  const closedMinutes = (MINUTES_A_DAY + fromMinute - toMinute) % MINUTES_A_DAY;
  const from = now.minus({ days: RECOVERY_DAYS });
  const to = DateTime.min(now, now.minus({ days }).plus({ minutes: closedMinutes + LOOK_MINUTES }));
  for (const { account, invoiceId, customerId, subscriptionId } of await listUnannounced(database, {
    from,
    to,
    limit: LIMIT,
  })) {
    await database.transaction((tx) =>
      planAction({ enqueue }, tx, {
        account,
        cause: 'first_notice',
        reference: invoiceId,
        kind: 'failure_notice_email',
        invoiceId,
        customerId: customerId ?? undefined,
        subscriptionId: subscriptionId ?? undefined,
        dueAt: now.plus({ minutes: AFTER_PAYMENTS_MINUTES }),
        createdAt: now,
      }),
    );
  }
}

import { NEED_ROWS } from '../../operator/text/describe-need.ts';
import { sumAccountMoney } from '../../store/reports/money/account-money.ts';
import { type Failure, listFailures } from '../../store/reports/money/list-failures.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import type { AnswerDeps, Asked } from '../define-request.ts';

const RECOVERED_DAYS = 30;
const DUE_DAYS = 7;

/** With so many invoices that need a person, the latest failures first. */
export function answerOverview(limit: number) {
  return async ({ database, clock }: AnswerDeps, { account }: Asked): Promise<object> => {
    const now = clock.now();
    const period = {
      recoveredSince: now.minus({ days: RECOVERED_DAYS }),
      dueUntil: now.plus({ days: DUE_DAYS }),
    };
    const pause = await findPause(database, account);
    const filter = { account, standing: 'needs_you' } as const;
    const attention = await listFailures(database, filter, { sort: 'failed', limit });
    return {
      money: await sumAccountMoney(database, account, period),
      recoveredDays: RECOVERED_DAYS,
      dueDays: DUE_DAYS,
      attention: attention.map(toAttention),
      pausedSince: pause?.pausedAt ?? null,
    };
  };
}

/** In the console's words. */
function toAttention({ invoiceId, customerName, customerEmail, amount, currency, need }: Failure): object {
  const why = need === null ? '' : NEED_ROWS[need].words;
  return { invoiceId, customer: customerName ?? customerEmail, amount, currency, why };
}

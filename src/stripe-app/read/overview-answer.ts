import { listAwaitingPerson, sumAccountMoney } from '../../store/reports/money/account-money.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import type { AnswerDeps, Asked } from '../define-request.ts';

const RECOVERED_DAYS = 30;
const DUE_DAYS = 7;
const MOST_WAITING = 10;

export async function answerOverview({ database, clock }: AnswerDeps, { account }: Asked): Promise<object> {
  const now = clock.now();
  const period = {
    recoveredSince: now.minus({ days: RECOVERED_DAYS }),
    dueUntil: now.plus({ days: DUE_DAYS }),
  };
  const pause = await findPause(database, account);
  return {
    money: await sumAccountMoney(database, account, period),
    recoveredDays: RECOVERED_DAYS,
    dueDays: DUE_DAYS,
    needsDecision: await listAwaitingPerson(database, account, MOST_WAITING),
    pausedSince: pause?.pausedAt ?? null,
  };
}

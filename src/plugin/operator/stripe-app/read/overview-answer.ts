import type { DateTime } from 'luxon';
import { sumAccountMoney } from '../../../store/reports/money/account-money.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import { NEEDS } from '../../../store/reports/money/needs.ts';
import { findPause } from '../../../store/tables/retry/pauses.ts';
import { listNeeds } from '../../lists/needs-you.ts';
import { findAwaitedUntil } from '../../text/describe-need.ts';
import type { AnswerDeps, AppQuery } from '../define-request.ts';
import { listShown, namePayer, showNeed } from './shown-failure.ts';

const RECOVERED_DAYS = 30;
const DUE_DAYS = 7;
/** Beside a list of the Dashboard there is little room. */
const MOST = 10;
const MOST_OF_CAUSE = 25;

/** The sums, and the latest failures that need a person. */
export async function answerOverview(deps: AnswerDeps, { account }: AppQuery): Promise<object> {
  const filter = { account, standing: 'needs_you' } as const;
  const attention = await listShown(deps.database, filter, MOST);
  const now = deps.clock.now();
  return { ...(await readSums(deps, account)), attention: attention.map((one) => toAttention(one, now)) };
}

/** All that needs a person, by cause, each with what helps: as the console's page does. */
export async function answerWorkList(deps: AnswerDeps, { account, abilities }: AppQuery): Promise<object> {
  const groups = await listNeeds(deps.database, MOST_OF_CAUSE, account);
  const now = deps.clock.now();
  return {
    ...(await readSums(deps, account)),
    mayOperate: abilities.includes('operate'),
    causes: groups.flatMap(({ code, count, money, invoices }) => {
      const need = NEEDS.find((one) => one === code);
      if (need === undefined) return [];
      return [
        {
          code,
          ...showNeed(need),
          count,
          money,
          invoices: invoices.map((failure) => toAttention(failure, now)),
        },
      ];
    }),
  };
}

async function readSums({ database, clock }: AnswerDeps, account: string): Promise<object> {
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
    pausedSince: pause?.pausedAt ?? null,
  };
}

function toAttention(failure: Failure, now: DateTime): object {
  const { invoiceId, customerId, amount, currency, need } = failure;
  const why = need === null ? '' : showNeed(need).words;
  const waitUntil = findAwaitedUntil(failure, now) ?? null;
  return { invoiceId, customerId, customer: namePayer(failure), amount, currency, why, waitUntil };
}

/** The account as a whole: the outcome of two months' failures, and the invoices that need attention. */
import type { DateTime } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import type { Database } from '../../../core/database/database.ts';
import {
  type Failure,
  type FailureFilter,
  type ListedSum,
  sumListed,
} from '../../store/reports/money/list-failures.ts';
import { NEEDS } from '../../store/reports/money/needs.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import { listNeeds } from '../lists/needs-attention.ts';
import { findAwaitedUntil } from '../text/describe-need.ts';
import type { AttentionInvoice, Cause, MonthSum, Sum, WorkAnswer } from './answers.ts';
import type { AnswerDeps, AppQuery } from './define-request.ts';
import { namePayer, showNeed } from './shown-failure.ts';

const MOST_OF_CAUSE = 25;

export async function answerWork(
  { database, clock, config: { timeZone } }: AnswerDeps,
  { account, abilities }: AppQuery,
): Promise<WorkAnswer> {
  const now = clock.now();
  // Refreshes the rows that the sums read.
  const groups = await listNeeds(database, MOST_OF_CAUSE, { account });
  const pause = await findPause(database, account);
  const month = now.setZone(timeZone).startOf('month');
  const unpaid = await sumListed(database, { account, standing: 'unpaid' });
  return {
    pausedSince: pause ? toIso(pause.pausedAt) : null,
    months: [
      await sumMonth(database, account, month),
      await sumMonth(database, account, month.minus({ months: 1 })),
    ],
    timeZone,
    unpaid: (unpaid ?? []).map(({ currency, invoices, amount }) => ({ currency, invoices, amount })),
    mayOperate: abilities.includes('operate'),
    causes: groups.flatMap(({ code, count, money, invoices }): Cause[] => {
      const need = NEEDS.find((one) => one === code);
      if (need === undefined) return [];
      const shown = invoices.map((failure) => toAttention(failure, now));
      return [{ code, ...showNeed(need), count, money, invoices: shown }];
    }),
  };
}

/** Sums by the month of the first failure, like the console's overview. */
async function sumMonth(
  database: Database,
  account: string,
  month: DateTime,
): Promise<WorkAnswer['months'][number]> {
  const span = {
    account,
    from: toIso(month),
    to: toIso(month.plus({ months: 1 })),
  };
  const sum = async (outcome: FailureFilter) => (await sumListed(database, { ...span, ...outcome })) ?? [];
  const recovered = await sum({ state: 'recovered' });
  const inRecovery = await sum({ standing: 'unpaid' });
  const lost = await sum({ state: 'lost' });
  const currencies = new Set([...recovered, ...inRecovery, ...lost].map(({ currency }) => currency));
  const sums = [...currencies].sort().map((currency): MonthSum => {
    const of = (all: readonly ListedSum[]): Sum => {
      const { invoices = 0, amount = 0 } = all.find((one) => one.currency === currency) ?? {};
      return { invoices, amount };
    };
    const parts = { recovered: of(recovered), inRecovery: of(inRecovery), lost: of(lost) };
    const failed = Object.values(parts).reduce((all, { invoices, amount }) => ({
      invoices: all.invoices + invoices,
      amount: all.amount + amount,
    }));
    return { currency, failed, ...parts };
  });
  return { month: month.toFormat('yyyy-MM'), sums };
}

function toAttention(failure: Failure, now: DateTime): AttentionInvoice {
  const { invoiceId, customerId, amount, currency } = failure;
  const until = findAwaitedUntil(failure, now);
  const waitUntil = until === undefined ? null : toIso(until);
  return { invoiceId, customerId, customer: namePayer(failure), amount, currency, waitUntil };
}

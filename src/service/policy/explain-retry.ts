/** Why a time was chosen. */
import { DateTime } from 'luxon';
import { toIsoSeconds } from '../../core/base/clock.ts';
import type { DecisionReason } from '../reasons/decision-reason.ts';
import { limitsOf } from './caps.ts';
import type { PaymentCase } from './payment-case.ts';
import { STATIC_DAYS } from './timing/static-schedule.ts';
import type { TimedRetry } from './timing/time-retry.ts';

export function explainRetry(
  retry: TimedRetry,
  paymentCase: PaymentCase,
  { made, unexplained }: { made: number; unexplained: number | undefined },
): DecisionReason[] {
  const { perInvoice, unexplained: mostUnexplained } = limitsOf(paymentCase);
  return [
    explainTime(retry, momentOf(retry.ms, paymentCase)),
    { code: 'retries_used', used: made - 1, max: perInvoice - 1 },
    ...(unexplained === undefined
      ? []
      : [{ code: 'unexplained_declines', count: unexplained, max: mostUnexplained } as const]),
  ];
}

export function explainDebit(
  ms: number,
  paymentCase: PaymentCase,
  { made, methodType }: { made: number; methodType: string },
): DecisionReason[] {
  return [
    { code: 'bank_day', ...momentOf(ms, paymentCase), methodType },
    { code: 'presentments_used', used: made, max: limitsOf(paymentCase).debitPresentments },
  ];
}

function momentOf(ms: number, { zone }: PaymentCase): Record<'at' | 'zone', string> {
  return { at: toIsoSeconds(DateTime.fromMillis(ms)), zone };
}

function explainTime(retry: TimedRetry, moment: ReturnType<typeof momentOf>): DecisionReason {
  if (retry.way === 'static_schedule') return { code: retry.way, ...moment, days: [...STATIC_DAYS] };
  if (retry.way !== 'morning') return { code: retry.way, ...moment };
  const { kind, share, schedule } = retry.because;
  const named = { ...moment, percent: Math.round(100 * share) };
  if (schedule) return { code: 'pay_schedule', ...named, cycle: schedule.cycle, days: [...schedule.days] };
  if (kind === 'payday') return { code: 'pay_day_of_several', ...named };
  return { code: kind === 'passes' ? 'obstacle_passes' : 'no_pay_day', ...named };
}

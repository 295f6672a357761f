/** Why a time was chosen. */
import { DateTime } from 'luxon';
import { toIsoSeconds } from '../../core/base/clock.ts';
import type { DecisionReason } from '../reasons/decision-reason.ts';
import { PAY_SCHEDULES } from './calendar/pay-calendar.ts';
import { limitsOf } from './caps.ts';
import { HYPOTHESES } from './learning/hypotheses.ts';
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
    { ...momentOf(retry.ms, paymentCase), ...explainTime(retry) },
    { code: 'attempts_used', used: made, max: perInvoice },
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

function momentOf(ms: number, { zone }: PaymentCase): { at: string; zone: string } {
  return { at: toIsoSeconds(DateTime.fromMillis(ms)), zone };
}

type Explained = Extract<DecisionReason, { at: string }>;
type WithoutMoment<Reason> = Reason extends Explained ? Omit<Reason, 'at' | 'zone'> : never;

/** A schedule is named when it speaks for most of the gain; else what is behind it stays open. */
function explainTime({ arm, because, prompt }: TimedRetry): WithoutMoment<Explained> {
  if (prompt) return { code: prompt };
  if (arm === 'spread') return { code: 'attempts_spread' };
  if (arm === 'static') return { code: 'static_schedule', days: [...STATIC_DAYS] };
  const schedule = PAY_SCHEDULES[because.index];
  if (schedule && because.paydayShare > 0.5)
    return { code: 'pay_schedule', cycle: schedule.cycle, days: [...schedule.days] };
  if (because.paydayShare > 0.5) return { code: 'pay_day_of_several' };
  return { code: HYPOTHESES[because.index]?.kind === 'heals' ? 'obstacle_passes' : 'no_pay_day' };
}

/** Why a time was chosen, in sentences for an operator. */
import { DateTime } from 'luxon';
import { limitsOf } from './caps.ts';
import { HYPOTHESES } from './learning/hypotheses.ts';
import type { PaymentCase } from './payment-case.ts';
import { zoneNamed } from './timing/local-time.ts';
import { PAY_SCHEDULES } from './timing/pay-calendar.ts';
import { STATIC_DAYS } from './timing/static-schedule.ts';
import type { TimedRetry } from './timing/time-retry.ts';

export function describeRetry(
  retry: TimedRetry,
  paymentCase: PaymentCase,
  { made, unexplained }: { made: number; unexplained: number | undefined },
): string[] {
  const { perInvoice, unexplained: mostUnexplained } = limitsOf(paymentCase);
  return [
    `${describeMoment(retry.ms, paymentCase)}: ${describeCause(retry)}.`,
    `${made} of ${perInvoice} attempts used.`,
    ...(unexplained === undefined
      ? []
      : [`${unexplained} of ${mostUnexplained} with this card, while its bank gives no reason.`]),
  ];
}

export function describeDebit(
  ms: number,
  paymentCase: PaymentCase,
  { made, methodType }: { made: number; methodType: string },
): string[] {
  return [
    `${describeMoment(ms, paymentCase)}: a bank day with time for a ${methodType} to come back.`,
    `${made} of ${limitsOf(paymentCase).debitPresentments} presentments used.`,
  ];
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** "Friday 2026-03-06 09:00 in the customer's zone". By hand: Intl's formats would cost more than the decision. */
function describeMoment(ms: number, { zone }: PaymentCase): string {
  const local = DateTime.fromMillis(ms, { zone: zoneNamed(zone) });
  const time = `${String(local.hour).padStart(2, '0')}:${String(local.minute).padStart(2, '0')}`;
  return `${WEEKDAYS[local.weekday - 1]} ${local.toISODate()} ${time} in the customer's zone`;
}

/** A schedule is named when it speaks for most of the gain; else what is behind it stays open. */
function describeCause({ arm, because, isPrompt }: TimedRetry): string {
  if (isPrompt) return 'as soon as the card has rested; what stood in the way passes by itself';
  if (arm === 'spread') return 'attempts spread evenly over the window';
  if (arm === 'static')
    return `static schedule of ${STATIC_DAYS.join(', ')} days, which a share of the cases keeps for comparison`;
  const schedule = PAY_SCHEDULES[because.index];
  if (schedule && because.paydayShare > 0.5) return `the answers so far fit pay ${schedule.name}`;
  if (because.paydayShare > 0.5) return 'a pay day of several patterns that fit the answers so far';
  if (HYPOTHESES[because.index]?.kind === 'heals') return 'by then a passing obstacle should be gone';
  return 'no pay day pattern, so the attempts keep their distance';
}

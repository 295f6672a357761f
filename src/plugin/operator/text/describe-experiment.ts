/** An experiment in sentences, for command, console and status. */
import type { DateTime } from 'luxon';
import { formatMoney } from '../../mails/format-money.ts';
import type { Compared, Experiment } from '../../store/reports/experiment.ts';

/** Describes the measure, and the parts common to both sides. */
export function describeMeasured({ against, mode }: Pick<Experiment, 'against' | 'mode'>): string {
  if (against === 'schedule')
    return 'The times of the retries against a fixed schedule. Limits, emails and payments with a new card are the same for both.';
  return mode === 'exclusive'
    ? 'Our retries instead of Stripe’s. Our emails and payments with a new card are the same for both; Stripe emails about failed payments only where it retries, so with those emails switched on in its Dashboard this compares timing and emails together.'
    : 'Our retries on top of Stripe’s. Our emails, Stripe’s emails and payments with a new card are the same for both.';
}

export function describeDrawn({ against, ours, control, percent, since, endedAt }: Experiment): string {
  const day = (at: DateTime) => at.toISODate();
  const until = endedAt === null ? '' : `, ended ${day(endedAt)}`;
  const left = against === 'stripe' ? 'left to Stripe' : 'on a fixed schedule';
  return `${ours + control} customers drawn since ${day(since)}, ${control} of them ${left} (chance ${percent} %)${until}`;
}

const INSTEAD = {
  stripe: 'Stripe’s own retries instead of ours',
  schedule: 'a fixed schedule instead of our times',
} as const;

/** Warning before an operation on a member of the control group. */
export const warnOfControlGroup = (against: Experiment['against']): string =>
  `This customer is in the control group and gets ${INSTEAD[against]}. Anything you do for them distorts the comparison`;

export function describeCompared(
  { against }: Pick<Experiment, 'against'>,
  { currency, ours, control, difference }: Compared,
  locale = 'en',
): string {
  const side = (name: string, sums: Compared['ours']) => {
    const amount = (value: number) =>
      currency === null ? String(value) : formatMoney(value, currency, locale);
    const each = currency === null ? `; attempts ${sums.attempts}, emails ${sums.emails}` : '';
    return `${name} ${shareOf(sums)} (${amount(sums.y)} of ${amount(sums.x)}, ${sums.customers} customers${each})`;
  };
  const what = currency === null ? 'cases' : currency.toUpperCase();
  const theirs = OTHER[against];
  return `${what}: ${side('our retries', ours)}, ${side(theirs, control)}; ${describeDifference(difference, theirs)}`;
}

const OTHER = { stripe: 'Stripe’s', schedule: 'the schedule’s' } as const;

function describeDifference(difference: Compared['difference'], theirs: string): string {
  if (difference === null) return 'too little to say';
  const { points, low, high } = difference;
  const reading =
    low > 0 ? 'ours recover more' : high < 0 ? `${theirs} recover more` : 'no difference is shown yet';
  return `difference ${signed(points)} points, 95 % interval ${signed(low)} to ${signed(high)} at every look: ${reading}`;
}

function shareOf({ x, y }: Compared['ours']): string {
  return x === 0 ? '–' : `${((100 * y) / x).toFixed(1)} %`;
}

function signed(points: number): string {
  return `${points >= 0 ? '+' : '−'}${Math.abs(points).toFixed(1)}`;
}
